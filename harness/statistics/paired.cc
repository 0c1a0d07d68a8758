#include "harness/statistics/paired.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/text.h"
#include "harness/statistics/pair_plan.h"
#include "harness/statistics/signed_rank.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

void check_runs(const std::string& field, const UnitRuns& runs, std::size_t units, bool positive) {
  if (runs.empty()) return;
  require_equal_lengths("u_a", units, field, runs.size());
  for (const std::vector<double>& unit : runs) {
    require_not_empty(field, unit.size());
    positive ? require_positive(field, unit) : require_finite(field, unit);
  }
}

void check_series(const PairedSeries& series) {
  const std::string u_a = series.name + ": u_a", u_b = series.name + ": u_b";
  require_not_empty(u_a, series.u_a.size());
  require_equal_lengths("u_a", series.u_a.size(), u_b, series.u_b.size());
  const bool positive = !(series.quality && series.quality->margin_absolute);
  check_runs(series.name + ": runs_a", series.runs_a, series.u_a.size(), positive);
  check_runs(series.name + ": runs_b", series.runs_b, series.u_a.size(), positive);
  if (series.quality) {
    check(*series.quality, series.name);
    require_finite(u_a, series.u_a);
    require_finite(u_b, series.u_b);
    if (series.quality->margin_absolute) return;
    for (const auto& [side, units] : {std::pair("A", &series.u_a), {"B", &series.u_b}})
      for (std::size_t i = 0; i < units->size(); ++i)
        if (!((*units)[i] > 0))
          throw input_error(
              "{}: {}'s value in pair {} is {:g}, and no share of it "
              "is a margin: give --margin in the metric's unit",
              series.name, side, i + 1, (*units)[i]);
  }
  require_positive(u_a, series.u_a);
  require_positive(u_b, series.u_b);
  if (series.tau) require_at_least(series.name + ": tau", *series.tau, 0);
}

// Holds a case while it is compared. Differences above 0 mean that B is worse.
struct Candidate {
  PairedComparison result;
  std::vector<double> whole;        // of all pairs
  std::vector<double> differences;  // of the kept pairs
};

UnitRuns runs_of(const std::vector<double>& units, const UnitRuns& runs) {
  if (!runs.empty()) return runs;
  UnitRuns single;
  for (const double unit : units) single.push_back({unit});
  return single;
}

// The scale and the thresholds. These are shares of what is measured: a throughput that is 5 % lower is a
// time that is 1 / 0.95 longer, a precision that is 5 % lower is 0.95 of it.
void set_thresholds(const PairedSeries& series, const PairedPolicy& policy, PairedComparison& result) {
  if (series.quality) {
    const QualityScale& quality = *series.quality;
    result.quality = true;
    result.scale = quality_shift_scale(quality);
    const double sign = quality.aim == QualityScale::Aim::higher ? -1 : 1;
    result.pass_below = quality.margin_absolute ? quality.margin : sign * std::log1p(sign * quality.margin);
    return;
  }
  result.scale = series.higher_is_better ? ShiftScale::inverse_log_ratio : ShiftScale::log_ratio;
  const double tau = std::max(policy.tau, series.tau.value_or(0));
  const double sign = series.higher_is_better ? -1 : 1;
  result.flag_above = sign * std::log1p(sign * tau);
  result.pass_below = sign * std::log1p(sign * policy.delta);
  result.flag_below = -result.flag_above;
  if (tau > policy.delta) {
    result.verdict = PairedVerdict::refused;
    result.reason =
        fmt::format("too noisy to be gated here: A/A runs ask for tau {:.1f} %, above delta {:.1f} %",
                    100 * tau, 100 * policy.delta);
  }
}

bool is_usual(const PairedComparison& result, double run) {
  return worse_by(result.scale, result.slow_runs.typical, run) <= slow_run_margin(result);
}

// The median of a unit's runs that are not slow; it must have one.
double usual_median(const PairedComparison& result, std::vector<double> runs) {
  std::erase_if(runs, [&](double run) { return !is_usual(result, run); });
  return summarize(runs).median.value();
}

// The distance between the slowest usual run and the fastest slow one.
double gap_between_modes(const PairedComparison& result, const UnitRuns& a, const UnitRuns& b) {
  const double infinite = std::numeric_limits<double>::infinity();
  double most_usual = -infinite, least_slow = infinite;
  for (const UnitRuns* const side : {&a, &b})
    for (const std::vector<double>& runs : *side)
      for (const double run : runs) {
        const double worse = worse_by(result.scale, result.slow_runs.typical, run);
        if (is_usual(result, run))
          most_usual = std::max(most_usual, worse);
        else
          least_slow = std::min(least_slow, worse);
      }
  return least_slow - most_usual;
}

