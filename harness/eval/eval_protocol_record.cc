#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/sha256.h"
#include "harness/eval/eval_cloud.h"
#include "harness/eval/eval_protocol.h"

namespace aqbench {
namespace {

// Names of metrics have no dashes and no powers: "video_depth_delta_1.25_2", "poses_auc_5deg".
std::string metric_name(const ShownProtocol& protocol, const ProtocolValue& value) {
  std::string name = protocol.name + '_' + value.name;
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
        "psnr", "ssim", "maa", "clusterness", "score", "aurg"})
    if (has(part)) return Better::higher;
  for (const char* const whole : {"scale", "shift", "pixels", "images", "pairs", "poses", "segments"})
    if (name == whole) return Better::equal;
  return Better::lower;
}

// Of a folder the hash of the hashes of its files, with their names.
std::string output_sha256(const std::string& path) {
  const FilesByName files = files_at(path);
  if (files.contains("")) return sha256_file_hex(path);
  std::string all;
  for (const auto& [name, file] : files) all += name + ' ' + sha256_file_hex(file) + '\n';
  return sha256_hex(all);
}

}  // namespace

Results protocol_results(const ShownProtocol& protocol, const EvalRequest& asked, const Arguments& arguments,
                         const std::vector<std::string>& notes) {
  Scene scene;
  scene.name = std::filesystem::path(asked.cloud.truth_files[0]).stem().string();
  Json effective = {{"protocol", protocol.name}, {"knobs", protocol.knobs}, {"notes", notes}};
  std::string knobs;
  for (const std::string& knob : asked.protocol.knobs) knobs += (knobs.empty() ? "; knobs " : ", ") + knob;
  MetricSet metrics;
  for (const ProtocolValue& value : protocol.result) {
    const std::string name = metric_name(protocol, value);
    metrics.emplace_back(name, Metric{value.value, value.unit, better_of(value.name), value.reason});
    effective["definitions"][name] =
        fmt::format("{} by protocol {} ({}){}", value.name, protocol.name, protocol.source, knobs);
  }
  Record record = eval_record(scene, asked.cloud.cloud_file, std::move(metrics), {});
  record.output_sha256 = output_sha256(asked.cloud.cloud_file);
  for (const std::string& knob : asked.protocol.knobs) {
    const std::size_t equals = knob.find('=');
    record.options.emplace_back(protocol.name + '.' + knob.substr(0, equals), knob.substr(equals + 1));
  }
  return eval_results(std::move(record), arguments, asked.cloud.host, std::move(effective));
}

}  // namespace aqbench
