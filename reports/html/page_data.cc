#include "reports/html/page_data.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/drawing/colour_map.h"
#include "harness/measuring/timing.h"
#include "harness/records/numbers.h"
#include "metrics/score_options.h"
#include "reports/content/case_columns.h"
#include "reports/content/commands.h"
#include "reports/content/environment_text.h"
#include "reports/content/verdict_text.h"

namespace aqbench {
namespace {

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

// The metrics that any record has, in the order of the registry, then those that it does not know.
std::vector<std::string> metric_names(const Results& results) {
  std::map<std::string, bool> known;
  std::vector<std::string> names, foreign;
  for (const Record& record : results.records)
    for (const auto& [name, metric] : record.metrics)
      if (known.emplace(name, true).second) foreign.push_back(name);
  for (const MetricSpec& spec : metric_registry())
    if (known.contains(spec.name)) names.push_back(spec.name);
  for (const std::string& name : foreign)
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

// What is better of a metric: its direction, or the ideal that it should be near.
std::string better_of(const std::string& name, const Metric& metric) {
  const auto ideal = metric.better == Better::equal ? metric_ideal(name) : std::nullopt;
  return ideal ? fmt::format("near {:g} is better", *ideal) : to_string(metric.better);
}

// Metrics of protocols are defined by the run, with their knobs.
std::string definition_in(const Results& results, const std::string& name) {
  std::string definition = metric_definition(name);
  const Json& effective = *results.run.effective;
  if (!definition.empty() || !effective.is_object() || !effective.contains("definitions")) return definition;
  const auto found = effective.at("definitions").find(name);
  return found != effective.at("definitions").end() && found->is_string() ? found->get<std::string>() : "";
}

Json metrics_json(const Results& results, const std::vector<std::string>& names) {
  std::map<std::string, const Metric*> first;
  for (const Record& record : results.records)
    for (const auto& [name, metric] : record.metrics) first.emplace(name, &metric);
  Json list = Json::array();
  for (const std::string& name : names)
    list.push_back(
        {name, first.at(name)->unit, better_of(name, *first.at(name)), definition_in(results, name)});
  return list;
}

void add_values(const Record& record, const std::vector<std::string>& names, Json& at) {
  Json values = Json::array(), why = Json::object();
  for (const std::string& name : names) {
    const Metric* const metric = find_metric(record.metrics, name);
    values.push_back(metric == nullptr ? Json(nullptr) : number_or_null(metric->value));
    if (metric != nullptr && !metric->value) why[name] = metric->reason;
  }
  at["values"] = record.metrics.empty() ? Json::array() : std::move(values);
  if (!why.empty()) at["why"] = std::move(why);
}

Json case_json(const Record& record, const std::string& label, const std::vector<std::string>& names) {
  Json at = {{"name", record.case_name},
             {"scene", record.scene},
             {"label", label},
             {"status", to_string(record.status)}};
  if (has_free_scale(record)) at["free_scale"] = true;
  if (!record.reason.empty()) at["reason"] = record.reason;
  for (const InjectedFault& fault : record.injected)
    at["injected"].push_back(fmt::format("{} in stage {}, {} times", fault.effect, fault.stage, fault.times));
  add_values(record, names, at);
  if (const auto ms = typical_ms(record.timing)) at["time_ms"] = *ms;
  Json options = Json::array();
  for (const auto& [name, value] : record.options) options.push_back(name + " = " + to_string(value));
  for (const auto& [name, value] : record.defaults)
    options.push_back(name + " = " + to_string(value) + " (default)");
  if (!options.empty()) at["options"] = std::move(options);
  if (!is_imported(record))
    at["command"] = shell_join({"aqbench", "replay", ".", "--case", record.case_name});
  return at;
}

Json gate_json(const BundleContent& content) {
  Json rows = Json::array();
  if (content.gated)
    for (const VerdictRow& row : content.gated->rows)
      if (!row.metric.empty())
        rows.push_back({row.case_name, row.metric, verdict_label(row), number_or_null(row.baseline)});
  return rows;
}

}  // namespace

Json scale_colours_json() {
  Json of_signs = Json::array(), of_sizes = Json::array();
  for (int step = 0; step < kColourSteps; ++step) {
    of_signs.push_back(hex_of(diverging_colour(step)));
    of_sizes.push_back(hex_of(sequential_colour(step)));
  }
  return {{"signed", std::move(of_signs)}, {"size", std::move(of_sizes)}};
}

Json add_photographs(const std::map<std::string, std::vector<ReportPicture>>& photographs,
                     PageBlocks& blocks) {
  std::map<std::string_view, std::size_t> numbers;
  Json of_cases = Json::object();
  for (const auto& [case_name, pictures] : photographs)
    for (const ReportPicture& picture : pictures) {
      const auto [place, is_new] = numbers.emplace(picture.bytes, numbers.size());
      if (is_new) blocks.emplace_back(fmt::format("photograph-{}", place->second), picture.bytes);
      of_cases[case_name][picture.camera] = {place->second, picture.every_px};
    }
  return of_cases;
}

std::size_t block_bytes(const PageBlocks& blocks) {
  std::size_t bytes = 0;
  for (const auto& [id, content] : blocks) bytes += content.size();
  return bytes;
}

std::string page_data_json(const BundleContent& content, const std::map<std::string, JsonBox>& stacks,
                           Json photographs) {
  const Results& results = content.results;
  const std::vector<std::string> names = metric_names(results);
  const CaseNames labels = name_cases(results);
  Json cases = Json::array();
  for (const Record& record : results.records) {
    cases.push_back(case_json(record, labels.of.at(record.case_name).whole(), names));
    if (const auto found = stacks.find(record.case_name); found != stacks.end())
      cases.back()["stacks"] = *found->second;
  }
  const Json data = {{"reproduce", reproduce_command(results.run)},
                     {"metrics", metrics_json(results, names)},
                     {"cases", std::move(cases)},
                     {"gate", gate_json(content)},
                     {"colours", scale_colours_json()},
                     {"photographs", std::move(photographs)}};
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace aqbench
