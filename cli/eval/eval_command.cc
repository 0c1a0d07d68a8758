#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "cli/command.h"
#include "cli/eval/eval_given.h"
#include "cli/unplanned_bundle.h"
#include "core/parallel.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/eval/eval.h"
#include "harness/measuring/environment.h"
#include "metrics/metric.h"
#include "pipeline/external/given.h"
#include "reports/content/case_columns.h"
#include "scenes/dataset/dataset.h"

namespace aqbench::cli {
namespace {

// In colours and as wide as the terminal.
void print_table(const Table& table) {
  fmt::print("{}", render_table(table, wants_colours(STDOUT_FILENO), screen_columns(STDOUT_FILENO)));
}

// Prints name, value, unit and definition of each metric, or why it has no value: of all of them, or of those
// that summaries show (metrics/registry.h) and how many more there are. Where summaries show none of them,
// all are printed.
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
  for (const auto& [name, metric] : metrics)
    table.rows.push_back({{name},
                          {metric.value ? fmt::format("{:.6g}", *metric.value) : "n/a"},
                          {metric.unit == "1" ? "" : metric.unit},
                          {metric.value ? definition_with(name, positive_side) : metric.reason.text()}});
  print_table(table);
}

void print_answer(const EvalAnswer& answer) {
  fmt::print("{}", answer.json);
  for (const auto& block : answer.shown) {
    if (const auto* const text = std::get_if<std::string>(&block))
      fmt::print("{}", *text);
    else if (const auto* const table = std::get_if<Table>(&block))
      print_table(*table);
    else if (const auto* const metrics = std::get_if<MetricTable>(&block))
      print_metrics(answer.metrics, metrics->all, metrics->positive_side);
  }
}

// What a pattern names, as the user would name it.
std::vector<FoundFile> files_named(const std::string& pattern) {
  std::vector<FoundFile> found;
  const std::filesystem::path here = std::filesystem::current_path();
  for (const PatternFile& file : files_of_pattern(here, pattern, {}, nullptr, true))
    found.push_back({file.file.lexically_proximate(here).string(), file.values});
  return found;
}

}  // namespace

ExitCode eval_command(const Arguments& arguments) {
  const EvalRequest request = eval_request(arguments);
  if (request.mode == kEvalGiven) return eval_given(request, arguments);
  const auto& out = request.into_bundle.out;
  if (out) require_free_folder(*out);
  EvalAnswer answer = eval_answer(
      request, arguments,
      {.tell = [](const std::string& line) { fmt::print(stderr, "{}\n", line); },
       .environment =
           [] { return JsonBox(environment_json({.threads = thread_count(), .dtype = "float64"})); },
       .writes_bundles = true,
       .find_files = files_named});
  print_answer(answer);
  if (!out) return ExitCode::pass;
  return write_unplanned_bundle(
      {.command = "eval", .arguments = arguments, .out = {}, .resumable = false, .bundle = out},
      *std::move(answer.results), {}, request.cloud.json ? stderr : stdout);
}

}  // namespace aqbench::cli
