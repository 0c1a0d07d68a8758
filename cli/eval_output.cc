#include "cli/eval_output.h"

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
#include "reports/bundle/bundle.h"

namespace aqbench::cli {
namespace {

const std::string& definition_of(const std::string& metric) {
  static const std::string none;
  const auto& registry = metric_registry();
  const auto found = std::ranges::find(registry, metric, &MetricSpec::name);
  return found == registry.end() ? none : found->definition;
}

}  // namespace

Record eval_record(const Scene& scene, const std::string& file, MetricSet metrics) {
  Record record;
  record.scene = scene.name;
  record.method = "eval";
  record.case_name = fmt::format("{}/eval/{}", scene.name, file);
  record.status = Status::ok;
  for (const auto& [name, value] : scene.parameters.items())
    record.options.emplace_back(scene.name + "." + name, value);
  record.metrics = std::move(metrics);
  record.output_sha256 = sha256_file_hex(file);
  return record;
}

std::string eval_results_text(Record record, const Json& requested, Json effective) {
  effective["threads"] = thread_count();
  for (const auto& [name, metric] : record.metrics)
    if (const std::string& definition = definition_of(name); !definition.empty())
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

void print_metrics(const MetricSet& metrics) {
  Table table;
  table.columns = {{"metric"}, {"value", Align::right}, {"unit"}, {"definition", Align::left, true}};
  for (const auto& [name, metric] : metrics) {
    table.rows.push_back({{name},
                          {metric.value ? fmt::format("{:.6g}", *metric.value) : "n/a"},
                          {metric.unit == "1" ? "" : metric.unit},
                          {metric.value ? definition_of(name) : metric.reason}});
  }
  fmt::print("{}", render_table(table, wants_colours(STDOUT_FILENO)));
}

}  // namespace aqbench::cli
