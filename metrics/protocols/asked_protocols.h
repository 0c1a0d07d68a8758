#pragma once
// Protocols that a run computes beside its own metrics, and their numbers as metrics of a record.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "metrics/protocols/cloud_protocols.h"
#include "metrics/protocols/file_protocols.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {

// A protocol with its knobs: "dtu" or "dtu:thinning_m=0.0005:thresholds_m=0.001,0.002".
struct AskedProtocol {
  const CloudProtocol* protocol = nullptr;
  CloudKnobs knobs;
};

// Reads one of them. Throws Error(usage) naming protocol or knob.
AskedProtocol parse_protocol(std::string_view text);

// Reads several, separated by blanks, but those of files (parse_file_protocols()). Throws Error(usage) also
// for an unknown one, and for one that comes twice: its numbers would have one name.
std::vector<AskedProtocol> parse_protocols(std::string_view text);

// Returns the knobs of NAME or NAME:KNOB=VALUE at one threshold: the first of thresholds_m, else the
// protocol's headline. Throws as parse_protocol().
CloudKnobs headline_knobs(std::string_view text, std::span<const double> thresholds_m = {});

// Returns the metrics of a protocol: what is published of it, at each of its thresholds.
std::vector<ProtocolMetric> metrics_of(const AskedProtocol& asked);

// Returns those metrics' values in the same order.
MetricSet protocol_metrics(const AskedProtocol& asked, const ProtocolResult& result);

// Returns the metrics of all protocols at their headline thresholds, which tables and sites show.
const std::vector<ProtocolMetric>& headline_protocol_metrics();

// Finds what a name of metrics_of(), of clouds or files, means, at any threshold and whatever the knobs;
// nullopt for another name.
std::optional<ProtocolMetric> find_protocol_metric(std::string_view name);

}  // namespace aqbench
