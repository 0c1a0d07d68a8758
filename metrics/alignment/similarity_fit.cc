#include "metrics/alignment/similarity_fit.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "metrics/numbers/exact_sum.h"
#include "metrics/numbers/order_statistics.h"
#include "scenes/cloud/measurable.h"

namespace aqbench {
namespace {

using Matrix3X = Eigen::Matrix3Xd;

Matrix3X columns_of(std::span<const Vec3> points) {
  Matrix3X matrix(3, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) matrix.col(static_cast<Eigen::Index>(i)) = points[i];
  return matrix;
}

// The sums of squares of points along their principal axes, smallest first, about their centre.
Vec3 principal_squares(const Matrix3X& points) {
  const Matrix3X centred = points.colwise() - points.rowwise().mean();
  const Eigen::Matrix3d scatter = centred * centred.transpose();
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(scatter, Eigen::EigenvaluesOnly).eigenvalues();
}

// Whether points span a plane at least: their second extent is no rounding error of the first.
bool spans_plane(const Matrix3X& points) {
  const Vec3 squares = principal_squares(points);
  return squares[1] > 1e-12 * squares[2];
}

// The root mean square distance of points from the line through them, metres: along their second axis.
double second_extent_m(std::span<const Vec3> points_m) {
  return std::sqrt(std::max(principal_squares(columns_of(points_m))[1], 0.0) /
                   static_cast<double>(points_m.size()));
}

std::optional<Similarity> fit_umeyama(const Matrix3X& from, const Matrix3X& to, FitScale scale) {
  const Eigen::Matrix4d matrix = Eigen::umeyama(from, to, scale == FitScale::estimated);
  if (!matrix.allFinite()) return std::nullopt;
  Similarity fit;
  fit.linear = matrix.topLeftCorner<3, 3>();
  fit.translation_m = matrix.topRightCorner<3, 1>();
  fit.scale = std::cbrt(fit.linear.determinant());
  return fit;
}

std::optional<Similarity> fit_columns(const Matrix3X& from, const Matrix3X& to, FitScale scale) {
  return spans_plane(from) && spans_plane(to) ? fit_umeyama(from, to, scale) : std::nullopt;
}

void check_pairs(std::span<const Vec3> from, std::span<const Vec3> to, const std::string& what) {
  if (from.size() != to.size()) throw Error(ErrorKind::usage, what + ": from and to differ in size");
  if (from.size() < 3)
    throw input_error("{}: {} pairs do not determine a similarity; 3 are needed", what, from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!from[i].allFinite() || !to[i].allFinite()) throw input_error("{}: pair {} is not finite", what, i);
}

constexpr const char* kOnOneLine = "all lie on one line: the rotation about it is not determined";

[[noreturn]] void refuse_line(const std::string& what) { throw input_error("{}: {}", what, kOnOneLine); }

std::string line_text(std::size_t agreeing, std::size_t of) {
  if (agreeing == of) return kOnOneLine;
  return fmt::format("{} of {} agree, and these lie on one line: the rotation about it is not determined",
                     agreeing, of);
}

// Below this times what is left of the distances, the second extent of points is that of their errors: these
// alone would decide the turn about the line through them. A trajectory, which has no wrong pairs left out,
// needs more.
constexpr double kLeastExtent = 5, kLeastExtentOfTrajectory = 10;

// Whether points are much longer than wide.
bool are_lined_up(const Vec3& principal_squares) {
  constexpr double kNarrow = 0.1;
  return principal_squares[1] < kNarrow * kNarrow * principal_squares[2];
}

// Why pairs that agree do not determine a fit that leaves so much; empty where they do.
std::string why_chance(std::span<const Vec3> agreed, std::size_t of, double rms_m) {
  const double count = static_cast<double>(agreed.size());
  const Vec3 squares = principal_squares(columns_of(agreed));
  if (!(std::sqrt(std::max(squares[1], 0.0) / count) < kLeastExtent * rms_m)) return {};
  if (are_lined_up(squares)) return line_text(agreed.size(), of);
  return fmt::format(
      "{} of {} agree best with one similarity, and it leaves {:.3g} % of their extent (rms): none fits",
      agreed.size(), of, 100 * rms_m / std::sqrt(squares.sum() / count));
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

struct CameraPair {
  Vec3 from, to;
};

// Pairs in an order that their coordinates alone decide.
std::vector<CameraPair> sorted_pairs(std::span<const Vec3> from, std::span<const Vec3> to) {
  std::vector<CameraPair> pairs;
  for (std::size_t i = 0; i < from.size(); ++i) pairs.push_back({from[i], to[i]});
  std::ranges::sort(pairs, [](const CameraPair& a, const CameraPair& b) {
    return a.from != b.from ? comes_before(a.from, b.from) : comes_before(a.to, b.to);
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

// Points and their partners.
struct PointPairs {
  std::vector<Vec3> from, to;
};

PointPairs agreed_pairs(std::span<const Vec3> from, std::span<const Vec3> to,
                        const std::vector<bool>& agrees) {
  PointPairs agreed;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!agrees[i]) continue;
    agreed.from.push_back(from[i]);
    agreed.to.push_back(to[i]);
  }
  return agreed;
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

std::optional<PositionFit> fit_positions(std::span<const Vec3> from, std::span<const Vec3> to,
                                         FitScale scale) {
  if (from.size() < 3) return std::nullopt;
  const Matrix3X all_from = columns_of(from), all_to = columns_of(to);
  const auto is_place = [](const Matrix3X& points) {
    return principal_squares(points)[2] <= 1e-24 * points.colwise().squaredNorm().maxCoeff();
  };
  if (is_place(all_from) || is_place(all_to)) return std::nullopt;
  // A rigid fit turns as that with a scale does, and leaves more where the scales differ.
  const auto fit = fit_umeyama(all_from, all_to, scale),
             scaled = fit_umeyama(all_from, all_to, FitScale::estimated);
  if (!fit || !scaled) return std::nullopt;
  double squares_m2 = 0;
  for (const double left_m : distances_of(all_from, all_to, *scaled)) squares_m2 += left_m * left_m;
  const double rms_m = std::sqrt(squares_m2 / static_cast<double>(from.size()));
  const Vec3 extents = principal_squares(all_to);
  const bool lined_up = are_lined_up(principal_squares(all_from)) || are_lined_up(extents);
  const bool is_chance = !spans_plane(all_from) || !spans_plane(all_to) ||
                         (lined_up && second_extent_m(to) < kLeastExtentOfTrajectory * rms_m);
  return PositionFit{*fit, is_chance ? kOnOneLine : ""};
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
  for (const double distance_m : distances_of(all_from, all_to, *best))
    result.inlier.push_back(distance_m <= limit_m);
  const PointPairs agreed = agreed_pairs(from, to, result.inlier);
  result.inliers = agreed.from.size();
  const auto fit = try_fit_similarity(agreed.from, agreed.to, scale);
  if (!fit) throw input_error("{}: {}", what, line_text(result.inliers, from.size()));
  result.to_from = *fit;
  double squares_m2 = 0;
  for (const double left_m : distances_of(columns_of(agreed.from), columns_of(agreed.to), result.to_from)) {
    squares_m2 += left_m * left_m;
    result.max_m = std::max(result.max_m, left_m);
  }
  result.rms_m = std::sqrt(squares_m2 / static_cast<double>(result.inliers));
  if (const std::string why = why_chance(agreed.to, from.size(), result.rms_m); !why.empty())
    throw input_error("{}: {}", what, why);
  result.median_before_m = median_distance(all_from, all_to, Similarity{});
  return result;
}

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
  const PointPairs agreed = agreed_pairs(from, to, fit.agrees);
  fit_similarity(agreed.from, agreed.to, FitScale::estimated, what);
  if (second_extent_m(agreed.to) < 3 * fit.rms_m)
    throw Error(ErrorKind::input, what +
                                      ": all that agree lie on one line as far as their errors tell: the "
                                      "rotation about it is not determined");
  return fit;
}

}  // namespace aqbench
