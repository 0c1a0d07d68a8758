#include "metrics/protocols/asked_protocols.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/parameters.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr double kMmPerM = 1000, kPercent = 100;

// "tanks_and_temples": names of metrics have no dashes.
std::string prefix_of(const CloudProtocol& protocol) {
  std::string prefix = protocol.name;
  std::ranges::replace(prefix, '-', '_');
  return prefix;
}

bool is_share(std::string_view number) {
  return number == "precision" || number == "recall" || number == "f_score";
}

std::string knobs_text(const CloudKnobs& knobs) {
  std::string text;
  const CloudKnobs usual;
  for (const CloudKnob& knob : cloud_knobs())
    if (knob.text(knobs) != knob.text(usual))
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", knob.name, knob.text(knobs));
  return text;
}

ProtocolMetric metric_of(const AskedProtocol& asked, const PublishedNumber& number,
                         std::optional<double> threshold_m) {
  const CloudProtocol& protocol = *asked.protocol;
  ProtocolMetric metric;
  metric.unit = threshold_m ? "%" : "mm";
  metric.better = threshold_m ? Better::higher : Better::lower;
  std::string what(number.name), at;
  if (threshold_m) at = fmt::format("{:g}mm", *threshold_m * kMmPerM);
  metric.name = threshold_m ? fmt::format("{}_{}_{}_pct", prefix_of(protocol), what, at)
                            : fmt::format("{}_{}_mm", prefix_of(protocol), what);
  std::ranges::replace(what, '_', ' ');
  if (threshold_m) what += fmt::format(" {:g} mm", *threshold_m * kMmPerM);
  metric.title = fmt::format("{} {} [{}]", protocol.name, what, metric.unit);
  metric.definition = fmt::format("{} by protocol {} ({}); knobs {}", what, protocol.name, number.label,
                                  knobs_text(asked.knobs));
  return metric;
}

// Calls take(number, threshold) for each metric of a protocol.
template <class Take>
void for_each_number(const AskedProtocol& asked, const Take& take) {
  for (const PublishedNumber& number : asked.protocol->published) {
    if (!is_share(number.name)) {
      take(number, std::optional<double>());
      continue;
    }
    for (const double threshold_m : asked.knobs.thresholds_m) take(number, std::optional(threshold_m));
  }
}

}  // namespace

AskedProtocol parse_protocol(std::string_view text) {
  const ProtocolText taken = protocol_text(text);
  if (std::ranges::find(cloud_protocols(), taken.name, &CloudProtocol::name) == cloud_protocols().end()) {
    std::vector<std::string> names = names_of(cloud_protocols());
    for (const FileProtocolFamily& family : file_protocol_families())
      for (const FileProtocol& protocol : family.protocols) names.emplace_back(protocol.name);
    throw usage_error("{}", unknown_name_message("protocol", taken.name, names));
  }
  AskedProtocol asked{&find_cloud_protocol(taken.name), {}};
  asked.knobs = knobs_at(*asked.protocol);
  for (const auto& [knob, value] : taken.knobs) set_cloud_knob(asked.knobs, knob, value);
  check(asked.knobs);
  return asked;
}

CloudKnobs headline_knobs(std::string_view text, std::span<const double> thresholds_m) {
  const AskedProtocol asked = parse_protocol(text);
  const double threshold_m =
      thresholds_m.empty() ? asked.protocol->headline_threshold_m : thresholds_m.front();
  CloudKnobs knobs = asked.knobs;
  knobs.thresholds_m = {threshold_m};
  // Voxels follow the threshold unless they were given.
  if (knobs.voxel_m == knobs_at(*asked.protocol).voxel_m)
    knobs.voxel_m = knobs_at(*asked.protocol, knobs.thresholds_m).voxel_m;
  return knobs;
}

std::vector<AskedProtocol> parse_protocols(std::string_view text) {
  std::vector<AskedProtocol> all;
  for (const std::string_view part : split_at(text, ' ')) {
    if (part.empty() || !parse_file_protocols(part).empty()) continue;
    all.push_back(parse_protocol(part));
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      if (all[i].protocol == all.back().protocol)
        throw usage_error("protocol {} is given twice", all.back().protocol->name);
  }
  return all;
}

std::vector<ProtocolMetric> metrics_of(const AskedProtocol& asked) {
  std::vector<ProtocolMetric> metrics;
  for_each_number(asked, [&](const PublishedNumber& number, std::optional<double> threshold_m) {
    metrics.push_back(metric_of(asked, number, threshold_m));
  });
  return metrics;
}

MetricSet protocol_metrics(const AskedProtocol& asked, const ProtocolResult& result) {
  MetricSet metrics;
  for_each_number(asked, [&](const PublishedNumber& number, std::optional<double> threshold_m) {
    const ProtocolMetric known = metric_of(asked, number, threshold_m);
    Metric metric{{}, known.unit, known.better, {}};
    const ProtocolValue* const value = find_value(result, number.name, threshold_m);
    if (value != nullptr && value->value)
      metric.value = *value->value * (threshold_m ? kPercent : kMmPerM);
    else
      metric.reason = value == nullptr ? std::string("the protocol gives no such number") : value->reason;
    metrics.emplace_back(known.name, std::move(metric));
  });
  return metrics;
}

const std::vector<ProtocolMetric>& headline_protocol_metrics() {
  static const std::vector<ProtocolMetric> all = [] {
    std::vector<ProtocolMetric> metrics;
    for (const CloudProtocol& protocol : cloud_protocols())
      for (ProtocolMetric& metric :
           metrics_of({&protocol, knobs_at(protocol, std::span(&protocol.headline_threshold_m, 1))}))
        metrics.push_back(std::move(metric));
    return metrics;
  }();
  return all;
}

std::optional<ProtocolMetric> find_protocol_metric(std::string_view name) {
  // Most names are of other metrics, and a run may have millions.
  static const std::vector<std::string> prefixes = [] {
    std::vector<std::string> all;
    for (const CloudProtocol& protocol : cloud_protocols()) all.push_back(prefix_of(protocol) + "_");
    return all;
  }();
  if (std::ranges::none_of(prefixes, [&](const std::string& prefix) { return name.starts_with(prefix); }))
    return find_file_protocol_metric(name);
  for (const CloudProtocol& protocol : cloud_protocols())
    for (const PublishedNumber& number : protocol.published) {
      AskedProtocol asked{&protocol, knobs_at(protocol)};
      if (!is_share(number.name)) {
        if (ProtocolMetric metric = metric_of(asked, number, {}); metric.name == name) return metric;
        continue;
      }
      const std::string start = fmt::format("{}_{}_", prefix_of(protocol), number.name);
      constexpr std::string_view end = "mm_pct";
      if (!name.starts_with(start) || !name.ends_with(end)) continue;
      const auto threshold_mm =
          parse_double(name.substr(start.size(), name.size() - start.size() - end.size()));
      if (!threshold_mm || !(*threshold_mm > 0)) continue;
      if (ProtocolMetric metric = metric_of(asked, number, *threshold_mm / kMmPerM); metric.name == name)
        return metric;
    }
  return std::nullopt;
}

}  // namespace aqbench