// Where one side certainly has more slow runs, a pair with a slow unit says nothing of the typical run. Then
// the pairs with usual runs on both sides are kept, and their units are compared by the median of these. Of
// B's slow runs that must leave a quarter of the pairs: if more are slow, that is what is typical. A shift of
// all runs is not a mode: that takes a gap of delta between the modes. Returns whether it was done.
bool keep_usual_runs(const UnitRuns& a, const UnitRuns& b, std::size_t minimum, PairedComparison& result) {
  const bool more = result.slow_runs.more();
  if (!(more || result.slow_runs.fewer()) || gap_between_modes(result, a, b) < result.pass_below)
    return false;
  const auto has_usual = [&](const std::vector<double>& runs) {
    return std::ranges::any_of(runs, [&](double run) { return is_usual(result, run); });
  };
  std::vector<std::size_t> usual;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (has_usual(a[i]) && has_usual(b[i])) usual.push_back(i);
  if (usual.size() < (more ? std::max(minimum, (a.size() + 3) / 4) : minimum)) return false;
  result.kept = std::move(usual);
  return true;
}

void find_step(const UnitRuns& a, const UnitRuns& b, PairedComparison& result) {
  std::vector<double> all;
  for (const UnitRuns* const side : {&a, &b})
    for (const std::vector<double>& runs : *side) all.insert(all.end(), runs.begin(), runs.end());
  result.step = clock_step(all);
  if (result.step) result.half_step = std::log1p(*result.step / 2 / result.slow_runs.typical);
}

void require_enough(const PairedComparison& result, std::size_t gated, std::size_t minimum,
                    const PairedPolicy& policy) {
  if (result.measured_pairs >= minimum) return;
  throw input_error("{}: pairs: {} are too few: {} x {} at alpha {} need {}", result.name,
                    result.measured_pairs, counted(gated, "case"),
                    counted(static_cast<std::size_t>(policy.looks), "look"), policy.alpha, minimum);
}

// Returns the series with values as differences from the ideal of its metric; nullopt where that is 0, and
// for times, which stay as they are.
std::optional<PairedSeries> from_ideal(const PairedSeries& given) {
  if (!given.quality || given.quality->ideal == 0) return std::nullopt;
  const double ideal = given.quality->ideal;
  PairedSeries series = given;
  for (std::vector<double>* const units : {&series.u_a, &series.u_b})
    for (double& value : *units) value -= ideal;
  for (UnitRuns* const side : {&series.runs_a, &series.runs_b})
    for (std::vector<double>& runs : *side)
      for (double& value : runs) value -= ideal;
  return series;
}

Candidate candidate_of(const PairedSeries& given, const PairedPolicy& policy, std::size_t gated) {
  const std::optional<PairedSeries> moved = from_ideal(given);
  const PairedSeries& series = moved ? *moved : given;
  Candidate candidate;
  PairedComparison& result = candidate.result;
  result.name = series.name;
  result.measured_pairs = series.u_a.size();
  set_thresholds(series, policy, result);
  const UnitRuns a = runs_of(series.u_a, series.runs_a), b = runs_of(series.u_b, series.runs_b);
  for (std::size_t i = 0; i < a.size(); ++i)
    candidate.whole.push_back(worse_by(result.scale, series.u_a[i], series.u_b[i]));
  const std::size_t minimum = minimum_pairs(policy, gated, result.quality ? 2 : 1);
  require_enough(result, gated, minimum, policy);
  require_finite(series.name + (series.quality ? ": differences" : ": ln(u_b / u_a)"), candidate.whole);
  result.slow_runs = find_slow_runs(result.scale, slow_run_margin(result), a, b, policy.looks);
  result.kept.resize(a.size());
  std::iota(result.kept.begin(), result.kept.end(), std::size_t{0});
  candidate.differences = candidate.whole;
  if (!series.quality && keep_usual_runs(a, b, minimum, result)) {
    candidate.differences.clear();
    for (const std::size_t i : result.kept)
      candidate.differences.push_back(
          worse_by(result.scale, usual_median(result, a[i]), usual_median(result, b[i])));
  }
  if (!series.quality && series.clocked) find_step(a, b, result);
  result.cv_a = summarize(values_at(given.u_a, result.kept)).cv;
  result.cv_b = summarize(values_at(given.u_b, result.kept)).cv;
  return candidate;
}

EstimatedShift estimated(const std::vector<double>& differences, double confidence, double half_step) {
  const HodgesLehmann found = hodges_lehmann(differences, confidence);
  EstimatedShift shift{found.estimate, found.interval.value()};  // there is one for minimum_pairs()
  shift.interval.lower -= half_step;
  shift.interval.upper += half_step;
  return shift;
}

