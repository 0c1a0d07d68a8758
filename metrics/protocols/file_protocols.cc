#include "metrics/protocols/file_protocols.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numeric>

#include "core/error.h"
#include "core/text.h"
#include "metrics/protocols/depth_protocols.h"
#include "metrics/protocols/point_maps.h"
#include "metrics/protocols/pose_protocol.h"
#include "metrics/protocols/pose_sets.h"
#include "metrics/protocols/view_images.h"

namespace aqbench {
namespace {

// ---- Made-up numbers, of which names and units are asked ----

constexpr std::size_t kSide = 16, kPixels = kSide * kSide;

std::vector<float> slope(std::size_t count, float first, float last) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = first + (last - first) * static_cast<float>(i) / static_cast<float>(count);
  return values;
}

std::vector<CameraPose> curve_of_poses() {
  std::vector<CameraPose> poses(6);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const auto at = static_cast<double>(i);
    poses[i].position_m = {at, at * at, at * at * at};
  }
  return poses;
}

ProtocolResult depths_of_sample(const DepthKnobs& knobs) {
  const std::vector<float> depths = slope(kPixels, 1, 2);
  const DepthMapPair map{kSide, kSide, depths, depths, {}};
  return depth_errors(std::span(&map, 1), knobs);
}

ProtocolResult points_of_sample(const PointMapKnobs& knobs) {
  std::vector<double> points;
  std::vector<float> rays;
  for (std::size_t i = 0; i < kPixels; ++i) {
    for (const std::size_t x : {i % kSide, i / kSide, i % 7}) points.push_back(1 + static_cast<double>(x));
    rays.insert(rays.end(), {0, 0, 1});
  }
  const std::vector<float> depths = slope(kPixels, 1, 2);
  const std::vector<CameraPose> pose(1);
  return point_map_errors({1, kSide, kSide, points, points, {}, depths, depths, rays, rays, pose, pose},
                          knobs);
}

ProtocolResult images_of_sample(const ImageKnobs& knobs) {
  const std::vector<float> predicted = slope(3 * kPixels, 0, 1), truth = slope(3 * kPixels, 1, 0);
  const ImagePair image{kSide, kSide, predicted, truth, {}};
  ImageKnobs own = knobs;
  own.lpips.clear();  // networks need larger images
  ProtocolResult result = image_errors(std::span(&image, 1), own);
  if (!knobs.lpips.empty()) add_value(result, "lpips", "1", 0);
  return result;
}

ProtocolResult poses_of_sample(const PoseKnobs& knobs) {
  Trajectory trajectory{{}, curve_of_poses(), {}, false};
  trajectory.stamps_s.resize(trajectory.poses.size());
  std::iota(trajectory.stamps_s.begin(), trajectory.stamps_s.end(), 0.0);
  return pose_errors(trajectory, trajectory, knobs);
}

ProtocolResult sets_of_sample(const PoseSetKnobs& knobs) {
  PoseDataset dataset{"", {{"", {}}}};
  for (const CameraPose& pose : curve_of_poses())
    dataset.sets[0].images.push_back({fmt::format("{}", pose.position_m.x()), pose});
  return pose_set_errors(std::span(&dataset, 1), std::span(&dataset, 1), knobs);
}

// ---- Names ----

// Names of metrics have no dashes and no powers: "video_depth_delta_1.25_2", "poses_auc_5deg".
std::string metric_name(std::string_view protocol, const ProtocolValue& value) {
  std::string name = fmt::format("{}_{}", protocol, value.name);
  for (char& c : name)
    if (c == '-' || c == '^') c = '_';
  if (value.threshold) name += fmt::format("_{:g}{}", *value.threshold, value.threshold_unit);
  return name;
}

// Of most numbers less is better; counts and what a fit found are no better or worse.
Better better_of(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  for (const char* const part :
       {"auc", "recall", "racc", "tacc", "delta_", "boundary_f1", "coverage", "normals_", "inlier", "fitness",
        "psnr", "ssim", "maa", "precision", "clusterness", "score", "aurg"})
    if (has(part)) return Better::higher;
  for (const char* const whole : {"scale", "shift", "pixels", "images", "pairs", "poses", "segments",
                                  "points", "scored_points", "vertices", "triangles"})
    if (name == whole) return Better::equal;
  if (name.starts_with("bias_")) return Better::equal;
  return Better::lower;
}

// The name without its threshold: "poses_auc_#deg".
std::string without_numbers(std::string_view name) {
  const std::size_t last = name.rfind('_');
  if (last == name.npos || last + 1 == name.size() ||
      std::isdigit(static_cast<unsigned char>(name[last + 1])) == 0 ||
      std::isalpha(static_cast<unsigned char>(name.back())) == 0)
    return std::string(name);
  std::string_view unit = name.substr(last + 1);
  while (!unit.empty() && std::isalpha(static_cast<unsigned char>(unit.front())) == 0) unit.remove_prefix(1);
  return fmt::format("{}_#{}", name.substr(0, last), unit);
}

std::optional<AskedFileProtocol> find_by_name(std::string_view name) {
  for (const FileProtocolFamily& family : file_protocol_families())
    for (const FileProtocol& protocol : family.protocols)
      if (name == protocol.name) return AskedFileProtocol{&family, &protocol, protocol.setting};
  return std::nullopt;
}

}  // namespace

