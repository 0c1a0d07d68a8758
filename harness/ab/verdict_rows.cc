#include "harness/ab/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "harness/ab/decision.h"
#include "metrics/value_change.h"

namespace aqbench {
namespace {

std::string factor_text(double factor) {
  return factor < 999.5 ? fmt::format("{:.3g}", factor) : fmt::format("{:.0f}", factor);
}

VerdictRow judged_row(const std::string& case_name, const std::string& what, const std::string& unit,
                      const std::string& label, const AbTimeDecision& decision) {
  VerdictRow row{.case_name = case_name,
                 .metric = what,
                 .verdict = verdict_of(ab_verdict_of(decision.verdict)),
                 .unit = unit,
                 .reason = decision.reason,
                 .only_shown = true,
                 .label = label};
  row.baseline = decision.median_a_ms;
  row.current = decision.median_b_ms;
  if (decision.comparison)
    row.change =
        fmt::format("{} ({})", ab_change_text(*decision.comparison), ab_interval_text(*decision.comparison));
  return row;
}

std::vector<VerdictRow> value_rows(const AbCaseReport& one) {
  std::vector<VerdictRow> rows;
  if (one.time)
    rows.push_back(judged_row(one.name, time_name(one.time->decided_by), unit_of(one.time->decided_by),
                              to_string(one.time->verdict), *one.time));
  for (const auto& [outcome, decision] : one.outcomes)
    rows.push_back(judged_row(one.name,
                              outcome.name == kWallOutcome ? time_name(DecidingTime::wall) : outcome.name,
                              outcome.unit, outcome_verdict_text(outcome, decision.verdict), decision));
  for (VerdictRow row : one.accuracy) {
    row.only_shown = true;
    rows.push_back(std::move(row));
  }
  return rows;
}

// How far the worse end of an interval of a case reaches, in units of what is allowed.
double worst_reach(const AbCaseReport& one) {
  double most = 0;
  const auto look_at = [&](const std::optional<PairedComparison>& comparison) {
    if (comparison && comparison->flag_above > 0)
      most = std::max(most, shown_shift(*comparison).interval.upper / comparison->flag_above);
  };
  if (one.time) look_at(one.time->comparison);
  for (const AbOutcomeReport& outcome : one.outcomes) look_at(outcome.decision.comparison);
  return most;
}

// The value that a verdict rests on: the worst with the verdict of the case, else the first.
const VerdictRow* leading_row(const std::vector<VerdictRow>& rows, Verdict verdict) {
  const auto found = std::ranges::find_if(
      rows, [&](const VerdictRow& row) { return row.verdict == verdict && row.baseline && row.current; });
  return found != rows.end() ? &*found : rows.empty() ? nullptr : &rows.front();
}

// "rmse 2 x worse" of the metric that got worse: one that was judged in pairs, else of the outputs; "" where
// none did.
std::string worse_metric_words(const AbCaseReport& one) {
  const auto worse_words = [](const std::string& metric, const std::string& unit, Better better,
                              double before, double after) {
    std::string change = change_text(unit, better, before, after);
    if (change.starts_with('+') || change.starts_with('-')) change.erase(0, 1);
    return fmt::format("{} {} worse", metric_words(metric), change);
  };
  for (const auto& [outcome, decision] : one.outcomes)
    if (outcome.kind == AbOutcome::Kind::metric && decision.verdict == PairedVerdict::regressed &&
        decision.comparison && decision.median_a_ms && decision.median_b_ms) {
      const PairedComparison& c = *decision.comparison;
      return is_difference(c.scale) ? worse_words(outcome.name, outcome.unit, outcome.better,
                                                  *decision.median_a_ms, *decision.median_b_ms)
                                    : worse_words(outcome.name, "", outcome.better, 1,
                                                  1 + change_of(c.scale, shown_shift(c).shift));
    }
  const auto worse = std::ranges::find_if(one.accuracy, [](const VerdictRow& row) {
    return row.verdict == Verdict::regressed && row.baseline && row.current;
  });
  if (worse == one.accuracy.end()) return "";
  return worse_words(worse->metric, worse->unit, worse->better, *worse->baseline, *worse->current);
}

// "B is not more than 1.4 % slower: +0.22 % (-0.90 .. +1.38 %)": what a PASS has shown.
std::string pass_words(const PairedComparison& c, const std::string& change) {
  const ShiftInterval interval = shown_shift(c).interval;
  const double most = std::max(change_of(c.scale, interval.lower), change_of(c.scale, interval.upper));
  return most <= 0
             ? "B is no slower: " + change
             : fmt::format("B is not more than {:.1f} % slower: {}", std::ceil(1000 * most) / 10, change);
}

std::string time_words(const AbCaseReport& one) {
  const PairedComparison& c = *one.time->comparison;
  const PairedVerdict verdict = one.time->verdict;
  const std::string change = fmt::format("{} ({})", ab_change_text(c), ab_interval_text(c));
  const bool by_wall = one.time->decided_by == DecidingTime::wall;
  const std::string name = by_wall ? "time" : time_name(one.time->decided_by);
  std::string text = verdict == PairedVerdict::regressed || verdict == PairedVerdict::faster
                         ? "B is " + speed_words(c)
                     : verdict == PairedVerdict::pass ? pass_words(c, change)
                                                      : name + " " + change;
  if (!by_wall && !text.starts_with(name)) text += " by " + name;
  if (one.outputs == "identical") return text + ", outputs equal";
  const std::string worse = worse_metric_words(one);
  if (worse.empty()) return one.outputs == "differ" ? text + ", outputs differ" : text;
  return text + ", " + worse + (verdict == PairedVerdict::faster ? ": faster but less accurate" : "");
}

bool is_of_outputs(const AbCaseReport& one) {
  return one.verdict == AbVerdict::invalid || one.verdict == AbVerdict::worse;
}

// "rmse +5.10 % (+4.20 .. +6.00 %)"; of a trade its times first.
std::string words_of(const AbCaseReport& one, const VerdictRow* leading) {
  const bool failed = one.verdict == AbVerdict::failed || (one.verdict == AbVerdict::invalid && !one.time);
  if (failed || leading == nullptr) return one.reason.empty() ? "nothing to compare" : one.reason;
  if ((one.time && leading->metric == time_name(one.time->decided_by)) ||
      (is_of_outputs(one) && one.outcomes.empty()))
    return one.time && one.time->comparison ? time_words(one) : one.reason;
  const bool timed = one.time && one.time->comparison;
  if (timed && one.time->verdict == PairedVerdict::faster && !worse_metric_words(one).empty())
    return time_words(one);
  std::string text = metric_words(leading->metric) + (leading->change.empty() ? "" : " " + leading->change);
  if (timed) text += "; " + time_words(one);
  return text;
}

}  // namespace

std::string ab_change_text(const PairedComparison& c) { return shift_text(c.scale, shown_shift(c).shift); }

std::string ab_interval_text(const PairedComparison& c) {
  const ShiftInterval interval = shown_shift(c).interval;
  double low = interval.lower, high = interval.upper;
  if (change_of(c.scale, low) > change_of(c.scale, high)) std::swap(low, high);
  const std::string lower = shift_text(c.scale, low);
  return lower.substr(0, lower.find(' ')) + " .. " + shift_text(c.scale, high);
}

std::string speed_words(const PairedComparison& c) {
  const EstimatedShift shown = shown_shift(c);
  const double ratio = 1 + change_of(c.scale, shown.shift);
  const bool slower = ratio >= 1;
  const auto factor = [&](double shift) {
    const double one = 1 + change_of(c.scale, shift);
    return slower ? one : 1 / one;
  };
  const auto [low, high] = std::minmax({factor(shown.interval.lower), factor(shown.interval.upper)});
  if (factor(shown.shift) >= 1.995)
    return fmt::format("{} x {} ({} to {})", factor_text(factor(shown.shift)), slower ? "slower" : "faster",
                       factor_text(low), factor_text(high));
  const auto percent = [&](double one) { return slower ? 100 * (one - 1) : 100 * (1 - 1 / one); };
  return fmt::format("{:.1f} % {} ({:.1f} to {:.1f} %)", percent(factor(shown.shift)),
                     slower ? "slower" : "faster", percent(low), percent(high));
}

Verdicts verdicts_of(const std::vector<AbCaseReport>& cases) {
  Verdicts verdicts;
  verdicts.cases = cases.size();
  std::vector<std::vector<VerdictRow>> of_cases;
  for (const AbCaseReport& one : cases) {
    const Verdict verdict = verdict_of(one.verdict);
    std::vector<VerdictRow> rows = value_rows(one);
    const VerdictRow* const leading = leading_row(rows, verdict);
    VerdictRow row = leading == nullptr ? VerdictRow{} : *leading;
    row.case_name = one.name;
    row.verdict = verdict;
    row.label = to_string(one.verdict);
    row.only_shown = false;
    row.words = words_of(one, leading);
    // Of what the test is certain of, the reason is its statistics: what stands behind "time: " always is.
    const bool certain = one.verdict == AbVerdict::regressed || one.verdict == AbVerdict::faster ||
                         (one.verdict == AbVerdict::worse && one.time &&
                          one.time->verdict == PairedVerdict::faster && !one.outcomes.empty());
    row.reason = certain || one.reason == row.words ? "" : one.reason.substr(0, one.reason.find("; time: "));
    std::vector<VerdictRow>& of_case = of_cases.emplace_back(1, std::move(row));
    for (const VerdictRow& value : rows)
      if (&value != leading) of_case.push_back(value);
  }
  // The gravest case first; the values of a case stay behind it.
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::pair(of_cases[i].front().verdict, -worst_reach(cases[i]));
  });
  for (const std::size_t i : order)
    verdicts.rows.insert(verdicts.rows.end(), of_cases[i].begin(), of_cases[i].end());
  return verdicts;
}

}  // namespace aqbench
