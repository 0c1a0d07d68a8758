#include "reports/content/narrative.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.h"
#include "harness/gating/verdicts.h"
#include "harness/records/numbers.h"
#include "reports/content/case_groups.h"
#include "reports/content/charts.h"

namespace aqbench {
namespace {

std::string ok_sentence(const Results& results) {
  if (const std::string numbers = numbers_source(*results.run.requested); !numbers.empty())
    return fmt::format("{} with {}. Nothing ran here: times, memory and machine are unknown.",
                       counted(results.records.size(), "case"), numbers);
  const auto ok = static_cast<std::size_t>(std::ranges::count(results.records, Status::ok, &Record::status));
  std::string text = fmt::format("{} of {} ok", ok, counted(results.run.planned_cases, "planned case"));
  std::map<std::string, std::size_t> others;
  for (const Record& record : results.records)
    if (record.status != Status::ok) ++others[to_string(record.status)];
  for (const auto& [status, count] : others) text += fmt::format(", {} {}", count, status);
  if (!results.run.complete) text += "; the run was interrupted";
  return text + ".";
}

// The most accurate method of each scene against the next one.
void add_accuracy(const std::vector<CaseGroup>& groups, std::vector<std::string>& lines) {
  for (const auto& [scene, methods] : rankings_of(groups, kAccuracyMetric)) {
    if (methods.size() < 2) continue;
    const auto& [best, first] = methods[0];
    const auto& [next, second] = methods[1];
    std::string line =
        fmt::format("{}: {} has the smallest mean error, {} mm", scene, first->label(), table_number(best));
    if (table_number(next) == table_number(best))
      line += fmt::format(", as small as that of {}", second->label());
    else if (best > 0 && table_number(next / best) == table_number(1))
      line += fmt::format(", nearly as small as that of {}", second->label());
    else if (best > 0)
      line += fmt::format(", {} x lower than {}", table_number(next / best), second->label());
    lines.push_back(line + ".");
  }
}

void add_stages(const std::vector<CaseGroup>& groups, std::vector<std::string>& lines) {
  for (const CaseGroup& group : groups) {
    if (group.records.front()->simulated) continue;  // their stages say nothing about a pipeline
    const StageTimes times = stage_times(group);
    if (times.ms.size() < 2 || !(times.total_ms > 0)) continue;
    const auto& [stage, ms] =
        *std::ranges::max_element(times.ms, {}, &std::pair<std::string, double>::second);
    lines.push_back(fmt::format("{}: the stage {} takes {:.1f} % of the time of all stages.", group.whole(),
                                stage, 100 * ms / times.total_ms));
  }
}

}  // namespace

bool has_injected_faults(const Results& results) {
  return std::ranges::any_of(results.records, [](const Record& record) { return !record.injected.empty(); });
}

std::vector<std::string> narrative_lines(const BundleContent& content) {
  std::vector<std::string> lines = {ok_sentence(content.results)};
  if (has_injected_faults(content.results))
    lines.push_back(
        "Faults were put into cases with --inject, to test the harness: these results are no evidence of "
        "quality.");
  std::vector<CaseGroup> groups = group_cases(content.results);
  if (const std::string common = take_common_axes(groups); !common.empty())
    lines.push_back(fmt::format("All cases have {}; the names in these sentences leave it out.", common));
  add_accuracy(groups, lines);
  add_stages(groups, lines);
  constexpr std::size_t kMaxLines = 24;
  if (lines.size() > kMaxLines) {
    const std::size_t more = lines.size() - kMaxLines;
    lines.resize(kMaxLines);
    lines.push_back(fmt::format("And {} more sentences of this kind.", more));
  }
  if (!content.tests.empty()) lines.push_back("The program's own tests: " + content.tests + ".");
  return lines;
}

}  // namespace aqbench
