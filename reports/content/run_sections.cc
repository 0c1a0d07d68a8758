#include "reports/content/run_sections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/text.h"
#include "harness/records/numbers.h"
#include "metrics/registry.h"
#include "reports/content/budget.h"
#include "reports/content/case_columns.h"
#include "reports/content/curves.h"
#include "reports/content/environment_text.h"
#include "reports/content/metrics_table.h"
#include "reports/content/times_table.h"
#include "reports/content/verdict_blocks.h"
#include "reports/content/verdict_text.h"

namespace aqbench {
namespace {

// The most items of one list: a large sweep would fill hundreds of megabytes.
constexpr std::size_t kMaxItems = 5000, kMaxWarnings = 20;

bool is_import(const Results& results) { return !numbers_source(*results.run.requested).empty(); }

// What all rows of a table share stands above it.
std::vector<ReportBlock> blocks_of(NamedTable named) {
  return {common_words(named.common), std::move(named.table)};
}

// The tables that decide stand open: errors, and how much of the surface they are of; the others unfold.
std::vector<Section> methods_sections(const Results& results) {
  const std::vector<MetricColumn> columns = metric_columns(results);
  Section open{"methods", "Methods and scenes", kMethodTablesNote}, more{"metrics", "Every metric"};
  more.fold = "median errors, spreads, shares and the others";
  std::vector<Table> tables = method_tables(results, columns, true);
  const std::vector<CaseGroup> groups = method_groups(results);
  const bool seeds =
      std::ranges::any_of(groups, [](const CaseGroup& group) { return group.records.size() > 1; });
  if (tables.empty() || (groups.size() < 2 && !seeds))
    return {open, more};  // the table of cases has the one number
  const auto leads = [&](std::size_t i) {
    return i == 0 || columns[i].metric.starts_with("fscore_") ||
           columns[i].metric == "photometric_coverage_pct";
  };
  for (std::size_t i = 0; i < tables.size(); ++i) {
    Section& section = is_import(results) || leads(i) ? open : more;
    section.blocks.emplace_back(Heading{tables[i].label});
    section.blocks.emplace_back(std::move(tables[i]));
  }
  return {std::move(open), std::move(more)};
}

Section cases_section(const BundleContent& content, const BundleContent& cases) {
  const Results& results = content.results;
  Section section{"cases", "All cases", "Failures and regressions first.", blocks_of(cases_table(cases))};
  if (const std::size_t more = results.records.size() - cases.results.records.size(); more > 0)
    section.blocks.emplace_back(
        Paragraph{fmt::format("and {} more, in results.json", counted(more, "case"))});
  std::set<std::string> simulated;
  for (const Record& record : results.records)
    if (record.simulated) simulated.insert(record.method);
  if (!simulated.empty())
    section.blocks.emplace_back(
        Paragraph{fmt::format("Simulated: {} saw the true surface and drew points from it with noise; these "
                              "rows measure the evaluation, not a reconstruction method.",
                              fmt::join(simulated, ", "))});
  return section;
}

Section times_section(const Results& cases) {
  Section section{
      "times", "Times",
      "Cold: the first call of a fresh process. The others are over the warm calls: mean ± sample "
      "standard deviation; ± after the median: half its 95 % interval."};
  const CaseNames names = name_cases(cases);
  if (Table table = times_table(cases); !table.rows.empty())
    section.blocks = blocks_of({names.common, std::move(table)});
  Lines verdicts;
  std::map<std::string, std::size_t> noisy;
  for (const Record& record : cases.records) {
    if (!record.timing.verdict.empty())
      verdicts.items.push_back(names.of.at(record.case_name).whole() + ": " + record.timing.verdict);
    if (!record.timing.note.empty()) ++noisy[record.timing.note];
  }
  for (const auto& [note, count] : noisy)
    verdicts.items.push_back(fmt::format("{}: {}", counted(count, "case"), note));
  if (!section.blocks.empty()) section.blocks.emplace_back(std::move(verdicts));
  if (const auto comparisons = compare_axes(cases); !comparisons.empty()) {
    section.blocks.emplace_back(Paragraph{kComparisonsAreNotJudged});
    section.blocks.emplace_back(comparisons_table(comparisons));
  }
  return section;
}

// Why cases failed, and then why headline metrics of others are undefined.
Section failures_section(const Results& results) {
  Lines failures{{}, kMaxItems};
  std::vector<std::string> undefined;
  for (const Record& record : results.records) {
    if (record.status != Status::ok) {
      failures.items.push_back(
          fmt::format("{}: {}: {}", record.case_name, to_string(record.status), record.reason));
      continue;
    }
    std::map<std::string, std::string> metrics;  // by their reason
    for (const HeadlineMetric& headline : headline_metrics())
      if (const Metric* const metric = find_metric(record.metrics, headline.name); metric && !metric->value)
        metrics[metric->reason] += (metrics[metric->reason].empty() ? "" : ", ") + headline.name;
    for (const auto& [reason, names] : metrics)
      undefined.push_back(fmt::format("{}: {}: {}", record.case_name, names, reason));
  }
  std::ranges::move(undefined, std::back_inserter(failures.items));
  return {"failures", "Failed or undefined", "", {std::move(failures)}};
}

Section injected_section(const Results& results) {
  Lines faults{{}, kMaxItems};
  for (const Record& record : results.records)
    for (const InjectedFault& fault : record.injected)
      faults.items.push_back(fmt::format("{}: {} in stage {}, {} times", record.case_name, fault.effect,
                                         fault.stage, fault.times));
  return {"injected",
          "Injected faults",
          "Put in with `--inject` to test the harness; such results are no evidence of quality.",
          {std::move(faults)}};
}

Section warnings_section(const BundleContent& content) {
  Lines warnings{{}, kMaxWarnings};
  for (const LogWarning& warning : content.warnings)
    warnings.items.push_back(fmt::format("{}:{}: {}", warning.file, warning.line, warning.text));
  return {"warnings", "Warnings in the logs", "", {std::move(warnings)}};
}

Section reproduce_section(const Results& results) {
  const Command command{reproduce_command(results.run)};
  if (is_import(results))
    return {"reproduce",
            results.run.requested->contains(kEvalRequest) ? "Score again" : "Import again",
            "",
            {command}};
  return {
      "reproduce",
      "Reproduce",
      std::string("Tolerances compare with <=. ") +
          (has_true_surface(results)
               ? "Distances go to the true surface, which goes on beyond the scored patch. "
               : "") +
          "null values and all other metrics: results.json; hashes: `aqbench verify DIR` or `sha256sum -c "
          "sha256.txt`.",
      {command}};
}

// What a doubter asks for.
Section evidence_section(const Results& results) {
  const RunInfo& run = results.run;
  Lines lines{{"run: " + run.id, fmt::format("UTC: {} to {}", run.started_utc, run.finished_utc),
               "root digest: " + root_digest(results), "metrics digest: " + metrics_digest(results),
               "plan: " + run.plan_sha256}};
  if (const std::string isolation = isolation_line(results); !isolation.empty())
    lines.items.push_back("isolation of methods: " + isolation);
  for (const std::string& line : guest_lines(results)) lines.items.push_back("program of " + line);
  lines.items.push_back("environment: " + environment_line(*results.environment));
  for (const auto& [name, value] : environment_items(*results.environment))
    // comparability repeats other values for programs; the shards' environments are kept in shards/.
    if (!name.starts_with("comparability.") && !name.starts_with("shards") && !value.empty())
      lines.items.push_back(fmt::format("{}: {}", name, value));
  return {"evidence", "Evidence", "", {std::move(lines)}, "run, machine, digests"};
}

std::string ok_sentence(const Results& results) {
  if (const std::string numbers = numbers_source(*results.run.requested); !numbers.empty())
    return fmt::format("{} with {}. Nothing ran here: times, memory and machine are unknown.",
                       counted(results.records.size(), "case"), numbers);
  std::map<std::string, std::size_t> counts;
  for (const Record& record : results.records) ++counts[to_string(record.status)];
  std::string text =
      fmt::format("{} of {} ok", counts["ok"], counted(results.run.planned_cases, "planned case"));
  for (const auto& [status, count] : counts)
    if (status != "ok") text += fmt::format(", {} {}", count, status);
  return text + (results.run.complete ? "." : "; the run was interrupted.");
}

}  // namespace

bool has_injected_faults(const Results& results) {
  return std::ranges::any_of(results.records, [](const Record& record) { return !record.injected.empty(); });
}

std::vector<std::string> run_sentences(const BundleContent& content) {
  std::vector<std::string> sentences = {ok_sentence(content.results)};
  if (has_injected_faults(content.results))
    sentences.emplace_back(
        "Faults were put into cases with --inject, to test the harness: these results are no evidence of "
        "quality.");
  if (!content.tests.empty()) sentences.push_back("The program's own tests: " + content.tests + ".");
  return sentences;
}

Section methods_section(const Results& results) { return methods_sections(results).front(); }

Section baseline_section(const BundleContent& content) {
  if (!content.gated) return {"verdicts", "Case by case"};
  return verdicts_section(*content.gated, short_names_of(*content.gated), kPageView,
                          fmt::format("Against the baseline; {}.", kGatePolicy));
}

std::vector<Section> leading_sections(const BundleContent& content, const BundleContent& cases) {
  std::vector<Section> sections = budget_sections(content.results),
                       methods = methods_sections(content.results);
  sections.push_back(baseline_section(content));
  sections.push_back(std::move(methods[0]));
  sections.push_back(std::move(methods[1]));
  sections.push_back(curves_section(content.results));
  sections.push_back(cases_section(content, cases));
  return sections;
}

std::vector<Section> measured_sections(const Results& results) {
  return {times_section(results),
          {"programs", "Programs", kProgramRowsNote, {programs_table(results)}},
          {"protocols", "Protocols", kProtocolRowsNote, {protocols_table(results)}},
          failures_section(results)};
}

std::vector<Section> trailing_sections(const BundleContent& content, const BundleContent& cases) {
  const Results& results = content.results;
  std::vector<Section> sections = measured_sections(cases.results);
  sections.insert(sections.end(), {injected_section(results), warnings_section(content),
                                   Section{"notes", "Notes", "", {Lines{content.notes}}},
                                   reproduce_section(results), evidence_section(results)});
  return sections;
}

std::string render_summary(const BundleContent& content) {
  std::string text = markdown_of(ReportBlock(banner_of(content))) +
                     fmt::format("\n# {}\n\n", md_escape(run_title(content.results))) +
                     markdown_of(ReportBlock(Lines{run_sentences(content)}));
  for (const auto& sections : {leading_sections(content, content), trailing_sections(content, content)})
    for (const Section& section : sections) text += markdown_of(section);
  return text;
}

}  // namespace aqbench
