#include "reports/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/case_groups.h"
#include "reports/environment_text.h"
#include "reports/markdown.h"
#include "reports/strict_json.h"
#include "reports/table.h"
#include "scenes/core/error.h"

namespace aqbench {
namespace {

constexpr std::string_view kVersionLead = "<!-- aqbench summary ";
constexpr std::string_view kVersionTail = " -->";

std::string header_lines(const Results& results) {
  const RunInfo& run = results.run;
  std::string text = fmt::format("# aqbench run {}\n\n", md_escape(run.id));
  text += run.suite.empty() ? "- suite: none, cases chosen by hand\n"
                            : fmt::format("- suite: {}\n", md_escape(run.suite));
  text += fmt::format("- UTC: {} to {}\n", md_escape(run.started_utc), md_escape(run.finished_utc));
  text += run.complete ? fmt::format("- complete: {} cases\n", results.records.size())
                       : fmt::format("- **interrupted**: {} of {} cases have a record\n",
                                     results.records.size(), run.planned_cases);
  text += fmt::format("- root digest: `{}`\n- metrics digest: `{}`\n", root_digest(results),
                      metrics_digest(results));
  text += fmt::format("- plan: `{}`\n", md_escape(run.plan_sha256));
  return text + fmt::format("- environment: {}\n", md_escape(environment_line(results.environment_json)));
}

std::string simulated_note(const Results& results) {
  std::set<std::string> methods;
  for (const Record& record : results.records)
    if (record.simulated) methods.insert(record.method);
  if (methods.empty()) return "";
  std::string names;
  for (const std::string& name : methods) names += (names.empty() ? "" : ", ") + md_escape(name);
  return fmt::format(
      "\nSimulated: {} saw the true surface and drew points from it with noise; these rows measure the\n"
      "evaluation, not a reconstruction method.\n",
      names);
}

std::string metric_cell(const Record& record, const std::string& name) {
  const Metric* const metric = find_metric(record.metrics, name);
  if (metric == nullptr) return record.status == Status::ok ? "n/a (not measured)" : "";
  if (!metric->value) return fmt::format("n/a ({})", md_escape(metric->reason));
  return table_number(*metric->value);
}

std::string cases_table(const Results& results) {
  std::vector<std::string> titles = {"case", "status"};
  for (const HeadlineMetric& metric : headline_metrics()) titles.emplace_back(metric.title);
  titles.emplace_back("time [ms]");
  std::string text = "\n## Cases\n\n" + md_head(titles, 2);
  for (const Record& record : results.records) {
    std::vector<std::string> cells = {md_escape(record.case_name), to_string(record.status)};
    if (record.simulated) cells[0] += " (simulated)";
    for (const HeadlineMetric& metric : headline_metrics()) cells.push_back(metric_cell(record, metric.name));
    const auto time = time_ms(record.timing);
    cells.push_back(time ? table_number(*time) : "n/a");
    text += md_row(cells);
  }
  return text;
}

std::string spread_cell(const std::optional<Spread>& spread) {
  if (!spread) return "n/a";
  if (!spread->standard_deviation) return table_number(spread->mean);
  return table_number(spread->mean) + " ± " + table_number(*spread->standard_deviation);
}

std::string seeds_table(const Results& results) {
  const auto groups = group_cases(results);
  if (std::ranges::none_of(groups, [](const CaseGroup& group) { return group.records.size() > 1; }))
    return "";
  std::vector<std::string> titles = {"scene", "method", "axes", "seeds"};
  for (const HeadlineMetric& metric : headline_metrics()) titles.emplace_back(metric.title);
  titles.emplace_back("time [ms]");
  std::string text = "\n## Across seeds\n\nMean ± sample standard deviation over the cases that are ok.\n\n";
  text += md_head(titles, 3);
  for (const CaseGroup& group : groups) {
    std::vector<std::string> cells = {md_escape(group.scene), md_escape(group.method), md_escape(group.axes)};
    cells.push_back(fmt::format("{} of {}", ok_count(group), group.records.size()));
    for (const HeadlineMetric& metric : headline_metrics())
      cells.push_back(spread_cell(metric_spread(group, metric.name)));
    cells.push_back(spread_cell(time_spread(group)));
    text += md_row(cells);
  }
  return text;
}

std::string failures_list(const Results& results) {
  std::string text;
  for (const Record& record : results.records)
    if (record.status != Status::ok)
      text += fmt::format("- {}: {}: {}\n", md_escape(record.case_name), to_string(record.status),
                          md_escape(record.reason));
  return text.empty() ? "" : "\n## Not ok\n\n" + text;
}

std::string injected_list(const Results& results) {
  std::string text;
  for (const Record& record : results.records)
    for (const InjectedFault& fault : record.injected)
      text += fmt::format("- {}: {} in stage {}, {} times\n", md_escape(record.case_name),
                          md_escape(fault.effect), md_escape(fault.stage), fault.times);
  return text.empty()
             ? ""
             : "\n## Injected faults\n\nPut in with --inject to test the harness; such results are no "
               "evidence of quality.\n\n" +
                   text;
}

std::string environment_list(const Results& results) {
  std::string text = "\n## Environment\n\n";
  for (const auto& [name, value] : environment_items(results.environment_json))
    if (!name.starts_with("comparability.") && !value.empty())  // says the same once more, for programs
      text += fmt::format("- {}: {}\n", md_escape(name), md_escape(value));
  return text;
}

// The command is made of ASCII letters and quotes; a fence of four cannot be closed by a name with three.
std::string reproduce_section(const Results& results) {
  return fmt::format(
      "\n## Reproduce\n\n````sh\n{}\n````\n\nTolerances compare with <=. Distances go to the true "
      "surface, which goes on beyond the scored patch.\nnull values and all other metrics: results.json; "
      "hashes: `aqbench "
      "verify DIR` or `sha256sum -c sha256.txt`.\n",
      reproduce_command(results.run));
}

}  // namespace

std::optional<int> summary_version(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!line.starts_with(kVersionLead) || !line.ends_with(kVersionTail)) return std::nullopt;
  const std::string_view digits =
      line.substr(kVersionLead.size(), line.size() - kVersionLead.size() - kVersionTail.size());
  int version = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  if (status != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return version;
}

std::string render_summary(const Results& results) {
  return fmt::format("{}{}{}\n", kVersionLead, kSummaryVersion, kVersionTail) + header_lines(results) +
         simulated_note(results) + cases_table(results) + seeds_table(results) + failures_list(results) +
         injected_list(results) + reproduce_section(results) + environment_list(results);
}

}  // namespace aqbench