std::span<const FileProtocolFamily> file_protocol_families() {
  static const std::vector<FileProtocolFamily> families = {
      file_protocol_family<DepthKnobs>(FileKind::depth_maps, depth_protocols(), depth_knobs(),
                                       depths_of_sample),
      file_protocol_family<PointMapKnobs>(FileKind::point_maps, point_map_protocols(), point_map_knobs(),
                                          points_of_sample),
      file_protocol_family<ImageKnobs>(FileKind::images, image_protocols(), image_knobs(), images_of_sample),
      file_protocol_family<PoseKnobs>(FileKind::poses, pose_protocols(), pose_knobs(), poses_of_sample),
      file_protocol_family<PoseSetKnobs>(FileKind::pose_sets, pose_set_protocols(), pose_set_knobs(),
                                         sets_of_sample)};
  return families;
}

const std::string& AskedFileProtocol::value_of(std::string_view knob) const {
  const auto found = std::ranges::find(family->knobs, knob, &SearchedKnob::name);
  return setting.at(static_cast<std::size_t>(found - family->knobs.begin()));
}

std::string kind_name(FileKind kind) {
  constexpr std::array names = {"depth_maps", "point_maps", "images", "poses", "pose_sets", "calibrations"};
  return names[static_cast<std::size_t>(kind)];
}

ProtocolText protocol_text(std::string_view text) {
  const auto parts = split_at(text, ':');
  ProtocolText taken{parts.front(), {}};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string_view::npos)
      throw usage_error("protocol '{}': expected NAME:KNOB=VALUE", one_line(text));
    std::string value(parts[i].substr(equals + 1));
    const std::string_view knob = parts[i].substr(0, equals);
    while (i + 1 < parts.size() && parts[i + 1].find('=') == std::string_view::npos)  // disk:24
      value += ':' + std::string(parts[++i]);
    taken.knobs.emplace_back(knob, std::move(value));
  }
  return taken;
}

std::vector<AskedFileProtocol> parse_file_protocols(std::string_view text) {
  std::vector<AskedFileProtocol> all;
  for (const std::string_view part : split_at(text, ' ')) {
    auto asked = find_by_name(part.substr(0, part.find(':')));
    if (!asked) continue;
    if (std::ranges::find(all, asked->protocol, &AskedFileProtocol::protocol) != all.end())
      throw usage_error("protocol {} is given twice", asked->protocol->name);
    for (const auto& [knob, value] : protocol_text(part).knobs)
      asked->setting = asked->family->with(asked->setting, knob, value);
    all.push_back(*std::move(asked));
  }
  return all;
}

MetricSet file_protocol_metrics(std::string_view protocol, const ProtocolResult& result) {
  MetricSet metrics;
  for (const ProtocolValue& value : result)
    metrics.emplace_back(metric_name(protocol, value),
                         Metric{value.value, value.unit, better_of(value.name), value.reason});
  return metrics;
}

std::vector<std::pair<std::string, std::string>> changed_knobs(const AskedFileProtocol& asked) {
  std::vector<std::pair<std::string, std::string>> changed;
  for (std::size_t i = 0; i < asked.setting.size(); ++i)
    if (asked.setting[i] != asked.protocol->setting[i])
      changed.emplace_back(asked.family->knobs[i].name, asked.setting[i]);
  return changed;
}

std::string definition_of(const ProtocolValue& value, std::string_view protocol, std::string_view source,
                          std::string_view knobs) {
  return fmt::format("{} by protocol {} ({}){}{}", value.name, protocol, source,
                     knobs.empty() ? "" : "; knobs ", knobs);
}

std::vector<ProtocolMetric> metrics_of(const AskedFileProtocol& asked) {
  std::string knobs;
  for (const auto& [name, text] : changed_knobs(asked))
    knobs += fmt::format("{}{}={}", knobs.empty() ? "" : ", ", name, text);
  const ProtocolResult result = asked.family->of_sample(asked.setting);
  const MetricSet metrics = file_protocol_metrics(asked.protocol->name, result);
  std::vector<ProtocolMetric> all;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto& [name, metric] = metrics[i];
    all.push_back({name, metric.unit, metric.better,
                   definition_of(result[i], asked.protocol->name, asked.protocol->source, knobs), name});
  }
  return all;
}

std::optional<ProtocolMetric> find_file_protocol_metric(std::string_view name) {
  static const std::map<std::string, ProtocolMetric, std::less<>> known = [] {
    std::map<std::string, ProtocolMetric, std::less<>> all;
    for (const FileProtocolFamily& family : file_protocol_families())
      for (const FileProtocol& protocol : family.protocols) {
        Setting setting = protocol.setting;
        if (family.kind == FileKind::images)
          setting = family.with(setting, "lpips", "FILE#" + std::string(64, '0'));
        for (ProtocolMetric& metric : metrics_of(AskedFileProtocol{&family, &protocol, setting}))
          all.emplace(without_numbers(metric.name), std::move(metric));
      }
    return all;
  }();
  const auto found = known.find(without_numbers(name));
  if (found == known.end()) return std::nullopt;
  ProtocolMetric metric = found->second;
  metric.name = name;
  metric.title = metric.unit == "1" ? metric.name : fmt::format("{} [{}]", name, metric.unit);
  return metric;
}

}  // namespace aqbench
