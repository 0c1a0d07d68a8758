#include "harness/gating/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "core/json.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/records/numbers.h"
#include "metrics/value_change.h"

namespace aqbench {
namespace {

// 3 and 3.0 are equal; a number and a text never are.
bool same_option(const ParameterValue& a, const ParameterValue& b) {
  return a == b || parameter_json(a) == parameter_json(b);
}

bool is_only_shown(const std::string& name, const BaselineMetric& baseline, const std::string& unit,
                   bool judged) {
  const bool by_default =
      baseline.tolerance == default_tolerance(name, {baseline.value, unit, baseline.better, ""});
  return (is_information(name, unit) && by_default) ||
         (!judged && (by_default || baseline.tolerance.learned_from_seeds > 0));
}

VerdictRow metric_row(const std::string& case_name, const std::string& name, const BaselineMetric& baseline,
                      const Metric* metric, bool judged = true) {
  VerdictRow row{.case_name = case_name,
                 .metric = name,
                 .verdict = Verdict::missing,
                 .baseline = baseline.value,
                 .tolerance = baseline.tolerance,
                 .reason = metric == nullptr ? "the results do not have it" : ""};
  if (metric == nullptr) return row;
  row.unit = metric->unit;
  row.better = metric->better;
  row.current = metric->value;
  const bool turned = metric->better != baseline.better && metric->better != Better::equal &&
                      baseline.better != Better::equal;
  if (turned) {
    row.verdict = Verdict::not_comparable;
    row.reason =
        fmt::format("better is '{}', baseline '{}'", to_string(metric->better), to_string(baseline.better));
  } else if (!metric->value || !std::isfinite(*metric->value)) {
    row.verdict = Verdict::undefined;
    row.reason = metric->value            ? "not a finite number"
                 : metric->reason.empty() ? "null without a reason"
                                          : metric->reason.text();
  } else if (baseline.value == 0 && baseline.tolerance.kind == Tolerance::Kind::relative &&
             *metric->value != 0) {
    row.verdict = Verdict::undefined;
    row.reason = fmt::format("is {}, but no share of a baseline of 0 is a tolerance: give an absolute one",
                             short_number(*metric->value));
  } else {
    row.verdict = judge_value(name, baseline, *metric->value, row.excess);
  }
  if (row.verdict == Verdict::undefined) row.excess = HUGE_VAL;
  row.only_shown = row.verdict != Verdict::undefined && is_only_shown(name, baseline, metric->unit, judged);
  if (row.only_shown) {  // without a limit there is none that it could keep
    if (row.verdict != Verdict::pass) row.reason = "changed, not gated";
    row.verdict = Verdict::pass;
    row.tolerance.reset();
  }
  return row;
}

VerdictRow case_row(const std::string& name, Verdict verdict, std::string reason) {
  return {.case_name = name, .verdict = verdict, .reason = std::move(reason)};
}

// The row of a case of the baseline that did not end well.
VerdictRow row_without_values(const Record& record) {
  const Verdict verdict = record.status == Status::skipped ? Verdict::missing : Verdict::failed_case;
  return case_row(record.case_name, verdict, to_string(record.status) + ": " + record.reason);
}

void gate_case(const BaselineCase& baseline, const Record* record, std::vector<VerdictRow>& rows) {
  if (record == nullptr) {
    rows.push_back(case_row(baseline.name, Verdict::missing, "the results do not have this case"));
    return;
  }
  if (record->status != Status::ok) {
    rows.push_back(row_without_values(*record));
    return;
  }
  const auto differences = option_differences(baseline, *record);
  for (const std::string& difference : differences)
    rows.push_back(case_row(baseline.name, Verdict::not_comparable, difference));
  if (!differences.empty()) return;
  const MetricSet metrics = gated_metrics(*record);
  if (baseline.metrics.empty() && !metrics.empty())
    rows.push_back(case_row(baseline.name, Verdict::not_comparable,
                            "the baseline has no metric of this case: nothing is gated"));
  const bool has_accuracy = find_metric(baseline, kAccuracyMetric) != nullptr;
  for (const auto& [name, metric] : baseline.metrics)
    rows.push_back(metric_row(baseline.name, name, metric, find_metric(metrics, name),
                              is_judged(baseline.name, name.text(), has_accuracy)));
  for (const auto& [name, metric] : acceptable_metrics(*record))
    if (find_metric(baseline, name) == nullptr)
      rows.push_back(
          {baseline.name, name, Verdict::added, metric.unit, {}, metric.value, {}, 0, "not gated"});
}

// A case without a baseline cannot get worse, but it can fail.
VerdictRow row_without_baseline(const Record& record) {
  const std::string what = to_string(record.status) + ": " + record.reason;
  if (record.status == Status::ok)
    return case_row(record.case_name, Verdict::added, "no baseline: not gated");
  if (record.status == Status::skipped)
    return case_row(record.case_name, Verdict::added, "no baseline: not gated; " + what);
  return case_row(record.case_name, Verdict::failed_case, what + " (no baseline)");
}

void add_gate_notes(const Results& results, const Baseline& baseline, Verdicts& report) {
  if (const std::string numbers = numbers_source(*results.run.requested); !numbers.empty())
    report.notes.push_back(numbers);
  if (!results.run.complete)
    report.notes.push_back(fmt::format("the run was interrupted: {} of {} cases", results.records.size(),
                                       results.run.planned_cases));
  if (results.run.suite != baseline.suite)
    report.notes.push_back(fmt::format("suite '{}' against a baseline of suite '{}'",
                                       printable(results.run.suite), printable(baseline.suite)));
  std::size_t injected = 0;
  for (const Record& record : results.records) injected += record.injected.empty() ? 0 : 1;
  if (injected > 0) report.notes.push_back(counted(injected, "case") + " ran with injected faults");
}

// Removes passes and information as before from row `first` on; returns how many passed.
std::size_t drop_passes(std::vector<VerdictRow>& rows, std::size_t first) {
  const auto start = rows.begin() + static_cast<std::ptrdiff_t>(first);
  const auto is_plain = [](const VerdictRow& row) {
    return row.verdict == Verdict::pass && row.reason.empty();
  };
  const auto passed = std::count_if(start, rows.end(),
                                    [&](const VerdictRow& row) { return is_plain(row) && !row.only_shown; });
  rows.erase(std::remove_if(start, rows.end(), is_plain), rows.end());
  return static_cast<std::size_t>(passed);
}

bool decides(const VerdictRow& row) { return row.verdict != Verdict::added && !row.only_shown; }

VerdictRow time_row(const std::string& case_name, const char* name, double stored,
                    const std::optional<Metric>& now, Better better = Better::lower) {
  const Tolerance tolerance{Tolerance::Kind::relative, kStoredTimeFactor - 1};
  return metric_row(case_name, name, {stored, better, tolerance}, now ? &*now : nullptr);
}

// The rows of a case that wall time decides.
void add_wall_rows(const StoredTime& stored, const Record* record, std::vector<VerdictRow>& rows) {
  const auto median_ms = record == nullptr ? std::nullopt : median_warm_ms(*record);
  std::optional<Metric> time, throughput;
  if (median_ms) time = Metric{median_ms, "ms", Better::lower, ""};
  if (time && record->timing.throughput)
    throughput = Metric{record->timing.throughput, record->timing.throughput_unit, Better::higher, ""};
  rows.push_back(time_row(stored.case_name, "time_median", stored.median_ms, time));
  if (stored.throughput)
    rows.push_back(time_row(stored.case_name, "throughput", *stored.throughput, throughput, Better::higher));
}

}  // namespace

// The tolerance is inclusive: 0.8295 against 0.79 and 5 % is exactly at the limit in decimals but 1e-17
// beyond it in doubles, hence the slack of a few roundings. Tolerance 0 requires equal bits. A metric without
// a better side fails on any change.
Verdict judge_value(const std::string& metric, const BaselineMetric& baseline, double current,
                    double& excess) {
  const Tolerance& tolerance = baseline.tolerance;
  const double allowed = tolerance.kind == Tolerance::Kind::relative
                             ? tolerance.value * std::abs(baseline.value)
                             : tolerance.value;
  const double worse =
      worse_by(metric, baseline.better, baseline.value, current).value_or(std::abs(current - baseline.value));
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  const double slack =
      tolerance.value == 0 ? 0 : kRounding * std::abs(current) + kRounding * std::abs(baseline.value);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  excess = allowed > 0 ? worse / allowed : worse == 0 ? 0 : std::copysign(kInfinity, worse);
  if (worse > allowed + slack) return Verdict::regressed;
  if (-worse > allowed + slack) return Verdict::improved;
  return Verdict::pass;
}

std::vector<std::string> option_differences(const CaseOptions& baseline, const CaseOptions& current) {
  const auto find = [](const CaseOptions& of, std::string_view name) {
    const ParameterValue* const option = find_value(of.options, name);
    return option != nullptr ? option : find_value(of.defaults, name);
  };
  std::vector<std::string> differences;
  const auto compare = [&](std::string_view name, const ParameterValue* now, const ParameterValue* then) {
    const auto text = [](const ParameterValue* value) {
      return value == nullptr ? "absent" : to_string(*value);
    };
    if (now == nullptr || then == nullptr || !same_option(*then, *now))
      differences.push_back(fmt::format("option {} is {}, was {}", name, text(now), text(then)));
  };
  for (const auto& [name, value] : baseline.options) compare(name, find(current, name), &value);
  for (const auto& [name, value] : current.options)
    if (find_value(baseline.options, name) == nullptr) compare(name, &value, find(baseline, name));
  return differences;
}

std::vector<std::string> option_differences(const BaselineCase& baseline, const Record& current) {
  return option_differences({baseline.options, {}}, {current.options, current.defaults});
}

Verdicts gate(const Results& results, const Baseline& baseline) {
  Verdicts report;
  report.cases = baseline.cases.size();
  report.unchecked = "times";
  const std::string& commit =
      baseline.accepted_repository.empty() ? baseline.accepted_commit : baseline.accepted_repository;
  report.against = "accepted in run " + printable(baseline.accepted_bundle);
  if (!commit.empty()) report.against += ", commit " + printable(commit.substr(0, 12));
  add_gate_notes(results, baseline, report);
  if (results_sha256(results) == baseline.accepted_results_sha256 ||
      (has_own_times(results) && root_digest(results) == baseline.accepted_root_digest)) {
    report.refusal = fmt::format(
        "self comparison: the baseline was accepted from these very results (bundle {}); run the sweep again",
        printable(baseline.accepted_bundle));
    return report;
  }
  if (!results.run.suite.empty() && !baseline.suite.empty() && results.run.suite != baseline.suite)
    report.refusal = "the results are of another suite than the baseline";
  else if (std::ranges::all_of(baseline.cases, [](const auto& one) { return one.metrics.empty(); }))
    report.refusal = "the baseline gates nothing: none of its cases has a metric";
  if (!report.refusal.empty()) return report;
  std::unordered_map<std::string_view, const Record*> records;
  for (const Record& record : results.records) records[record.case_name] = &record;
  std::unordered_set<std::string_view> with_baseline;
  bool decided = false;
  const PartOfSuite part = part_of_suite(results);
  std::vector<std::string> left_out;
  for (const BaselineCase& baseline_case : baseline.cases) {
    with_baseline.insert(baseline_case.name);
    const auto record = records.find(baseline_case.name);
    if (record == records.end() && part.leaves_out(baseline_case.name)) {
      left_out.push_back(baseline_case.name);
      continue;
    }
    const std::size_t before = report.rows.size();
    gate_case(baseline_case, record == records.end() ? nullptr : record->second, report.rows);
    decided = decided || std::ranges::any_of(std::span(report.rows).subspan(before), decides);
    if (results.records.size() > kMaxCasesListed) report.unlisted_passes += drop_passes(report.rows, before);
  }
  for (const Record& record : results.records)
    if (!with_baseline.contains(record.case_name)) report.rows.push_back(row_without_baseline(record));
  if (!left_out.empty()) report.notes.push_back(part.note(left_out));
  report.cases -= left_out.size();
  if (!decided && std::ranges::none_of(report.rows, decides))
    report.refusal = "nothing was gated: all values are new or only shown";
  sort_worst_first(report.rows);
  return report;
}

void gate_stored_times(const Results& results, const Baseline& baseline, Verdicts& report,
                       DecideBy decide_by) {
  if (!baseline.stored_times)
    throw not_comparable_error("the baseline stores no times (aqbench accept --stored-times)");
  if (const auto differences = comparability_differences(*baseline.stored_times, results);
      !differences.empty())
    throw Error(ErrorKind::not_comparable,
                printable(fmt::format("stored times: {}", fmt::join(differences, "; "))));
  std::size_t decided_by_cpu = 0;
  const bool times_alone = report.rows.empty();  // nothing else says which cases failed
  std::unordered_set<std::string_view> stored_names;
  std::unordered_map<std::string_view, const Record*> records;
  for (const Record& one : results.records) records[one.case_name] = &one;
  for (const StoredTime& stored : baseline.stored_times->cases) {
    const auto found = records.find(stored.case_name);
    const Record* const record = found == records.end() ? nullptr : found->second;
    stored_names.insert(stored.case_name);
    if (record != nullptr && record->status != Status::ok) {
      if (times_alone) report.rows.push_back(row_without_values(*record));
      continue;
    }
    const auto cpu_ms = record == nullptr || !stored.cpu_median_ms ? std::nullopt : median_cpu_ms(*record);
    if (decide_by == DecideBy::cpu && !cpu_ms)
      throw not_comparable_error("--decide-by cpu: {}: its CPU time is unknown in {}", stored.case_name,
                                 stored.cpu_median_ms ? "the results" : "the baseline");
    const bool loaded =
        stored.better_by_cpu || (record != nullptr && is_better_by_cpu(*record, *results.environment));
    const bool by_cpu =
        cpu_ms && (decide_by == DecideBy::cpu || (decide_by == DecideBy::automatic && loaded));
    decided_by_cpu += by_cpu ? 1 : 0;
    if (by_cpu || (cpu_ms && decide_by == DecideBy::both))
      report.rows.push_back(time_row(stored.case_name, "cpu_median", *stored.cpu_median_ms,
                                     Metric{cpu_ms, "ms", Better::lower, ""}));
    if (!by_cpu) add_wall_rows(stored, record, report.rows);
  }
  if (decided_by_cpu > 0)
    report.notes.push_back(
        fmt::format("CPU time decides {} of {}, as programs waited for a processor or --decide-by asks for "
                    "it; it does not "
                    "see waiting, locks, input and output, or other threads",
                    decided_by_cpu, counted(baseline.stored_times->cases.size(), "case")));
  if (times_alone)
    for (const Record& record : results.records)
      if (record.status != Status::ok && !stored_names.contains(record.case_name))
        report.rows.push_back(row_without_baseline(record));
  sort_worst_first(report.rows);
  report.unchecked.clear();
  report.cases = std::max(report.cases, baseline.stored_times->cases.size());
  report.notes.emplace_back(
      "times are compared with stored ones, which drift with the machine: no proof (aqbench ab measures in "
      "pairs)");
}

}  // namespace aqbench
