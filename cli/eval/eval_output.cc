#include "cli/eval/eval_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/parallel.h"
#include "core/sha256.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/measuring/environment.h"
#include "harness/records/results.h"
#include "metrics/registry.h"
#include "metrics/score_options.h"
#include "reports/bundle/bundle.h"
#include "reports/content/case_columns.h"

namespace aqbench::cli {
namespace {

// Returns the definition with the side that this truth has.
std::string definition_with(const std::string& metric, const std::string& positive_side) {
  std::string definition = metric_definition(metric);
  if (const std::size_t place = definition.find(kTowardsCameras); place != std::string::npos)
    definition.replace(place, std::string_view(kTowardsCameras).size(), positive_side);
  return definition;
}

}  // namespace

std::string metric_name_at(std::string row, double tolerance_m) {
  return row.replace(row.find("{t}"), 3, fmt::format("{:g}", tolerance_m * 1000));
}

Record eval_record(const Scene& scene, const std::string& file, MetricSet metrics) {
  Record record;
  record.scene = scene.name;
  record.method = "eval";
  record.case_name = fmt::format("{}/eval/{}", scene.name, file);
  record.status = Status::ok;
  for (const auto& [name, value] : scene.parameters.items())
    (scene.parameters.is_default(name) ? record.defaults : record.options)
        .emplace_back(scene.name + "." + name, value);
  record.metrics = std::move(metrics);
  record.output_sha256 = sha256_file_hex(file);
  return record;
}

std::string eval_results_text(Record record, const Json& requested, Json effective,
                              const std::string& positive_side) {
  effective["threads"] = thread_count();
  for (const auto& [name, metric] : record.metrics)
    if (const std::string& definition = definition_with(name, positive_side); !definition.empty())
      effective["definitions"][name] = definition;
  Results results;
  results.run.id = bundle_stamp(std::chrono::system_clock::now());
  results.run.suite = "eval";
  results.run.started_utc = results.run.finished_utc = utc_now();
  results.run.complete = true;
  results.run.planned_cases = 1;
  results.run.requested = requested;
  results.run.effective = std::move(effective);
  results.environment = environment_json({.threads = thread_count(), .dtype = "float64"});
  results.records = {std::move(record)};
  return results_text(results);
}

void print_metrics(const MetricSet& metrics, bool all, const std::string& positive_side) {
  MetricSet headline;
  const MetricSet* const cases[] = {&metrics};
  for (const MetricColumn& column : metric_columns(cases))
    headline.emplace_back(column.metric, *find_metric(metrics, column.metric));
  if (!all && !headline.empty()) {
    print_metrics(headline, true, positive_side);
    fmt::print("and {}: --all\n", counted(metrics.size() - headline.size(), "more metric"));
    return;
  }
  Table table;
  table.columns = {{"metric"}, {"value", Align::right}, {"unit"}, {"definition", Align::left, true}};
  for (const auto& [name, metric] : metrics) {
    table.rows.push_back({{name},
                          {metric.value ? fmt::format("{:.6g}", *metric.value) : "n/a"},
                          {metric.unit == "1" ? "" : metric.unit},
                          {metric.value ? definition_with(name, positive_side) : metric.reason.text()}});
  }
  fmt::print("{}", render_table(table, wants_colours(STDOUT_FILENO), screen_columns(STDOUT_FILENO)));
}

}  // namespace aqbench::cli
