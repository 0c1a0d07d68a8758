#include "scenes/dataset/covariance.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "scenes/cloud/length_units.h"

namespace aqbench {
namespace {

constexpr double kRounding = 1e-9;
constexpr double kNone = 1e-13;  // eigenvalues of correlations that are 0 but for rounding

// How many of the parameter's unit one of the file's unit is.
double factor_at(const JsonPlace& unit, const ParameterSpec& parameter) {
  if (unit.text() == parameter.unit) return 1;
  const auto metres = metres_per_unit(unit.text());
  if (parameter.unit == "m" && metres) return *metres;
  unit.fail("'{}' is no unit of {}, which is in {}", unit.text(), parameter.name, parameter.unit);
}

Eigen::MatrixXd matrix_at(const JsonPlace& place, const Eigen::VectorXd& factors) {
  const auto size = static_cast<std::size_t>(factors.size());
  const std::vector<JsonPlace> rows = place.elements();
  if (rows.size() != size) place.fail("must have {} rows, as there are parameters", size);
  Eigen::MatrixXd matrix(factors.size(), factors.size());
  for (std::size_t i = 0; i < size; ++i) {
    const std::vector<JsonPlace> row = rows[i].elements();
    if (row.size() != size) rows[i].fail("must have {} numbers, as there are parameters", size);
    for (std::size_t j = 0; j < size; ++j) {
      const auto r = static_cast<Eigen::Index>(i), c = static_cast<Eigen::Index>(j);
      matrix(r, c) = row[j].number() * factors[r] * factors[c];
    }
  }
  return matrix;
}

Eigen::MatrixXd root_of(const Eigen::MatrixXd& covariance, const JsonPlace& place) {
  for (Eigen::Index i = 0; i < covariance.rows(); ++i)
    if (!(covariance(i, i) >= 0)) place.fail("[{0}][{0}] is negative: a variance is not", i);
  const Eigen::VectorXd sigmas = covariance.diagonal().cwiseSqrt();
  for (Eigen::Index i = 0; i < covariance.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (!(std::abs(covariance(i, j) - covariance(j, i)) <= kRounding * sigmas[i] * sigmas[j]))
        place.fail("is not symmetric: [{0}][{1}] and [{1}][{0}] differ", j, i);
  // Of the correlations, since the units may differ by orders of magnitude. No variance, no correlation.
  const Eigen::VectorXd inverse = sigmas.unaryExpr([](double sigma) { return sigma > 0 ? 1 / sigma : 0; });
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(inverse.asDiagonal() * covariance *
                                                              inverse.asDiagonal());
  bool is_possible = solved.info() == Eigen::Success && solved.eigenvalues().minCoeff() >= -kRounding;
  for (Eigen::Index i = 0; i < covariance.rows(); ++i)
    if (sigmas[i] == 0 && !covariance.row(i).isZero(0)) is_possible = false;
  if (!is_possible) place.fail("is not positive semidefinite: no errors have this covariance");
  const Eigen::VectorXd roots =
      solved.eigenvalues().unaryExpr([](double value) { return value > kNone ? std::sqrt(value) : 0; });
  return sigmas.asDiagonal() * solved.eigenvectors() * roots.asDiagonal() * solved.eigenvectors().transpose();
}

}  // namespace

CovarianceRoot read_covariance(const std::filesystem::path& file,
                               const std::vector<ParameterSpec>& parameters) {
  const Json json = read_strict_json(file, kSmallFileJson);
  const JsonPlace root(json, file.string());
  root.allow_only({"parameters", "units", "matrix"});
  const std::vector<JsonPlace> names = root.at("parameters").elements(), units = root.at("units").elements();
  if (names.empty()) root.at("parameters").fail("is empty");
  if (units.size() != names.size())
    root.at("units").fail("must have {} texts, as there are parameters", names.size());
  CovarianceRoot read;
  Eigen::VectorXd factors(static_cast<Eigen::Index>(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = std::ranges::find(parameters, names[i].text(), &ParameterSpec::name);
    if (found == parameters.end())
      names[i].fail(unknown_name_message("error", names[i].text(), names_of(parameters)));
    const auto error = static_cast<std::size_t>(found - parameters.begin());
    if (std::ranges::find(read.errors, error) != read.errors.end())
      names[i].fail("'{}' is there twice", found->name);
    read.errors.push_back(error);
    factors[static_cast<Eigen::Index>(i)] = factor_at(units[i], *found);
  }
  read.root = root_of(matrix_at(root.at("matrix"), factors), root.at("matrix"));
  return read;
}

}  // namespace aqbench
