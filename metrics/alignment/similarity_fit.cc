#include "metrics/alignment/similarity_fit.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/random.h"
#include "metrics/numbers/order_statistics.h"

namespace aqbench {
namespace {

using Matrix3X = Eigen::Matrix3Xd;

Matrix3X columns_of(std::span<const Vec3> points) {
  Matrix3X matrix(3, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) matrix.col(static_cast<Eigen::Index>(i)) = points[i];
  return matrix;
}

// Whether points span a plane at least: their second extent is no rounding error of the first.
bool spans_plane(const Matrix3X& points) {
  const Matrix3X centred = points.colwise() - points.rowwise().mean();
  const Eigen::Matrix3d scatter = centred * centred.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(scatter,
                                                              Eigen::EigenvaluesOnly);  // smallest first
  return solver.eigenvalues()[1] > 1e-12 * solver.eigenvalues()[2];
}

// The root mean square distance of points from the line through them, metres: along their second axis.
double second_extent_m(const Matrix3X& points_m) {
  const Matrix3X centred = points_m.colwise() - points_m.rowwise().mean();
  const Eigen::Matrix3d scatter = centred * centred.transpose() / static_cast<double>(points_m.cols());
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(scatter, Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(solver.eigenvalues()[1], 0.0));
}

std::optional<Similarity> fit_columns(const Matrix3X& from, const Matrix3X& to, FitScale scale) {
  if (!spans_plane(from) || !spans_plane(to)) return std::nullopt;
  const Eigen::Matrix4d matrix = Eigen::umeyama(from, to, scale == FitScale::estimated);
  if (!matrix.allFinite()) return std::nullopt;
  Similarity fit;
  fit.linear = matrix.topLeftCorner<3, 3>();
  fit.translation_m = matrix.topRightCorner<3, 1>();
  fit.scale = std::cbrt(fit.linear.determinant());
  return fit;
}

void check_pairs(std::span<const Vec3> from, std::span<const Vec3> to, const std::string& what) {
  if (from.size() != to.size()) throw Error(ErrorKind::usage, what + ": from and to differ in size");
  if (from.size() < 3)
    throw input_error("{}: {} pairs do not determine a similarity; 3 are needed", what, from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!from[i].allFinite() || !to[i].allFinite()) throw input_error("{}: pair {} is not finite", what, i);
}

[[noreturn]] void refuse_line(const std::string& what) {
  throw Error(ErrorKind::input, what + ": all lie on one line: the rotation about it is not determined");
}

std::vector<double> distances_of(const Matrix3X& from, const Matrix3X& to, const Similarity& fit) {
  const Eigen::RowVectorXd norms = ((fit.linear * from).colwise() + fit.translation_m - to).colwise().norm();
  return {norms.data(), norms.data() + norms.size()};
}

double median_distance(const Matrix3X& from, const Matrix3X& to, const Similarity& fit) {
  std::vector<double> distances = distances_of(from, to, fit);
  return median_in_place(distances);
}

// Calls body with triples of different numbers below `count`.
template <class Body>
void for_triples(std::size_t count, std::uint64_t seed, const Body& body) {
  constexpr std::size_t kTriples = 500;
  if (count * (count - 1) * (count - 2) / 6 <= kTriples) {
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = a + 1; b < count; ++b)
        for (std::size_t c = b + 1; c < count; ++c) body(std::array{a, b, c});
    return;
  }
  const RandomKey key{seed, RandomStream::resolution};
  for (std::uint64_t draw = 0; draw < kTriples; ++draw) {
    std::array<std::size_t, 3> triple{};
    for (std::uint32_t k = 0; k < 3; ++k)
      triple[k] =
          std::min(count - 1, static_cast<std::size_t>(uniform01(key, draw, k) * static_cast<double>(count)));
    if (triple[0] != triple[1] && triple[0] != triple[2] && triple[1] != triple[2]) body(triple);
  }
}

}  // namespace

std::optional<Similarity> try_fit_similarity(std::span<const Vec3> from, std::span<const Vec3> to,
                                             FitScale scale) {
  if (from.size() < 3) return std::nullopt;
  return fit_columns(columns_of(from), columns_of(to), scale);
}

Similarity fit_similarity(std::span<const Vec3> from, std::span<const Vec3> to, FitScale scale,
                          const std::string& what) {
  check_pairs(from, to, what);
  const auto fit = try_fit_similarity(from, to, scale);
  if (!fit) refuse_line(what);
  return *fit;
}

RobustFit fit_similarity_robust(std::span<const Vec3> from, std::span<const Vec3> to, FitScale scale,
                                const std::string& what, std::uint64_t seed) {
  check_pairs(from, to, what);
  const Matrix3X all_from = columns_of(from), all_to = columns_of(to);
  std::optional<Similarity> best;
  double least_m = 0;
  for_triples(from.size(), seed, [&](const std::array<std::size_t, 3>& triple) {
    const std::array<Vec3, 3> some_from{from[triple[0]], from[triple[1]], from[triple[2]]};
    const std::array<Vec3, 3> some_to{to[triple[0]], to[triple[1]], to[triple[2]]};
    const auto fit = fit_columns(columns_of(some_from), columns_of(some_to), scale);
    if (!fit) return;
    const double median_m = median_distance(all_from, all_to, *fit);
    if (best && median_m >= least_m) return;
    best = fit;
    least_m = median_m;
  });
  if (!best) refuse_line(what);
  const double extent_m = (all_to.colwise() - all_to.rowwise().mean()).colwise().norm().maxCoeff();
  // The factor for few pairs is Rousseeuw and Leroy's, "Robust Regression and Outlier Detection", 1987, 5.1.
  const double few = 1 + 5 / std::max(1.0, static_cast<double>(from.size()) - 3);
  const double limit_m = std::max(2.5 * kNmadScale * few * least_m, 1e-9 * extent_m);
  RobustFit result;
  std::vector<Vec3> agreed_from, agreed_to;
  const std::vector<double> distances_m = distances_of(all_from, all_to, *best);
  for (std::size_t i = 0; i < from.size(); ++i) {
    result.inlier.push_back(distances_m[i] <= limit_m);
    if (!result.inlier.back()) continue;
    agreed_from.push_back(from[i]);
    agreed_to.push_back(to[i]);
  }
  result.inliers = agreed_from.size();
  result.to_from = fit_similarity(agreed_from, agreed_to, scale, what);
  double squares_m2 = 0;
  for (const double left_m : distances_of(columns_of(agreed_from), columns_of(agreed_to), result.to_from)) {
    squares_m2 += left_m * left_m;
    result.max_m = std::max(result.max_m, left_m);
  }
  result.rms_m = std::sqrt(squares_m2 / static_cast<double>(result.inliers));
  // On a line but for their errors: these alone would decide the turn about it.
  if (second_extent_m(columns_of(agreed_to)) < 5 * result.rms_m) refuse_line(what);
  result.median_before_m = median_distance(all_from, all_to, Similarity{});
  return result;
}

}  // namespace aqbench
