#include "harness/scoring/calibration_score.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/quantiles.h"
#include "metrics/alignment/similarity_fit.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

// A camera in both calibrations, prepared.
struct CameraPair {
  const Camera* truth;
  const Camera* estimated;
  RefractiveCamera true_rays, estimated_rays;
  Undistorter true_lens, estimated_lens;
};

std::vector<CameraPair> pairs_of(const Rig& estimated, const Rig& truth, CalibrationScore& score) {
  std::vector<CameraPair> pairs;
  for (const Camera& camera : truth.cameras) {
    const Camera* const other = find_camera(estimated, camera.name);
    if (other == nullptr)
      score.left_out.push_back(camera.name);
    else
      pairs.push_back({&camera, other, refractive_camera(camera), refractive_camera(*other),
                       Undistorter(camera.intrinsics), Undistorter(other->intrinsics)});
  }
  for (const Camera& camera : estimated.cameras)
    if (find_camera(truth, camera.name) == nullptr) score.left_out.push_back(camera.name);
  if (pairs.size() < 2)
    throw input_error("{} of the calibrations' cameras have one name: two are needed", pairs.size());
  return pairs;
}

// The pixel of the image that shows the point; nullopt where none does.
std::optional<Vec2> image_of(const CameraPair& pair, const Vec3& point_m) {
  const auto seen = project(pair.true_rays, point_m);
  if (!seen || !pair.true_lens.takes(seen->pixel)) return std::nullopt;
  return distort_pixel(pair.truth->intrinsics, seen->pixel);
}

// Where the estimated cameras find the point; nullopt where fewer than two see it.
std::optional<Vec3> found_point(const std::vector<CameraPair>& pairs, const Vec3& point_m) {
  std::vector<WaterRay> rays;
  for (const CameraPair& pair : pairs) {
    const auto pixel = image_of(pair, point_m);
    const auto straight = pixel ? pair.estimated_lens.undistort_pixel(*pixel) : std::nullopt;
    const auto ray = straight ? cast_ray(pair.estimated_rays, *straight) : std::nullopt;
    if (ray) rays.push_back(*ray);
  }
  return triangulate(rays);
}

// The squares of what lies between the images of a point in both calibrations, and how many there are.
void add_reprojections(const std::vector<CameraPair>& pairs, const Vec3& point_m, double& squares,
                       std::size_t& count) {
  for (const CameraPair& pair : pairs) {
    const auto pixel = image_of(pair, point_m);
    const auto other = pixel ? project(pair.estimated_rays, point_m) : std::nullopt;
    if (!other) continue;
    squares += (distort_pixel(pair.estimated->intrinsics, other->pixel) - *pixel).squaredNorm();
    ++count;
  }
}

PointErrors errors_of(const std::vector<Vec3>& found_m, const std::vector<Vec3>& true_m,
                      const Similarity& moved) {
  PointErrors errors;
  std::vector<double> sizes;
  double squares = 0;
  for (std::size_t i = 0; i < found_m.size(); ++i) {
    const Vec3 error = moved.linear * found_m[i] + moved.translation_m - true_m[i];
    sizes.push_back(error.norm());
    squares += error.squaredNorm();
    errors.mean_error_m += error / static_cast<double>(found_m.size());
    errors.mean_m += error.norm() / static_cast<double>(found_m.size());
  }
  std::ranges::sort(sizes);
  errors.rms_m = std::sqrt(squares / static_cast<double>(sizes.size()));
  errors.median_m = median_of_sorted(sizes);
  errors.p95_m = quantile_of_sorted(sizes, 0.95);
  errors.max_m = sizes.back();
  return errors;
}

}  // namespace

CalibrationScore score_calibration(const Rig& estimated, const Rig& truth, const Eigen::AlignedBox3d& box) {
  constexpr int kSide = 11;
  CalibrationScore score;
  const std::vector<CameraPair> pairs = pairs_of(estimated, truth, score);
  std::vector<Vec3> true_m, found_m;
  double squares = 0;
  std::size_t images = 0;
  for (int x = 0; x < kSide; ++x)
    for (int y = 0; y < kSide; ++y)
      for (int z = 0; z < kSide; ++z) {
        const Vec3 point_m = box.min() + box.sizes().cwiseProduct(Vec3(x, y, z)) / (kSide - 1);
        ++score.grid;
        const auto found = found_point(pairs, point_m);
        if (!found) continue;
        true_m.push_back(point_m);
        found_m.push_back(*found);
        add_reprojections(pairs, point_m, squares, images);
      }
  score.scored = true_m.size();
  if (true_m.empty())
    throw input_error(
        "no point of the volume is seen by two cameras of the truth and placed by the estimate");
  score.reprojection_rms_px = images > 0 ? std::sqrt(squares / static_cast<double>(images)) : std::nan("");
  score.as_it_is = errors_of(found_m, true_m, {});
  score.true_from_estimated =
      fit_similarity(found_m, true_m, FitScale::estimated, "the points of the volume");
  score.aligned = errors_of(found_m, true_m, score.true_from_estimated);
  return score;
}

}  // namespace aqbench
