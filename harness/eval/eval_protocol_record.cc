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

// The metrics of a protocol, with their definitions.
MetricSet metrics_of(const ShownProtocol& protocol, const std::string& knobs, Json& definitions) {
  if (protocol.asked) {
    for (const ProtocolMetric& metric : metrics_of(*protocol.asked))
      definitions[metric.name] = metric.definition;
    return protocol_metrics(*protocol.asked, protocol.result);
  }
  MetricSet metrics = file_protocol_metrics(protocol.name, protocol.result);
  for (std::size_t i = 0; i < metrics.size(); ++i)
    definitions[metrics[i].first.text()] =
        definition_of(protocol.result[i], protocol.name, protocol.source, knobs);
  return metrics;
}

}  // namespace

Results protocol_results(const std::vector<ScoredFile>& files, const EvalRequest& asked,
                         const Arguments& arguments, const std::vector<std::string>& notes) {
  Json effective = {{"notes", notes}, {"definitions", Json::object()}};
  std::string knobs;
  for (const std::string& knob : asked.protocol.knobs) knobs += (knobs.empty() ? "" : ", ") + knob;
  std::vector<Record> records;
  for (const ScoredFile& file : files) {
    Scene scene;
    scene.name = file.scene;
    Record record = eval_record(scene, file.of_case, file.file, {}, asked.cloud.host.geometries);
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
