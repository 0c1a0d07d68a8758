#include "metrics/protocols/registration.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/alignment/align.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/protocols/voxels.h"
#include "scenes/cloud/measurable.h"

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

// Moves points that can be measured and keeps those in the crop.
std::vector<Vec3> moved_and_cropped(std::span<const Vec3> points_m, const Similarity& truth_from_points,
                                    const std::function<bool(const Vec3&)>& crop) {
  std::vector<Vec3> kept_m;
  for (const Vec3& point : points_m) {
    if (!is_measurable(point)) continue;
    const Vec3 moved = truth_from_points.linear * point + truth_from_points.translation_m;
    if (is_measurable(moved) && (!crop || crop(moved))) kept_m.push_back(moved);
  }
  return kept_m;
}

// Thins as many points as Open3D's uniform_down_sample leaves at the rate that their program asks for; it
// takes every so-maniest in the file's order.
std::vector<Vec3> thinned(const std::vector<Vec3>& points_m, std::size_t most) {
  std::size_t rate = 1;
  if (points_m.size() > most)
    rate = static_cast<std::size_t>(
        std::nearbyint(static_cast<double>(points_m.size()) / static_cast<double>(most)));
  return draw_points(points_m, (points_m.size() + rate - 1) / rate);
}

std::vector<Vec3> fewer(const std::vector<Vec3>& points_m, double voxel_m, std::size_t most) {
  return voxel_m > 0 ? voxel_means(points_m, voxel_m) : thinned(points_m, most);
}

// Runs the alignment whose sizes a step holds, from where the cloud has come to.
void run_step(const RegistrationInput& input, const Similarity& start, std::size_t most_points,
              const std::string& what, RegistrationStep& step) {
  std::vector<Vec3> cloud_m =
      fewer(moved_and_cropped(input.cloud_m, start, input.crop), step.voxel_m, most_points);
  const std::vector<Vec3> truth_m =
      fewer(moved_and_cropped(input.truth_m, Similarity{}, input.crop), step.voxel_m, most_points);
  step.points = cloud_m.size();
  step.truth_points = truth_m.size();
  constexpr double kAnyChange_m = 20;  // see the header
  step.icp =
      align_points(std::move(cloud_m), truth_m,
                   {.within_m = step.within_m, .max_iterations = 30, .rmse_change_m = kAnyChange_m}, what);
}

void refuse_lost_cameras(const Registration& found, double within_m, const std::string& what) {
  if (2 * found.cameras_at_end.agreeing >= found.cameras.agreeing) return;
  throw input_error("{}: the clouds pull the cameras apart: {} agreed within {:g} mm, {} do at the end", what,
                    found.cameras.agreeing, 1e3 * within_m, found.cameras_at_end.agreeing);
}

}  // namespace

Similarity fit_anyway(const std::vector<Vec3>& from_m, const std::vector<Vec3>& to_m, FitScale scale) {
  const auto columns = [](const std::vector<Vec3>& points) {
    return Eigen::Map<const Eigen::Matrix3Xd>(points.data()->data(), 3,
                                              static_cast<Eigen::Index>(points.size()));
  };
  const Eigen::Matrix4d fit = Eigen::umeyama(columns(from_m), columns(to_m), scale == FitScale::estimated);
  Similarity similarity;
  similarity.linear = fit.topLeftCorner<3, 3>();
  similarity.translation_m = fit.topRightCorner<3, 1>();
  similarity.scale = fit.topLeftCorner<3, 1>().norm();
  return similarity;
}

PointIcp align_points(std::vector<Vec3> from_m, std::span<const Vec3> truth_m, const PointIcpOptions& options,
                      const std::string& what) {
  if (from_m.empty() || truth_m.empty())
    throw input_error("{}: the {} has no points", what, from_m.empty() ? "cloud" : "truth");
  const std::vector<Vec3> to_m = first_at_each_place(truth_m);
  const NearestNeighbourIndex index(to_m, true);
  Partners partners = pair_up(from_m, to_m, index, options.within_m);
  PointIcp icp;
  icp.before = icp.after = partners.fit;
  if (!options.fit_anyway) refuse_without_partners(partners, options.within_m, what);
  bool converged = partners.from_m.empty();
  while (!converged && icp.iterations < options.max_iterations) {
    const Similarity step = options.fit_anyway
                                ? fit_anyway(partners.from_m, partners.to_m, options.scale)
                                : fit_similarity(partners.from_m, partners.to_m, options.scale, what);
    icp.to_from = compose(step, icp.to_from);
    refuse_runaway(icp.to_from.scale, options.most_scaling, what);
    for (Vec3& point : from_m) point = step.linear * point + step.translation_m;
    partners = pair_up(from_m, to_m, index, options.within_m);
    if (!options.fit_anyway) refuse_without_partners(partners, options.within_m, what);
    const PointFit last = std::exchange(icp.after, partners.fit);
    converged = partners.from_m.empty() ||
                (std::abs(last.fitness - icp.after.fitness) < options.fitness_change &&
                 std::abs(last.inlier_rmse_m - icp.after.inlier_rmse_m) < options.rmse_change_m);
    ++icp.iterations;
  }
  icp.pairs = partners.from_m.size();
  return icp;
}

Registration register_as_tanks_and_temples(const RegistrationInput& input, const RegistrationOptions& options,
                                           const std::string& what) {
  if (!(options.tau_m > 0) || !std::isfinite(options.tau_m))
    throw Error(ErrorKind::usage, "tau_m: must be positive");
  const double tau_m = options.tau_m;
  Registration found;
  found.cameras = fit_similarity_ransac(input.cameras_m, input.true_cameras_m, what + ": camera centres",
                                        options.cameras);
  found.truth_from_cloud = found.cameras.to_from;
  found.steps = {RegistrationStep{tau_m, 80 * tau_m, 0, 0, {}},
                 RegistrationStep{tau_m / 2, 20 * tau_m, 0, 0, {}}, RegistrationStep{0, 2 * tau_m, 0, 0, {}}};
  for (std::size_t i = 0; i < found.steps.size(); ++i) {
    RegistrationStep& step = found.steps[i];
    run_step(input, found.truth_from_cloud, options.most_points, fmt::format("{}: ICP {}", what, i + 1),
             step);
    found.truth_from_cloud = compose(step.icp.to_from, found.truth_from_cloud);
  }
  found.cameras_at_end =
      agreement_of(found.truth_from_cloud, input.cameras_m, input.true_cameras_m, options.cameras.within_m);
  refuse_lost_cameras(found, options.cameras.within_m, what);
  return found;
}

}  // namespace aqbench
