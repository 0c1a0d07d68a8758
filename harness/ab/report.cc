#include "harness/ab/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/table.h"
#include "core/text.h"
#include "harness/ab/decision.h"
#include "harness/gating/gate.h"
#include "harness/gating/verdicts.h"
#include "metrics/registry.h"

namespace aqbench {
namespace {

// ---- Accuracy ----

std::set<std::string> hashes_of(const AbSamples& samples, std::size_t case_index, AbSide side) {
  std::set<std::string> hashes;
  for (const Record& record : samples.units)
    if (record.unit->case_index == case_index && record.unit->side == side && record.status == Status::ok)
      hashes.insert(record.output_sha256);
  return hashes;
}

// Gates B's metrics on A's as `aqbench gate` gates results on a baseline.
std::vector<VerdictRow> compare_metrics_of_sides(const std::string& name, const Record& a, const Record& b) {
  Baseline baseline;
  BaselineCase& accepted = baseline.cases.emplace_back(BaselineCase{name, {}, {}});
  for (const auto& [metric_name, metric] : a.metrics)
    if (metric.value && std::isfinite(*metric.value))  // else A has none: B cannot be worse
      accepted.metrics.push_back({metric_name, BaselineMetric{*metric.value, metric.better,
                                                              default_tolerance(metric_name, metric)}});
  Results results;
  Record& record = results.records.emplace_back();
  record.case_name = name;
  record.status = Status::ok;
  record.metrics = b.metrics;
  std::vector<VerdictRow> rows = gate(results, baseline).rows;
  for (VerdictRow& row : rows)  // a gate fails by a count that is undefined, a comparison does not
    if (row.verdict == Verdict::undefined && is_information(row.metric, row.unit)) {
      row.reason = "undefined, not gated";
      row.verdict = Verdict::pass;
      row.tolerance.reset();
    }
  return rows;
}

// Whether the metric decides about B. Where A has headline metrics, only these do: of some fifty metrics one
// always moves by chance. The density does not: it says how many points there are, not how good they are.
bool decides(const Record& a, const std::string& metric) {
  const auto is_headline = [](const std::string& name) {
    return name != "points_per_mm2" &&
           std::ranges::find(headline_metrics(), name, &HeadlineMetric::name) != headline_metrics().end();
  };
  const bool any = std::ranges::any_of(a.metrics, [&](const auto& one) { return is_headline(one.first); });
  return !any || is_headline(metric);
}

bool is_worse_in_b(Verdict verdict) {
  return verdict == Verdict::regressed || verdict == Verdict::undefined || verdict == Verdict::missing ||
         verdict == Verdict::not_comparable;
}

std::string metric_row_text(const VerdictRow& row) {
  const auto shown = [](const std::optional<double>& value) {
    return value ? short_number(*value) : std::string("undefined");
  };
  return fmt::format("{} {} -> {}{}", row.metric, shown(row.baseline), shown(row.current),
                     row.unit == "1" || row.unit.empty() ? "" : " " + row.unit);
}

// Fills outputs and accuracy. Returns why B is worse or invalid, "" if it is neither.
std::pair<AbVerdict, std::string> compare_outputs(const AbSamples& samples, const AbSettings& settings,
                                                  std::size_t case_index, AbCaseReport& report) {
  const auto a = hashes_of(samples, case_index, AbSide::a), b = hashes_of(samples, case_index, AbSide::b);
  const bool single = a.size() == 1 && b.size() == 1;
  report.outputs = a.empty() || b.empty() || (single && a == b && a.begin()->empty()) ? "not hashed"
                   : single && a == b                                                 ? "identical"
                   : single                                                           ? "differ"
                            : fmt::format("vary: {} of A, {} of B", a.size(), b.size());
  const auto invalid = [](std::string why) { return std::pair(AbVerdict::invalid, std::move(why)); };
  if (report.outputs == "not hashed" || report.outputs == "identical") return {};
  if (settings.outputs_may_differ || has_metrics(settings)) return {};
  const Record* const scored_a = scored_unit(samples, case_index, AbSide::a);
  const Record* const scored_b = scored_unit(samples, case_index, AbSide::b);
  if (scored_a != nullptr && scored_b != nullptr)
    report.accuracy = compare_metrics_of_sides(report.name, *scored_a, *scored_b);
  if (a.size() == 1 && b.size() > 1)
    return invalid(
        fmt::format("B gave {} different outputs for the same input, A always the same", b.size()));
  if (scored_a == nullptr || scored_b == nullptr) return invalid("the outputs differ and were not scored");
  if (report.accuracy.empty())
    return invalid("the outputs differ, and no metric of A's is defined to compare them by");
  std::vector<std::string> worse;
  for (const VerdictRow& row : report.accuracy)
    if (is_worse_in_b(row.verdict) && decides(*scored_a, row.metric)) worse.push_back(metric_row_text(row));
  if (worse.empty()) return {};
  const std::size_t shown = std::min<std::size_t>(worse.size(), 3);
  std::string text =
      fmt::format("B's output is worse: {}",
                  fmt::join(worse.begin(), worse.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (worse.size() > shown) text += fmt::format(" and {} more", worse.size() - shown);
  return {AbVerdict::worse, std::move(text)};
}

// ---- Verdict ----

const Record& failed_unit_of(const AbSamples& samples, std::size_t case_index) {
  return *std::ranges::find_if(samples.units, [&](const Record& record) {
    return record.unit->case_index == case_index && record.status != Status::ok;
  });
}

// A run that disproved its own output says so (harness/running/run_case.h).
bool is_invalid_output(const Record& unit) {
  return unit.unit->side == AbSide::b && unit.status == Status::invalid;
}

enum class AccuracyChange { better, worse, equal, within_tolerance, unknown };

// Says what is certain about time and accuracy together; "" where neither moved for certain.
std::string pareto_conclusion(PairedVerdict time, AccuracyChange accuracy) {
  const bool faster = time == PairedVerdict::faster, slower = time == PairedVerdict::regressed;
  if (!faster && !slower) {
    if (accuracy == AccuracyChange::better) return "B is more accurate, its time did not move for certain";
    if (accuracy == AccuracyChange::worse) return "B is less accurate, its time did not move for certain";
    return {};
  }
  const char* const speed = faster ? "faster" : "slower";
  if (accuracy == AccuracyChange::equal) return fmt::format("B is {} at equal accuracy", speed);
  if (accuracy == AccuracyChange::within_tolerance)
    return fmt::format("B is {}, its accuracy is within the tolerance", speed);
  if (accuracy == AccuracyChange::unknown) return {};
  const bool better = accuracy == AccuracyChange::better;
  return better != faster ? fmt::format("B is {} but {} accurate", speed, better ? "more" : "less")
                          : fmt::format("{} is better in both", faster ? "B" : "A");
}

// The metric's change, from its row in the gate's report.
AccuracyChange accuracy_change(const std::vector<VerdictRow>& rows, const std::string& metric) {
  const auto row = std::ranges::find(rows, metric, &VerdictRow::metric);
  if (row == rows.end() || !row->baseline || !row->current) return AccuracyChange::unknown;
  if (*row->baseline == *row->current) return AccuracyChange::equal;
  if (row->verdict == Verdict::improved) return AccuracyChange::better;
  if (row->verdict == Verdict::regressed) return AccuracyChange::worse;
  return row->verdict == Verdict::pass ? AccuracyChange::within_tolerance : AccuracyChange::unknown;
}

// Says how time and the first headline metric that both sides have changed.
std::string pareto_line(const AbSamples& samples, std::size_t case_index, const AbCaseReport& report) {
  if (!report.time || !report.time->comparison) return {};
  const AbTimeDecision& time = *report.time;
  const auto concluded = [&](const std::string& text, AccuracyChange accuracy) {
    const std::string conclusion = pareto_conclusion(time.verdict, accuracy);
    return conclusion.empty() ? text : text + ": " + conclusion;
  };
  std::string text =
      fmt::format("{} {:+.1f} %", time.decided_by == DecidingTime::wall ? "time" : time_name(time.decided_by),
                  100 * change_of(time.comparison->scale, shown_shift(*time.comparison).shift));
  if (report.outputs == "identical") return concluded(text + ", output identical", AccuracyChange::equal);
  const Record* const a = scored_unit(samples, case_index, AbSide::a);
  const Record* const b = scored_unit(samples, case_index, AbSide::b);
  if (a == nullptr || b == nullptr) return text + ", accuracy not measured";
  std::vector<std::string> names;
  for (const HeadlineMetric& headline : headline_metrics()) names.emplace_back(headline.name);
  for (const auto& [name, metric] : a->metrics) names.push_back(name);
  const auto has = [](const Record& unit, const std::string& name) {
    const Metric* const metric = find_metric(unit.metrics, name);
    return metric != nullptr && metric->value;
  };
  const auto name =
      std::ranges::find_if(names, [&](const auto& one) { return has(*a, one) && has(*b, one); });
  if (name == names.end()) return text + ", no metric that both sides have";
  const Metric &metric_a = *find_metric(a->metrics, *name), &metric_b = *find_metric(b->metrics, *name);
  text += fmt::format(", {} {} -> {}{}", *name, short_number(*metric_a.value), short_number(*metric_b.value),
                      metric_a.unit == "1" ? "" : " " + metric_a.unit);
  return concluded(text, accuracy_change(report.accuracy, *name));
}

AbCaseReport judge_case(const AbSamples& samples, const AbSettings& settings, std::size_t i,
                        AbCaseDecision decision) {
  AbCaseReport report;
  report.name = samples.cases[i].name;
  report.time = std::move(decision.time);
  if (decision.failed) {
    const Record& unit = failed_unit_of(samples, i);
    report.verdict = is_invalid_output(unit) ? AbVerdict::invalid : AbVerdict::failed;
    report.reason = fmt::format("{} {}: {}", unit.unit->side == AbSide::a ? "A" : "B", to_string(unit.status),
                                unit.reason);
    return report;
  }
  for (std::size_t k = 0; k < decision.outcomes.size(); ++k)
    report.outcomes.push_back({settings.outcomes[k], std::move(decision.outcomes[k])});
  const auto [of_outputs, why] = compare_outputs(samples, settings, i, report);
  if (!settings.outputs_may_differ && !has_metrics(settings)) report.pareto = pareto_line(samples, i, report);
  if (report.time) {
    report.verdict = ab_verdict_of(report.time->verdict);
    report.reason = report.time->reason;
  }
  judge_outcomes(report);
  if (!why.empty()) {
    report.verdict = of_outputs;
    report.reason = why;
  }
  return report;
}

// Leaves of times that were not measured in pairs only REGRESSED and what is worse: a machine that drifted
// may hide a change as well as make one.
void keep_unpaired_verdicts(AbReport& report) {
  for (AbCaseReport& one : report.cases) {
    if (one.verdict != AbVerdict::pass && one.verdict != AbVerdict::faster && one.verdict != AbVerdict::trade)
      continue;
    one.reason = fmt::format("would be {}, but was not measured in pairs", to_string(one.verdict));
    one.verdict = AbVerdict::inconclusive;
  }
}

}  // namespace

ExitCode AbReport::exit_code() const {
  if (validation) return validation->exit_code();
  return verdicts.exit_code();
}

bool AbReport::has_trade() const {
  return std::ranges::find(cases, AbVerdict::trade, &AbCaseReport::verdict) != cases.end();
}

AbReport judge_ab(const AbDocument& document) {
  AbReport report;
  if (is_a_a(document) && !document.run.validation)
    report.notes.emplace_back(
        "A and B are the same program with the same options: this is an A/A run, and whatever it flags is a "
        "false alarm");
  for (const auto& [side, name] : {std::pair(&document.a, "A"), std::pair(&document.b, "B")})
    if (!side->injected.empty())
      report.notes.push_back(
          fmt::format("faults on purpose in {}: {}", name, fmt::join(side->injected, ", ")));
  report.notes.insert(report.notes.end(), document.notes.begin(), document.notes.end());
  if (document.run.resumed > 0)
    report.notes.push_back(fmt::format(
        "interrupted and gone on with {}, between two pairs",
        document.run.resumed == 1 ? std::string("once") : fmt::format("{} times", document.run.resumed)));
  if (!document.run.complete) report.notes.emplace_back("interrupted: this is what was measured until then");
  auto decisions = decide_cases(document.samples, document.settings);
  for (std::size_t i = 0; i < decisions.size(); ++i)
    report.cases.push_back(judge_case(document.samples, document.settings, i, std::move(decisions[i])));
  if (document.run.unpaired) keep_unpaired_verdicts(report);
  report.verdicts = verdicts_of(report.cases);
  report.verdicts.policy = settings_line(document.settings);
  report.verdicts.notes = report.notes;
  if (document.run.validation)
    report.validation = count_validation(*document.run.validation, report.cases, document.settings.policy);
  return report;
}

}  // namespace aqbench
