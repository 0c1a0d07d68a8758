#include "metrics/alignment/similarity_ransac.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/numbers/exact_sum.h"

namespace aqbench {
namespace {

struct CameraPair {
  Vec3 from, to;
};

// Pairs in an order that their coordinates alone decide.
std::vector<CameraPair> sorted_pairs(std::span<const Vec3> from, std::span<const Vec3> to) {
  std::vector<CameraPair> pairs;
  for (std::size_t i = 0; i < from.size(); ++i) pairs.push_back({from[i], to[i]});
  const auto before = [](const Vec3& a, const Vec3& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  };
  std::ranges::sort(pairs, [&](const CameraPair& a, const CameraPair& b) {
    return a.from != b.from ? before(a.from, b.from) : before(a.to, b.to);
  });
  return pairs;
}

// A similarity from a draw, and how well the pairs agree with it.
struct Drawn {
  std::optional<Similarity> to_from;
  std::size_t agreeing = 0;
  double squares_m2 = std::numeric_limits<double>::infinity();

  bool is_better_than(const Drawn& other) const {
    return agreeing != other.agreeing ? agreeing > other.agreeing : squares_m2 < other.squares_m2;
  }
};

Drawn draw_similarity(const std::vector<CameraPair>& pairs, const RansacOptions& options,
                      std::uint64_t number) {
  const RandomKey key{options.seed, RandomStream::registration};
  std::vector<Vec3> from, to;
  for (std::size_t k = 0; k < options.pairs_in_draw; ++k) {
    const double place =
        uniform01(key, number, static_cast<std::uint32_t>(k)) * static_cast<double>(pairs.size());
    const CameraPair& pair = pairs[std::min(pairs.size() - 1, static_cast<std::size_t>(place))];
    from.push_back(pair.from);
    to.push_back(pair.to);
  }
  Drawn drawn{try_fit_similarity(from, to, FitScale::estimated)};
  if (!drawn.to_from) return drawn;
  drawn.squares_m2 = 0;
  const Similarity& fit = *drawn.to_from;
  for (const CameraPair& pair : pairs) {
    const double squared_m2 = (fit.linear * pair.from + fit.translation_m - pair.to).squaredNorm();
    if (!(squared_m2 < options.within_m * options.within_m)) continue;
    ++drawn.agreeing;
    drawn.squares_m2 += squared_m2;
  }
  return drawn;
}

Drawn best_draw(const std::vector<CameraPair>& pairs, const RansacOptions& options) {
  constexpr std::size_t kGrain = 500;
  std::vector<Drawn> best_of_chunk((options.draws + kGrain - 1) / kGrain);
  parallel_for(options.draws, kGrain, [&](std::size_t begin, std::size_t end) {
    Drawn& best = best_of_chunk[begin / kGrain];
    for (std::size_t number = begin; number < end; ++number) {
      const Drawn drawn = draw_similarity(pairs, options, number);
      if (drawn.is_better_than(best)) best = drawn;
    }
  });
  Drawn best;
  for (const Drawn& drawn : best_of_chunk)
    if (drawn.is_better_than(best)) best = drawn;
  return best;
}

// The second largest standard deviation of points along their principal axes: 0 on a line.
double width_of(const std::vector<Vec3>& points_m) {
  Vec3 mean_m = Vec3::Zero();
  for (const Vec3& point : points_m) mean_m += point / static_cast<double>(points_m.size());
  Eigen::Matrix3d scatter = Eigen::Matrix3d::Zero();
  for (const Vec3& point : points_m) scatter += (point - mean_m) * (point - mean_m).transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(scatter, Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, solver.eigenvalues()[1]) / static_cast<double>(points_m.size()));
}

}  // namespace

RansacFit agreement_of(const Similarity& to_from, std::span<const Vec3> from, std::span<const Vec3> to,
                       double within_m) {
  RansacFit fit{to_from, {}, 0, 0};
  ExactSum squares_m2;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double squared_m2 = (to_from.linear * from[i] + to_from.translation_m - to[i]).squaredNorm();
    fit.agrees.push_back(squared_m2 < within_m * within_m);
    if (!fit.agrees.back()) continue;
    ++fit.agreeing;
    squares_m2.add(squared_m2);
  }
  if (fit.agreeing > 0) fit.rms_m = std::sqrt(squares_m2.value() / static_cast<double>(fit.agreeing));
  return fit;
}

RansacFit fit_similarity_ransac(std::span<const Vec3> from, std::span<const Vec3> to, const std::string& what,
                                const RansacOptions& options) {
  fit_similarity(from, to, FitScale::estimated, what);  // refuses what no draw could determine
  const Drawn best = best_draw(sorted_pairs(from, to), options);
  RansacFit fit;
  if (best.to_from) fit = agreement_of(*best.to_from, from, to, options.within_m);
  if (2 * fit.agreeing <= from.size())
    throw input_error("{}: {} of {} agree within {:g} mm with one similarity; more than half must", what,
                      fit.agreeing, from.size(), 1e3 * options.within_m);
  std::vector<Vec3> agreed_from, agreed_to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!fit.agrees[i]) continue;
    agreed_from.push_back(from[i]);
    agreed_to.push_back(to[i]);
  }
  fit_similarity(agreed_from, agreed_to, FitScale::estimated, what);
  if (width_of(agreed_to) < 3 * fit.rms_m)
    throw Error(ErrorKind::input, what +
                                      ": all that agree lie on one line as far as their errors tell: the "
                                      "rotation about it is not determined");
  return fit;
}

}  // namespace aqbench
