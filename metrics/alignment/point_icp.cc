#include "metrics/alignment/point_icp.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/neighbours/nearest_neighbour.h"

namespace aqbench {
namespace {

// Points with a partner, and their partners.
struct Partners {
  std::vector<Vec3> from_m, to_m;
  PointFit fit;
};

Partners pair_up(const std::vector<Vec3>& from_m, std::span<const Vec3> to_m,
                 const NearestNeighbourIndex& index, double within_m) {
  std::vector<std::uint32_t> nearest(from_m.size());
  parallel_for(from_m.size(), 1 << 12, [&](std::size_t begin, std::size_t end) {
    index.nearest(std::span(from_m).subspan(begin, end - begin),
                  std::span(nearest).subspan(begin, end - begin));
  });
  Partners partners;
  double squares_m2 = 0;
  for (std::size_t i = 0; i < from_m.size(); ++i) {
    const Vec3& partner = to_m[nearest[i]];
    const double squared_m2 = (from_m[i] - partner).squaredNorm();
    if (!(squared_m2 < within_m * within_m)) continue;
    squares_m2 += squared_m2;
    partners.from_m.push_back(from_m[i]);
    partners.to_m.push_back(partner);
  }
  const auto pairs = static_cast<double>(partners.from_m.size());
  if (pairs > 0) partners.fit = {pairs / static_cast<double>(from_m.size()), std::sqrt(squares_m2 / pairs)};
  return partners;
}

void refuse_without_partners(const Partners& partners, double within_m, const std::string& what) {
  if (!partners.from_m.empty()) return;
  throw input_error("{}: no point lies within {:g} mm of the truth", what, 1e3 * within_m);
}

void refuse_runaway(double scale, double most_scaling, const std::string& what) {
  if (scale < most_scaling && scale > 1 / most_scaling) return;
  throw input_error("{}: the scale runs away: it has come to {:.4g} times what it was", what, scale);
}

}  // namespace

PointIcp align_points(std::vector<Vec3> from_m, std::span<const Vec3> truth_m, const PointIcpOptions& options,
                      const std::string& what) {
  if (from_m.empty() || truth_m.empty())
    throw input_error("{}: the {} has no points", what, from_m.empty() ? "cloud" : "truth");
  const std::vector<Vec3> to_m = first_at_each_place(truth_m);
  const NearestNeighbourIndex index(to_m, true);
  Partners partners = pair_up(from_m, to_m, index, options.within_m);
  PointIcp icp;
  icp.before = icp.after = partners.fit;
  refuse_without_partners(partners, options.within_m, what);
  bool converged = false;
  while (!converged && icp.iterations < options.max_iterations) {
    const Similarity step = fit_similarity(partners.from_m, partners.to_m, FitScale::estimated, what);
    icp.to_from = compose(step, icp.to_from);
    refuse_runaway(icp.to_from.scale, options.most_scaling, what);
    for (Vec3& point : from_m) point = step.linear * point + step.translation_m;
    partners = pair_up(from_m, to_m, index, options.within_m);
    refuse_without_partners(partners, options.within_m, what);
    const PointFit last = std::exchange(icp.after, partners.fit);
    converged = std::abs(last.fitness - icp.after.fitness) < options.fitness_change &&
                std::abs(last.inlier_rmse_m - icp.after.inlier_rmse_m) < options.rmse_change_m;
    ++icp.iterations;
  }
  icp.pairs = partners.from_m.size();
  return icp;
}

}  // namespace aqbench
