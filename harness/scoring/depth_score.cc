#include "harness/scoring/depth_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "metrics/depth_metrics.h"
#include "metrics/diagnosis.h"
#include "metrics/numbers/order_statistics.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {
namespace {

MetricSet score_camera(const DepthMap* map, const DepthMap& truth) {
  if (map == nullptr)
    return depth_metrics(
        std::vector<float>(truth.depth_along_ray_m.size(), std::numeric_limits<float>::quiet_NaN()),
        truth.depth_along_ray_m);
  if (map->width != truth.width || map->height != truth.height ||
      map->depth_along_ray_m.size() != truth.depth_along_ray_m.size())
    throw Error(ErrorKind::method,
                fmt::format("depth map of {}: {} x {} px where the truth has {} x {}", map->camera,
                            map->width, map->height, truth.width, truth.height));
  return depth_metrics(map->depth_along_ray_m, truth.depth_along_ray_m);
}

}  // namespace

std::vector<CameraDepthScore> score_depth_maps(std::span<const DepthMap> maps,
                                               std::span<const Camera> cameras,
                                               const std::filesystem::path& dataset_dir, std::size_t frame) {
  std::vector<CameraDepthScore> scores;
  if (maps.empty()) return scores;
  for (const DepthMap& map : maps)
    if (std::ranges::find(cameras, map.camera, &Camera::name) == cameras.end())
      throw Error(ErrorKind::method, fmt::format("depth map of '{}': there is no such camera", map.camera));
  for (const Camera& camera : cameras) {
    if (camera.is_auxiliary) continue;
    const std::filesystem::path file = true_depth_file(dataset_dir / "truth", camera.name, frame);
    if (file.empty()) continue;
    const DepthMap truth =
        read_depth_map(file, camera.name, camera.intrinsics.width_px, camera.intrinsics.height_px);
    const auto map = std::ranges::find(maps, camera.name, &DepthMap::camera);
    scores.push_back({camera.name, score_camera(map == maps.end() ? nullptr : &*map, truth)});
  }
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