// Finds whether the pairs follow one another, and the interval that a verdict then needs: of a sequence with
// the correlation r of neighbours it is sqrt((1 + r) / (1 - r)) times as wide (Bartlett, "Some aspects of the
// time-correlation problem", J. R. Statist. Soc. 98, 1935); twice that, since r and the spread of a short
// sequence come out too small.
void find_dependence(const std::vector<double>& differences, PairedComparison& result) {
  const SignChanges signs = sign_changes(differences, result.shift);
  if (!(signs.p_so_few <= kDependenceAlpha)) return;
  const double wider = 2 * std::sqrt((1 + signs.correlation) / (1 - signs.correlation));
  result.if_dependent =
      ShiftInterval{result.shift - wider * (result.shift - result.interval.lower),
                    result.shift + wider * (result.interval.upper - result.shift), result.interval.coverage};
}

void estimate(Candidate& candidate, const PairedPolicy& policy, double strictest_alpha) {
  PairedComparison& result = candidate.result;
  const SignedRankTest test = signed_rank_test(candidate.differences);
  result.zeros = test.zeros;
  result.ties = test.ties;
  // Two-sided where any difference counts.
  result.p_worse = result.quality ? std::min(1.0, 2 * test.p_greater) : test.p_greater;
  result.p_better = result.quality ? std::min(1.0, 2 * test.p_less) : test.p_less;
  result.level = policy.alpha / policy.looks;
  const double confidence = 1 - result.level;
  const EstimatedShift kept = estimated(candidate.differences, confidence, result.half_step);
  result.shift = kept.shift;
  result.interval = kept.interval;
  result.whole = candidate.differences == candidate.whole
                     ? kept
                     : estimated(candidate.whole, confidence, result.half_step);
  if (!result.quality) find_dependence(candidate.differences, result);
  if (policy.bootstrap_draws > 0)
    result.bootstrap =
        bootstrap_hodges_lehmann(candidate.differences, confidence, policy.bootstrap_draws, policy.seed);
  if (policy.resolution_draws == 0) return;
  const ResolutionQuestion question{result.flag_above, strictest_alpha / (result.quality ? 2 : 1),
                                    policy.power, policy.resolution_draws, policy.seed};
  result.visible_shift = smallest_visible_shift(candidate.differences, question);
}

}  // namespace

std::vector<double> values_at(const std::vector<double>& values, const std::vector<std::size_t>& indices) {
  std::vector<double> result;
  for (const std::size_t i : indices) result.push_back(values[i]);
  return result;
}

std::vector<PairedComparison> compare_pairs(std::span<const PairedSeries> series,
                                            const PairedPolicy& policy) {
  check(policy);
  require_not_empty("series", series.size());
  for (const PairedSeries& one : series) check_series(one);
  const auto gated_series = std::ranges::count_if(
      series, [&](const PairedSeries& one) { return one.quality || one.tau.value_or(0) <= policy.delta; });
  // At least 1: where all cases are refused, what they could have seen is still computed.
  const auto gated = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, gated_series));
  const double strictest_alpha = policy.alpha / policy.looks / static_cast<double>(gated);
  const auto is_gated = [](const Candidate& c) { return c.result.verdict != PairedVerdict::refused; };
  std::vector<Candidate> candidates;
  std::vector<double> p_worse, p_better;
  for (const PairedSeries& one : series) {
    Candidate& candidate = candidates.emplace_back(candidate_of(one, policy, gated));
    estimate(candidate, policy, strictest_alpha);
    if (!is_gated(candidate)) continue;
    p_worse.push_back(candidate.result.p_worse);
    p_better.push_back(candidate.result.p_better);
  }
  const std::vector<double> p_worse_holm = holm(p_worse), p_better_holm = holm(p_better);
  std::vector<PairedComparison> results;
  std::size_t next = 0;
  for (Candidate& candidate : candidates) {
    if (is_gated(candidate)) {
      candidate.result.p_worse_holm = p_worse_holm[next];
      candidate.result.p_better_holm = p_better_holm[next];
      ++next;
      judge_pairs(candidate.result, policy.delta);
    }
    results.push_back(std::move(candidate.result));
  }
  return results;
}

bool needs_top_up(const PairedComparison& comparison, int look, const PairedPolicy& policy) {
  return comparison.verdict == PairedVerdict::inconclusive && look < policy.looks;
}

bool needs_confirmation(const PairedComparison& comparison) {
  return comparison.verdict == PairedVerdict::regressed || comparison.verdict == PairedVerdict::faster;
}

Confirmation confirm(const PairedComparison& first, const PairedComparison& fresh) {
  if (!needs_confirmation(first)) return {first.verdict, first.reason};
  if (fresh.verdict == first.verdict) return {first.verdict, "confirmed by fresh pairs: " + fresh.reason};
  if (fresh.verdict == PairedVerdict::trade)
    return {fresh.verdict, fmt::format("{}, but in fresh pairs {}", verdict_text(first), fresh.reason)};
  const EstimatedShift shift = shown_shift(fresh);
  return {PairedVerdict::inconclusive,
          fmt::format("{} was not confirmed: fresh pairs give {}, shift {} after {}", verdict_text(first),
                      verdict_text(fresh), shift_text(fresh.scale, shift.shift),
                      shift_text(first.scale, first.shift))};
}

}  // namespace aqbench
