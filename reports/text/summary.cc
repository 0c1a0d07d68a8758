#include "reports/text/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json.h"
#include "core/text.h"
#include "harness/measuring/timing.h"
#include "harness/records/numbers.h"
#include "harness/statistics/summary.h"
#include "reports/content/case_columns.h"
#include "reports/content/environment_text.h"
#include "reports/content/method_tables.h"
#include "reports/content/narrative.h"
#include "reports/text/tables.h"
#include "reports/text/verdict_table.h"

namespace aqbench {
namespace {

// The most rows of one table or list: a large sweep would fill hundreds of megabytes.
constexpr std::size_t kMaxSummaryRows = 5000;

std::string more_rows(std::size_t all) {
  return all > kMaxSummaryRows ? fmt::format("\nand {} more: results.json\n", all - kMaxSummaryRows) : "";
}

// Title: suite, date, the user's commit.
std::string header_lines(const Results& results) {
  const RunInfo& run = results.run;
  std::string text = fmt::format("# {}\n\n", md_escape(run_title(results)));
  if (!run.complete)
    text += fmt::format("- **interrupted**: {} of {} cases have a record\n", results.records.size(),
                        run.planned_cases);
  for (const std::string& line : guest_lines(results))
    text += fmt::format("- program of {}\n", md_escape(line));
  return text;
}

// What a doubter asks for.
std::string evidence_lines(const Results& results) {
  const RunInfo& run = results.run;
  std::string text = fmt::format("\n## Evidence\n\n- run: {}\n- UTC: {} to {}\n", md_escape(run.id),
                                 md_escape(run.started_utc), md_escape(run.finished_utc));
  text += fmt::format("- root digest: `{}`\n- metrics digest: `{}`\n- plan: `{}`\n", root_digest(results),
                      metrics_digest(results), md_escape(run.plan_sha256));
  if (const std::string isolation = isolation_line(results); !isolation.empty())
    text += fmt::format("- isolation of methods: {}\n", md_escape(isolation));
  return text + fmt::format("- environment: {}\n", md_escape(environment_line(*results.environment)));
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
  if (!results.records.empty() && !has_scenes(results)) return "";
  const CaseNames names = name_cases(results, false);
  const std::vector<MetricColumn> columns = metric_columns(results);
  const TimeUnit unit = time_unit(results);
  std::vector<std::string> titles = name_titles(names);
  titles.emplace_back("status");
  const std::size_t texts = titles.size();
  for (const MetricColumn& column : columns) titles.push_back(column.title);
  const bool ran = numbers_source(*results.run.requested).empty();
  if (ran) titles.push_back(fmt::format("time [{}]", unit.name));
  std::string text = "\n## Cases\n\n";
  if (!names.common.empty()) text += fmt::format("All cases: {}.\n\n", md_escape(names.common));
  text += md_head(titles, texts);
  std::size_t rows = 0;
  for (const Record* const record : names.order) {
    if (++rows > kMaxSummaryRows) continue;
    std::vector<std::string> cells;
    for (const std::string& cell : name_cells(names, record->case_name)) cells.push_back(md_escape(cell));
    if (record->simulated) cells[names.has_scenes ? 1 : 0] += " (simulated)";
    cells.emplace_back(to_string(record->status));
    for (const MetricColumn& column : columns) cells.push_back(metric_cell(*record, column.metric));
    const auto time = typical_ms(record->timing);
    if (ran) cells.push_back(time ? table_number(*time / unit.ms) : "n/a");
    text += md_row(cells);
  }
  return text + more_rows(rows);
}

std::string methods_section(const Results& results) {
  std::string text;
  for (const MethodTable& table : method_tables(results)) {
    std::vector<std::string> titles = {"method"};
    for (const std::string& scene : table.scenes) titles.push_back(md_escape(scene));
    text += fmt::format("\n{}\n\n", md_escape(table.title)) + md_head(titles, 1);
    for (std::size_t i = 0; i < table.methods.size(); ++i) {
      std::vector<std::string> cells = {md_escape(table.methods[i])};
      for (const MethodCell& cell : table.cells[i])
        cells.push_back(cell.best ? "**" + cell.text + "**" : cell.text);
      text += md_row(cells);
    }
  }
  return text.empty() ? "" : fmt::format("\n## Methods and scenes\n\n{}\n", kMethodTablesNote) + text;
}

std::string spread_cell(const std::optional<Spread>& spread, double unit = 1) {
  if (!spread) return "n/a";
  if (!spread->standard_deviation) return table_number(spread->mean / unit);
  return table_number(spread->mean / unit) + " ± " + table_number(*spread->standard_deviation / unit);
}

std::string seeds_section(const Results& results) {
  auto groups = method_groups(results);
  if (!numbers_source(*results.run.requested).empty()) return "";  // the tables of methods say it
  if (std::ranges::none_of(groups, [](const CaseGroup& group) { return group.records.size() > 1; }))
    return "";
  return "\n## Across seeds\n\nMean ± sample standard deviation over the cases that are ok.\n\n" +
         seeds_table(groups, true);
}

std::string narrative_section(const BundleContent& content) {
  std::string text = "\n## In words\n\n";
  for (const std::string& line : narrative_lines(content)) text += "- " + md_escape(line) + "\n";
  return text;
}

// The cases whose values moved, worst first.
std::string baseline_section(const BundleContent& content) {
  if (!content.baseline) return "";
  return fmt::format("\n## Against the baseline\n\nAccepted from bundle {}, commit {}. {}.\n\n",
                     md_escape(content.baseline->accepted_bundle),
                     content.baseline->accepted_commit.empty() ? "not recorded"
                                                               : md_escape(content.baseline->accepted_commit),
                     kGatePolicy) +
         verdicts_markdown(*content.gated);
}

std::string times_section(const Results& results) {
  const std::string table = times_table(results);
  if (table.empty()) return "";
  const std::vector<AxisComparison> comparisons = compare_axes(results);
  return "\n## Times\n\nCold: the first call of a fresh process. The others are over the warm calls: "
         "mean ± sample standard deviation; ± after the median: half its 95 % interval.\n\n" +
         table +
         (comparisons.empty()
              ? ""
              : fmt::format("\n{}\n\n{}", kComparisonsAreNotJudged, comparison_table(comparisons)));
}

std::string warnings_list(const BundleContent& content) {
  if (content.warnings.empty()) return "";
  constexpr std::size_t kMaxWarnings = 20;
  std::string text =
      fmt::format("\n## Warnings in the logs\n\n{}.\n\n", counted(content.warnings.size(), "line"));
  for (std::size_t i = 0; i < std::min(kMaxWarnings, content.warnings.size()); ++i) {
    const LogWarning& warning = content.warnings[i];
    text += fmt::format("- {}:{}: {}\n", warning.file, warning.line, md_escape(warning.text));
  }
  if (content.warnings.size() > kMaxWarnings)
    text += fmt::format("- and {} more\n", content.warnings.size() - kMaxWarnings);
  return text;
}

std::string notes_list(const BundleContent& content) {
  std::string text;
  for (const std::string& note : content.notes) text += "- " + md_escape(note) + "\n";
  return text.empty() ? "" : "\n## Notes\n\n" + text;
}

std::string failures_list(const Results& results) {
  std::string text;
  std::size_t rows = 0;
  for (const Record& record : results.records)
    if (record.status != Status::ok && ++rows <= kMaxSummaryRows)
      text += fmt::format("- {}: {}: {}\n", md_escape(record.case_name), to_string(record.status),
                          md_escape(record.reason));
  return text.empty() ? "" : "\n## Not ok\n\n" + text + more_rows(rows);
}

std::string injected_list(const Results& results) {
  std::string text;
  std::size_t rows = 0;
  for (const Record& record : results.records)
    for (const InjectedFault& fault : record.injected)
      if (++rows <= kMaxSummaryRows)
        text += fmt::format("- {}: {} in stage {}, {} times\n", md_escape(record.case_name),
                            md_escape(fault.effect), md_escape(fault.stage), fault.times);
  return text.empty() ? ""
                      : "\n## Injected faults\n\nPut in with --inject to test the harness; such results are "
                        "no evidence of quality.\n\n" +
                            text + more_rows(rows);
}

std::string environment_list(const Results& results) {
  std::string text = "\n## Environment\n\n";
  for (const auto& [name, value] : environment_items(*results.environment))
    // comparability repeats other values for programs; the shards' environments are kept in shards/.
    if (!name.starts_with("comparability.") && !name.starts_with("shards") && !value.empty())
      text += fmt::format("- {}: {}\n", md_escape(name), md_escape(value));
  return text;
}

// The command is made of ASCII letters and quotes; a fence of four cannot be closed by a name with three.
std::string reproduce_section(const Results& results) {
  if (!numbers_source(*results.run.requested).empty())
    return fmt::format("\n## {} again\n\n````sh\n{}\n````\n",
                       results.run.requested->contains(kEvalRequest) ? "Score" : "Import",
                       reproduce_command(results.run));
  return fmt::format(
      "\n## Reproduce\n\n````sh\n{}\n````\n\nTolerances compare with <=. Distances go to the true surface, "
      "which goes on beyond the scored patch.\nnull values and all other metrics: results.json; hashes: "
      "`aqbench verify DIR` or `sha256sum -c sha256.txt`.\n",
      reproduce_command(results.run));
}

}  // namespace

std::string seeds_table(const std::vector<CaseGroup>& groups, bool with_times) {
  const std::vector<MetricColumn> columns = metric_columns(groups);
  const TimeUnit unit = time_unit(groups);
  std::vector<std::string> titles = {"scene", "method", "axes", "seeds"};
  for (const MetricColumn& column : columns) titles.push_back(column.title);
  if (with_times) titles.push_back(fmt::format("time [{}]", unit.name));
  std::string text = md_head(titles, 3);
  for (const CaseGroup& group : groups) {
    std::vector<std::string> cells = {md_escape(group.scene), md_escape(group.method), md_escape(group.axes)};
    cells.push_back(fmt::format("{} of {}", ok_count(group), group.records.size()));
    for (const MetricColumn& column : columns)
      cells.push_back(spread_cell(metric_spread(group, column.metric)));
    if (with_times) cells.push_back(spread_cell(time_spread(group), unit.ms));
    text += md_row(cells);
  }
  return text;
}

std::string times_table(const Results& results) {
  const auto timed = [](const Record& record) {
    return !record.timing.warm_ms.empty() || record.timing.throughput.has_value();
  };
  std::string text;
  std::size_t rows = 0;
  for (const Record& record : results.records) {
    if (!timed(record) || ++rows > kMaxSummaryRows) continue;
    const SampleSummary warm = summarize(record.timing.warm_ms);
    std::string mean = table_number_or_na(warm.mean);
    if (warm.sd) mean += " ± " + table_number(*warm.sd);
    const Timing& timing = record.timing;
    text += md_row({md_escape(record.case_name), table_number_or_na(timing.cold_ms), std::to_string(warm.n),
                    mean, table_number_or_na(warm.median), precision_text(timing),
                    table_number_or_na(warm.min), table_number_or_na(warm.max),
                    timing.throughput ? fmt::format("{} {}", short_number(*timing.throughput),
                                                    md_escape(timing.throughput_unit))
                                      : std::string("n/a"),
                    roofline_text(record)});
  }
  if (rows == 0) return "";
  return md_head(
             {"case", "cold [ms]", "n", "warm [ms]", "median", "±", "min", "max", "throughput", "roofline"},
             1) +
         text + more_rows(rows);
}

std::string render_summary(const BundleContent& content) {
  const Results& results = content.results;
  return fmt::format("**{}**\n\n", md_escape(banner_line(banner_of(content)))) + header_lines(results) +
         narrative_section(content) + simulated_note(results) + methods_section(results) +
         cases_table(results) + baseline_section(content) + times_section(results) + programs_table(results) +
         protocols_table(results) + seeds_section(results) + failures_list(results) + injected_list(results) +
         warnings_list(content) + notes_list(content) + reproduce_section(results) + evidence_lines(results) +
         environment_list(results);
}

}  // namespace aqbench
