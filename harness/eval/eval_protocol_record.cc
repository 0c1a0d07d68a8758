#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/sha256.h"
#include "harness/eval/eval_cloud.h"
#include "harness/eval/eval_protocol.h"
#include "harness/scoring/score_case.h"

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
  for (const char* const whole :
       {"scale", "shift", "pixels", "images", "pairs", "poses", "segments", "points", "scored_points"})
    if (name == whole) return Better::equal;
  if (name.starts_with("bias_")) return Better::equal;
  return Better::lower;
}

// The metrics of a protocol, with their definitions.
MetricSet metrics_of(const ShownProtocol& protocol, const std::string& knobs, Json& definitions) {
  if (protocol.asked) {
    for (const ProtocolMetric& metric : metrics_of(*protocol.asked))
      definitions[metric.name] = metric.definition;
    return protocol_metrics(*protocol.asked, protocol.result);
  }
  MetricSet metrics;
  for (const ProtocolValue& value : protocol.result) {
    const std::string name = metric_name(protocol, value);
    metrics.emplace_back(name, Metric{value.value, value.unit, better_of(value.name), value.reason});
    definitions[name] =
        fmt::format("{} by protocol {} ({}){}", value.name, protocol.name, protocol.source, knobs);
  }
  return metrics;
}

}  // namespace

Results protocol_results(const std::vector<ScoredFile>& files, const EvalRequest& asked,
                         const Arguments& arguments, const std::vector<std::string>& notes) {
  Json effective = {{"notes", notes}, {"definitions", Json::object()}};
  std::string knobs;
  for (const std::string& knob : asked.protocol.knobs) knobs += (knobs.empty() ? "; knobs " : ", ") + knob;
  std::vector<Record> records;
  for (const ScoredFile& file : files) {
    Scene scene;
    scene.name = file.scene;
    Record record = eval_record(scene, file.file, {}, asked.cloud.host.geometries);
    if (file.method != record.method || file.seed) {
      record.method = file.method;
      record.case_name = fmt::format("{}/{}", file.scene, file.method);
      if (file.seed) {
        record.case_name += fmt::format("/seed={}", *file.seed);
        record.axes.emplace_back("seed", static_cast<std::int64_t>(*file.seed));
      }
    }
    for (const ShownProtocol& protocol : file.protocols) {
      effective["protocols"][protocol.name] = protocol.knobs;
      add_metrics(metrics_of(protocol, knobs, effective["definitions"]), record.metrics);
      for (const std::string& knob : asked.protocol.knobs) {
        const std::size_t equals = knob.find('=');
        record.options.emplace_back(protocol.name + '.' + knob.substr(0, equals), knob.substr(equals + 1));
      }
    }
    records.push_back(std::move(record));
  }
  return eval_results(std::move(records), arguments, asked.cloud.host, std::move(effective));
}

}  // namespace aqbench
