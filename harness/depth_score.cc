#include "harness/depth_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <variant>

#include "metrics/depth_metrics.h"
#include "metrics/order_statistics.h"
#include "scenes/core/error.h"
#include "scenes/core/npy.h"

namespace aqbench {
namespace {

struct TrueDepth {
  std::size_t height = 0, width = 0;
  std::vector<float> depth_m;
};

std::optional<TrueDepth> read_true_depth(const std::filesystem::path& file) {
  std::error_code status;
  if (!std::filesystem::exists(file, status)) return std::nullopt;
  NpyArray array = read_npy(file);
  auto* const values = std::get_if<std::vector<float>>(&array.values);
  if (values == nullptr || array.shape.size() != 2)
    throw Error(ErrorKind::input,
                fmt::format("{}: expected a float32 array of two dimensions", file.string()));
  return TrueDepth{array.shape[0], array.shape[1], std::move(*values)};
}

MetricSet score_camera(const DepthMap* map, const std::string& camera, const TrueDepth& truth) {
  if (map == nullptr)
    return depth_metrics(std::vector<float>(truth.depth_m.size(), std::numeric_limits<float>::quiet_NaN()),
                         truth.depth_m);
  if (static_cast<std::size_t>(map->width) != truth.width ||
      static_cast<std::size_t>(map->height) != truth.height ||
      map->depth_along_ray_m.size() != truth.depth_m.size())
    throw Error(ErrorKind::method, fmt::format("depth map of {}: {} x {} px where the truth has {} x {}",
                                               camera, map->width, map->height, truth.width, truth.height));
  return depth_metrics(map->depth_along_ray_m, truth.depth_m);
}

}  // namespace

std::vector<CameraDepthScore> score_depth_maps(std::span<const DepthMap> maps,
                                               std::span<const Camera> cameras,
                                               const std::filesystem::path& dataset_dir) {
  std::vector<CameraDepthScore> scores;
  if (maps.empty()) return scores;
  for (const DepthMap& map : maps)
    if (std::ranges::find(cameras, map.camera, &Camera::name) == cameras.end())
      throw Error(ErrorKind::method, fmt::format("depth map of '{}': there is no such camera", map.camera));
  for (const Camera& camera : cameras) {
    if (camera.is_auxiliary) continue;
    const auto truth = read_true_depth(dataset_dir / "truth" / camera.name / "depth.npy");
    if (!truth) continue;
    const auto map = std::ranges::find(maps, camera.name, &DepthMap::camera);
    scores.push_back({camera.name, score_camera(map == maps.end() ? nullptr : &*map, camera.name, *truth)});
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
    if (!values.empty()) {
      metric.value = median_in_place(values);
      metric.reason.clear();
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
    text += score.camera;
    for (const auto& [name, metric] : score.metrics)
      text += metric.value ? fmt::format(",{}", *metric.value) : std::string(",");
    text += "\n";
  }
  return text;
}

}  // namespace aqbench
