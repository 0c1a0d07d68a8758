#include "harness/scoring/depth_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/parallel.h"
#include "harness/scoring/agreement.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/score.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

bool has_size_of(const DepthMap& map, const DepthMap& truth) {
  return map.width == truth.width && map.height == truth.height &&
         map.depth_along_ray_m.size() == truth.depth_along_ray_m.size();
}

MetricSet score_camera(const DepthMap* map, const DepthMap& truth) {
  if (map == nullptr)
    return depth_metrics(
        std::vector<float>(truth.depth_along_ray_m.size(), std::numeric_limits<float>::quiet_NaN()),
        truth.depth_along_ray_m);
  if (!has_size_of(*map, truth))
    throw method_error("depth map of {}: {} x {} px where the truth has {} x {}", map->camera, map->width,
                       map->height, truth.width, truth.height);
  if (const auto step = unit_step(*map, truth))
    throw method_error(
        "depth map of {}: its depths are {:g} times the true ones; let the program write metres, or "
        "declare the unit",
        map->camera, *step);
  return depth_metrics(map->depth_along_ray_m, truth.depth_along_ray_m);
}

// What a depth is off, measured by the true camera along its own ray; NaN where that has no true depth.
double error_in_true_camera_m(const MapCalibration& made_with, const RefractiveCamera& had,
                              const RefractiveCamera& real, const Vec2& pixel, double depth_m,
                              const DepthMap& truth) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto ray = cast_ray(had, pixel);
  if (!ray) return kNone;
  const auto seen = project(real, made_with.to_world(point_on_ray(*ray, depth_m)));
  if (!seen) return kNone;
  const auto true_m = interpolated_depth_m(truth, seen->pixel);
  return true_m ? seen->depth_along_ray_m - *true_m : kNone;
}

}  // namespace

std::size_t count_far_depths(std::span<const Camera> cameras, const std::filesystem::path& dataset_dir,
                             std::size_t frame) {
  std::size_t count = 0;
  for (const Camera& camera : cameras)
    if (const auto file = true_depth_file(dataset_dir / "truth", camera.name, frame); !file.empty())
      read_depth_map(file, camera, &count);
  return count;
}

std::optional<double> unit_step(const DepthMap& map, const DepthMap& truth) {
  constexpr double kNear = 0.1, kFew = 0.1, kHalf = 0.5;
  constexpr std::size_t kFewestPixels = 100;  // fewer may be wrong by chance
  constexpr std::array kSteps = {1.0, 1e3, 1e2, 10.0, 0.1, 1e-2, 1e-3};
  std::array<std::size_t, kSteps.size()> near{};
  std::size_t both = 0;
  for (std::size_t i = 0; i < truth.depth_along_ray_m.size(); ++i) {
    const double depth = map.depth_along_ray_m[i], true_m = truth.depth_along_ray_m[i];
    if (!has_depth(depth) || !has_depth(true_m)) continue;
    ++both;
    const auto* const step = std::ranges::find_if(  // at most one is near
        kSteps, [&](double one) { return std::abs(depth / one - true_m) <= kNear * true_m; });
    if (step != kSteps.end()) ++near[static_cast<std::size_t>(step - kSteps.begin())];
  }
  const auto share = [&](std::size_t k) { return static_cast<double>(near[k]) / static_cast<double>(both); };
  if (both < kFewestPixels || share(0) > kFew) return std::nullopt;
  for (std::size_t k = 1; k < kSteps.size(); ++k)
    if (share(k) > kHalf) return kSteps[k];
  return std::nullopt;
}

DepthMap read_true_depths(const std::filesystem::path& file, const Camera& camera, const Crop& crop) {
  DepthMap truth = read_depth_map(file, camera);
  if (crop.parts.empty() && !camera.mask) return truth;
  const RefractiveCamera view = refractive_camera(camera);
  std::size_t pixel = 0;
  for (int y = 0; y < truth.height; ++y)
    for (int x = 0; x < truth.width; ++x) {
      float& depth_m = truth.depth_along_ray_m[pixel++];
      const auto ray = has_depth(depth_m) ? cast_ray(view, Vec2(x, y)) : std::nullopt;
      if (!ray) continue;
      const bool counts = !camera.mask || camera.mask->at(distort_pixel(camera.intrinsics, Vec2(x, y)));
      if (!counts || !crop.contains(point_on_ray(*ray, depth_m)))
        depth_m = std::numeric_limits<float>::quiet_NaN();
    }
  return truth;
}

