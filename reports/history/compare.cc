#include "reports/history/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/text.h"
#include "harness/measuring/timing.h"
#include "harness/records/numbers.h"
#include "harness/statistics/summary.h"
#include "metrics/value_change.h"
#include "reports/content/environment_text.h"
#include "reports/content/metrics_table.h"
#include "reports/content/run_sections.h"
#include "reports/text/tables.h"

namespace aqbench {
namespace {

std::string side_name(const Results& results) {
  const std::string& name = results.run.id;
  if (const std::string numbers = numbers_source(*results.run.requested); !numbers.empty())
    return name + ", " + numbers;
  const std::string version = environment_value(*results.environment, "build.version");
  std::string program = environment_value(*results.environment, "build.commit").substr(0, 12);
  if (!program.empty()) program = " commit " + program;
  if (const std::string commit = users_commit(results); !commit.empty())
    return fmt::format("{}, commit {} (aqbench {}{})", name, commit, version, program);
  return program.empty() ? name : name + "," + program;
}

std::vector<std::string> compare_keys(const Results& a, const Results& b) {
  const Json left = comparability_of(*a.environment), right = comparability_of(*b.environment);
  if (left.empty() || right.empty()) return {"comparability: not recorded"};
  return comparability_differences(left, right, "A's");
}

void compare_metrics(const Record& a, const Record& b, CompareReport& report) {
  const MetricSet before = gated_metrics(a), after = gated_metrics(b);
  const bool has_accuracy = find_metric(before, kAccuracyMetric) != nullptr;
  const auto add = [&](const std::string& name, const Metric* x, const Metric* y) {
    const Metric& known = x != nullptr ? *x : *y;
    const bool judged = is_judged(a.case_name, name, has_accuracy);
    VerdictRow row =
        shown_verdict(a.case_name, name, known.unit, judged ? known.better : Better::equal,
                      x == nullptr ? std::nullopt : x->value, y == nullptr ? std::nullopt : y->value);
    row.reason = x == nullptr    ? "new in B"
                 : y == nullptr  ? "not in B"
                 : !row.baseline ? "A: " + x->reason
                 : !row.current  ? "B: " + y->reason
                                 : std::string();
    report.metrics.push_back(std::move(row));
  };
  for (const auto& [name, metric] : before) add(name, &metric, find_metric(after, name));
  for (const auto& [name, metric] : after)
    if (find_metric(before, name) == nullptr) add(name, nullptr, &metric);
}

// Returns false and adds a note where the two records cannot be compared.
bool comparable(const Record& a, const Record& b, CompareReport& report) {
  const auto differences = option_differences({a.options, a.defaults}, {b.options, b.defaults});
  if (!differences.empty()) {
    report.notes.push_back(fmt::format(
        "{}: not compared: {} (A is the baseline here){}", a.case_name, differences[0],
        differences.size() > 1 ? fmt::format(" and {} more", differences.size() - 1) : std::string()));
    return false;
  }
  if (a.status == Status::ok && b.status == Status::ok) return true;
  report.notes.push_back(fmt::format("{}: not compared: A is {}, B is {}", a.case_name, to_string(a.status),
                                     to_string(b.status)));
  return false;
}

// B / A.
std::optional<double> factor(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b && *a > 0 ? std::optional(*b / *a) : std::nullopt;
}

std::string factor_text(const std::optional<double>& factor) {
  return factor ? fmt::format("{:.3g} x", *factor) : std::string("n/a");
}

// What is counted beside the values that moved.
Lines equal_lines(const CompareReport& report, bool all) {
  std::size_t equal = 0, added = 0, other = 0;
  for (const auto& row : report.metrics) {
    const auto &a = row.baseline, &b = row.current;
    equal += a == b ? 1 : 0;
    added += !a && b ? 1 : 0;
    other += a && b && *a != *b && worsening(row.metric, row.better, *a, *b) == 0;
  }
  Lines lines;
  if (added > 0) lines.items.push_back(counted(added, "value") + " in B alone");
  if (other > 0 && !all)
    lines.items.push_back(counted(other, "value") + " changed and neither better nor worse (--all)");
  if (equal > 0) lines.items.push_back(counted(equal, "value") + " the same in both");
  return lines;
}

const StageRecord* stage_like(const Record& record, const StageRecord& stage) {
  const auto found = std::ranges::find_if(record.stages, [&](const StageRecord& other) {
    return other.name == stage.name && other.parent == stage.parent;
  });
  return found == record.stages.end() ? nullptr : &*found;
}

// The calls of one repetition: the record's are those of all, its times those of each.
std::optional<double> calls_of(const StageRecord* stage) {
  if (stage == nullptr || stage->calls == 0 || stage->self_ms.empty()) return std::nullopt;
  return static_cast<double>(stage->calls) / static_cast<double>(stage->self_ms.size());
}

std::optional<double> self_ms_of(const StageRecord* stage) {
  return stage == nullptr ? std::nullopt : summarize(stage->self_ms).median;
}

// The stages that became slower most first. The time of one is its calls x the time of a call.
Section stages_section(const CompareReport& report, const std::string& kind) {
  Table table = table_with({"case", "stage", ">self A\nms", ">self B\nms", ">time", ">calls", ">per call"});
  table.label = "stages";
  std::vector<std::pair<double, std::vector<TableCell>>> rows;  // by the growth of the time
  for (const auto& [a, b] : report.cases) {
    const auto add = [&, &name = a->case_name](const StageRecord* x, const StageRecord* y) {
      const auto a_ms = self_ms_of(x), b_ms = self_ms_of(y), time = factor(a_ms, b_ms),
                 calls = factor(calls_of(x), calls_of(y));
      rows.emplace_back(time.value_or(0),
                        plain_row({report.names.of.at(name), (x != nullptr ? x : y)->name,
                                   table_number_or_na(a_ms), table_number_or_na(b_ms), factor_text(time),
                                   factor_text(calls), factor_text(factor(calls, time))}));
    };
    for (const StageRecord& stage : a->stages) add(&stage, stage_like(*b, stage));
    for (const StageRecord& stage : b->stages)
      if (stage_like(*a, stage) == nullptr) add(nullptr, &stage);
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, [](const auto& row) { return row.first; });
  for (auto& [growth, row] : rows) table.rows.push_back(std::move(row));
  return {"stages", "Stages", kind + "; self times, B / A: time = calls x time per call", {std::move(table)}};
}

// B's time by A's; nullopt where one is unknown.
std::optional<double> time_factor(const std::pair<const Record*, const Record*>& one) {
  return factor(typical_ms(one.first->timing), typical_ms(one.second->timing));
}

Section times_section(const CompareReport& report, const std::string& kind) {
  Table table = table_with({"case", ">A\nms", ">B\nms", ">B / A"});
  table.label = "times";
  for (const auto& one : report.cases)
    if (const auto a = typical_ms(one.first->timing), b = typical_ms(one.second->timing); a || b)
      table.rows.push_back(plain_row({report.names.of.at(one.first->case_name), table_number_or_na(a),
                                      table_number_or_na(b), factor_text(time_factor(one))}));
  return {"times", "Times", kind, {std::move(table)}};
}

}  // namespace

CompareReport compare_results(const Results& a, const Results& b) {
  CompareReport report;
  report.a = side_name(a);
  report.b = side_name(b);
  if (has_own_times(a) ? root_digest(a) == root_digest(b) : results_sha256(a) == results_sha256(b)) {
    report.refusal = "self comparison: both bundles hold the same records; run the sweep again";
    return report;
  }
  if (numbers_source(*a.run.requested).empty())
    report.key_differences = compare_keys(a, b);
  else if (!a.records.empty() && !a.records.front().metrics.empty())
    report.notes.push_back(fmt::format(
        "each case alone; for a verdict over all seeds: aqbench ab --bundle-a A --bundle-b B --metric {}",
        a.records.front().metrics.front().first.text()));
  for (const auto& [side, results] : {std::pair{"A", &a}, {"B", &b}})
    if (has_injected_faults(*results))
      report.notes.push_back(
          fmt::format("{} has faults that were put in with --inject: it is no evidence of quality", side));
  std::map<std::string, const Record*> others;
  std::vector<std::string> names;
  for (const Record& record : b.records) others[record.case_name] = &record;
  for (const Record& record : a.records) {
    const auto other = others.find(record.case_name);
    if (other == others.end()) {
      report.notes.push_back(record.case_name + ": in A alone");
      continue;
    }
    const Record& now = *other->second;
    others.erase(other);
    if (!comparable(record, now, report)) continue;
    report.cases.emplace_back(&record, &now);
    compare_metrics(record, now, report);
    names.push_back(record.case_name);
  }
  for (const auto& [name, record] : others) report.notes.push_back(name + ": in B alone");
  report.names = shorten_names(names);
  if (report.cases.empty()) report.refusal = "no common case with the same options";
  return report;
}

Verdicts verdicts_of(const CompareReport& report, bool all) {
  Verdicts verdicts;
  verdicts.cases = report.cases.size();
  for (const VerdictRow& row : report.metrics)
    if (all || row.baseline != row.current) verdicts.rows.push_back(row);
  sort_worst_first(verdicts.rows);
  return verdicts;
}

std::vector<Section> compare_sections(const CompareReport& report, VerdictView view, bool all) {
  const std::string kind = report.key_differences.empty()
                               ? "same machine key, other moments: a trend, no verdict"
                               : "a trend only";
  Lines notes{report.notes};
  for (const std::string& difference : report.key_differences)
    notes.items.push_back("times are a trend only: " + difference);
  view.before = "A";
  view.after = "B";
  ShortNames names = report.names;
  const Paragraph common = common_words(std::exchange(names.common, ""));
  Section values =
      verdicts_section(verdicts_of(report, all), names, view, "The largest change for the worse first.");
  values.blocks.insert(values.blocks.begin(), common);
  values.blocks.emplace_back(equal_lines(report, all));
  return {{"notes", "Notes", "", {std::move(notes)}},
          std::move(values),
          stages_section(report, kind),
          times_section(report, kind)};
}

std::string render_compare(const CompareReport& report, bool all, const Screen& screen) {
  std::string text =
      terminal_of(Paragraph{"A: " + report.a}, screen) + terminal_of(Paragraph{"B: " + report.b}, screen);
  const std::vector<Section> sections = compare_sections(report, terminal_view(all), all);
  if (!report.refusal.empty())
    return text + terminal_of(sections.front(), screen) +
           terminal_of(Paragraph{"not comparable: " + report.refusal}, screen);
  for (const Section& section : sections) text += terminal_of(section, screen);
  const bool timed =
      std::ranges::any_of(report.cases, [](const auto& one) { return time_factor(one).has_value(); });
  text += fmt::format("\n{} compared{}\n", counted(report.cases.size(), "case"),
                      timed ? "; for a verdict on time run both now, in pairs: aqbench ab" : "");
  return text + terminal_of(shown_banner_of(verdicts_of(report)), screen);
}

}  // namespace aqbench
