#include "reports/docs_tables/bundle_sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/gating/verdicts.h"
#include "harness/records/stage_memory.h"
#include "harness/statistics/summary.h"
#include "reports/content/case_columns.h"
#include "reports/content/case_groups.h"
#include "reports/content/comparisons.h"
#include "reports/content/environment_text.h"
#include "reports/content/narrative.h"
#include "reports/content/verdict_text.h"
#include "reports/text/summary.h"
#include "reports/text/verdict_table.h"
#include "reports/text/workload_tables.h"

namespace aqbench {
namespace {

constexpr std::size_t kDocumentColumns = 120;  // of text in documents; rows of tables are as long as they are

[[noreturn]] void no_data(const std::string& what) {
  throw Error(ErrorKind::input, "the bundle has no " + what);
}

// Names the axes that all cases have; the names below leave them out.
std::string common_line(const std::string& common) {
  return common.empty() ? "" : fmt::format("All cases: `{}`.\n\n", md_escape(common));
}

std::string docs_accuracy(const BundleContent& content) {
  auto groups = group_cases(content.results);
  std::erase_if(groups, [](const CaseGroup& group) { return !group.records.front()->workload.empty(); });
  if (groups.empty()) no_data("cases of methods");
  const std::string common = take_common_axes(groups);
  return common_line(common) + seeds_table(groups, false);
}

std::string docs_stages(const BundleContent& content) {
  const CaseLabels labels = label_cases(group_cases(content.results));
  std::string text =
      common_line(labels.common) +
      md_head({"case", "stage", "within", "calls", "ms", "self ms", "self %", "net MiB", "peak MiB"}, 3);
  bool any = false;
  for (const Record& record : content.results.records) {
    double total = 0;
    for (const StageRecord& stage : record.stages) total += summarize(stage.self_ms).median.value_or(0);
    for (const StageRecord& stage : record.stages) {
      const auto self = summarize(stage.self_ms).median;
      const TensorMemoryText tensors = tensor_memory_text(stage.net_bytes, stage.peak_bytes);
      any = true;
      text += md_row({md_escape(labels.of.at(record.case_name)), md_escape(stage.name),
                      md_escape(stage.parent), std::to_string(stage.calls),
                      table_number_or_na(summarize(stage.wall_ms).median), table_number_or_na(self),
                      self && total > 0 ? fmt::format("{:.1f}", 100 * *self / total) : "n/a", tensors.net,
                      tensors.peak});
    }
  }
  if (!any) no_data("stages");
  return text;
}

std::string docs_batching(const BundleContent& content) {
  auto comparisons = compare_axes(content.results);
  std::erase_if(comparisons, [](const AxisComparison& comparison) { return comparison.axis != "batch"; });
  if (comparisons.empty()) no_data("cases with a batch axis");
  return comparison_table(comparisons);
}

std::string docs_comparisons(const BundleContent& content) {
  auto comparisons = compare_axes(content.results);
  std::erase_if(comparisons, [](const AxisComparison& comparison) { return comparison.axis == "batch"; });
  if (comparisons.empty()) no_data("cases that differ in one axis alone");
  return comparison_table(comparisons);
}

std::string docs_times(const BundleContent& content) {
  std::string text = times_table(content.results);
  if (text.empty()) no_data("cases with warm runs");
  return text;
}

std::string docs_baseline(const BundleContent& content) {
  if (!content.baseline) no_data("baseline: run the sweep with --baseline FILE");
  if (!content.gated->refusal.empty()) throw Error(ErrorKind::not_comparable, content.gated->refusal);
  return banner_line(banner_of(*content.gated)) + "\n\n" +
         verdicts_markdown(*content.gated, std::size_t{1} << 20);
}

std::string docs_environment(const BundleContent& content) {
  const RunInfo& run = content.results.run;
  const std::string text =
      fmt::format("Measured {} on {} (bundle {}).", md_escape(run.started_utc),
                  md_escape(environment_line(*content.results.environment)), md_escape(run.id));
  return wrap_text(text, kDocumentColumns, 0);
}

// Breaks a command line before a flag wherever the line would become too wide for a document.
std::string wrap_command(const std::string& command) {
  constexpr std::string_view kFlag = " --";
  constexpr std::size_t kContinuationColumns = 2;
  std::string text;
  std::size_t columns = 0;
  for (std::size_t start = 0; start < command.size();) {
    const std::size_t end = std::min(command.find(kFlag, start + 1), command.size());
    if (columns > 0 && columns + end - start + kContinuationColumns > kDocumentColumns) {
      text += " \\\n ";
      columns = 1;
    }
    text += command.substr(start, end - start);
    columns += end - start;
    start = end;
  }
  return text;
}

std::string docs_reproduce(const BundleContent& content) {
  return fmt::format("```sh\n{}\n```\n\nMetrics digest, the same for any number of threads: `{}`.\n",
                     wrap_command(reproduce_command(content.results.run)), metrics_digest(content.results));
}

std::string docs_narrative(const BundleContent& content) {
  std::string text;
  for (const std::string& line : narrative_lines(content)) text += "- " + md_escape(line) + "\n";
  return text;
}

using BundleSection = std::string (*)(const BundleContent&);
constexpr std::pair<const char*, BundleSection> kBundleSections[] = {
    {"accuracy", docs_accuracy},
    {"comparisons", docs_comparisons},
    {"stages", docs_stages},
    {"batching", docs_batching},
    {"times", docs_times},
    {"baseline", docs_baseline},
    {"environment", docs_environment},
    {"reproduce", docs_reproduce},
    {"narrative", docs_narrative},
};

}  // namespace

DocsSections bundle_sections(const std::vector<NamedBundle>& bundles) {
  const auto content_of = [&bundles](const std::vector<std::string>& arguments) -> const BundleContent& {
    if (arguments.empty()) return bundles.front().content;
    if (arguments.size() > 1) throw Error(ErrorKind::input, "expected the name of one bundle");
    std::vector<std::string> names;
    for (const NamedBundle& bundle : bundles) {
      if (bundle.name == arguments[0]) return bundle.content;
      names.push_back(bundle.name);
    }
    throw Error(ErrorKind::input, unknown_name_message("bundle", arguments[0], names));
  };
  DocsSections sections;
  for (const auto& [name, render] : kBundleSections)
    sections[name] = [content_of, render = render](const std::vector<std::string>& arguments) {
      return render(content_of(arguments));
    };
  return sections;
}

DocsSections missing_bundle_sections() {
  DocsSections sections;
  for (const auto& [name, render] : kBundleSections)
    sections[name] = [](const std::vector<std::string>&) -> std::string {
      throw Error(ErrorKind::usage, "needs --bundle DIR");
    };
  return sections;
}

}  // namespace aqbench