std::vector<DepthMap> in_true_cameras(std::span<const DepthMap> maps, const MapCalibration& made_with,
                                      const Rig& rig, const std::filesystem::path& dataset_dir,
                                      std::size_t frame) {
  constexpr float kNoDepth = std::numeric_limits<float>::quiet_NaN();
  std::vector<DepthMap> moved(maps.begin(), maps.end());
  for (DepthMap& map : moved) {
    const Camera* const camera = find_camera(rig, map.camera);
    const Camera* const wrong = find_camera(made_with.rig, map.camera);
    const auto file =
        camera ? true_depth_file(dataset_dir / "truth", map.camera, frame) : std::filesystem::path();
    if (file.empty() || wrong == nullptr) continue;
    const DepthMap truth = read_depth_map(file, *camera);
    if (!has_size_of(map, truth)) continue;  // score_depth_maps() refuses it
    const RefractiveCamera had = refractive_camera(*wrong), real = refractive_camera(*camera);
    const auto width = static_cast<std::size_t>(map.width);
    parallel_for(map.depth_along_ray_m.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        float& depth_m = map.depth_along_ray_m[i];
        if (!has_depth(depth_m)) continue;
        const Vec2 pixel(static_cast<double>(i % width), static_cast<double>(i / width));
        const float true_m = truth.depth_along_ray_m[i];
        const double error_m = error_in_true_camera_m(made_with, had, real, pixel, depth_m, truth);
        depth_m = has_depth(true_m) ? static_cast<float>(true_m + error_m) : kNoDepth;
      }
    });
  }
  return moved;
}

std::vector<CameraDepthScore> score_depth_maps(std::span<const DepthMap> maps,
                                               std::span<const Camera> cameras,
                                               const std::filesystem::path& dataset_dir, std::size_t frame,
                                               const Crop& crop) {
  std::vector<CameraDepthScore> scores;
  if (maps.empty()) return scores;
  for (const DepthMap& map : maps)
    if (std::ranges::find(cameras, map.camera, &Camera::name) == cameras.end())
      throw method_error("depth map of '{}': there is no such camera", map.camera);
  std::vector<std::optional<MetricSet>> metrics(cameras.size());
  parallel_for(cameras.size(), 1, [&](std::size_t i, std::size_t) {
    const Camera& camera = cameras[i];
    if (camera.is_auxiliary) return;
    const std::filesystem::path file = true_depth_file(dataset_dir / "truth", camera.name, frame);
    if (file.empty()) return;
    const DepthMap truth = read_true_depths(file, camera, crop);
    const auto map = std::ranges::find(maps, camera.name, &DepthMap::camera);
    metrics[i] = score_camera(map == maps.end() ? nullptr : &*map, truth);
  });
  for (std::size_t i = 0; i < cameras.size(); ++i)
    if (metrics[i]) scores.push_back({cameras[i].name, *std::move(metrics[i])});
  return scores;
}

MetricSet median_over_cameras(std::span<const CameraDepthScore> scores) {
  MetricSet medians;
  if (scores.empty()) return medians;
  for (std::size_t i = 0; i < scores.front().metrics.size(); ++i) {
    auto [name, metric] = scores.front().metrics[i];
    std::vector<double> values;
    for (const CameraDepthScore& score : scores)
      if (score.metrics[i].second.value) values.push_back(*score.metrics[i].second.value);
    const std::size_t with_value = values.size();
    metric.value.reset();
    if (2 * with_value > scores.size()) {
      metric.value = median_in_place(values);
      metric.reason = {};
    } else if (with_value > 0) {
      metric.reason = fmt::format("only {} of {} cameras have a value", with_value, scores.size());
    }
    medians.emplace_back(name, metric);
  }
  return medians;
}

std::string depth_scores_csv(std::span<const CameraDepthScore> scores) {
  if (scores.empty()) return {};
  std::string text = "camera";
  for (const auto& [name, metric] : scores.front().metrics) text += "," + name;
  text += "\n";
  for (const CameraDepthScore& score : scores) {
    text += camera_field(score.camera);
    for (const auto& [name, metric] : score.metrics)
      text += metric.value ? fmt::format(",{}", *metric.value) : std::string(",");
    text += "\n";
  }
  return text;
}

}  // namespace aqbench
