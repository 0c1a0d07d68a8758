#include "harness/ab/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/quantiles.h"
#include "core/text.h"
#include "harness/statistics/pair_plan.h"
#include "metrics/registry.h"

namespace aqbench {
namespace {

// The units of one case as pairs.
struct CasePairs {
  std::vector<const Record*> a, b;  // of the looks, in the order in which they were measured
  std::vector<const Record*> confirmation_a, confirmation_b;
  bool failed = false;
  int failed_look = std::numeric_limits<int>::max();  // the case takes part in the looks before this one
  int last_look = 0;

  std::size_t pairs_up_to(int look) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(a, [&](const Record* u) { return u->unit->look <= look; }));
  }
};

CasePairs pairs_of(const std::vector<const Record*>& units) {
  CasePairs one;
  for (const Record* const record : units) {
    const UnitOfRecord& unit = *record->unit;
    if (record->status != Status::ok) {
      one.failed = true;
      if (!unit.confirms()) one.failed_look = std::min(one.failed_look, unit.look);
    } else if (unit.confirms()) {
      (unit.side == AbSide::a ? one.confirmation_a : one.confirmation_b).push_back(record);
    } else {
      (unit.side == AbSide::a ? one.a : one.b).push_back(record);
      one.last_look = std::max(one.last_look, unit.look);
    }
  }
  return one;
}

bool is_metric(const AbCase& the_case) {
  return the_case.outcome && the_case.outcome->kind == AbOutcome::Kind::metric;
}

PairedSeries series_of(const AbCase& the_case, std::span<const Record* const> a,
                       std::span<const Record* const> b) {
  PairedSeries series;
  series.name = the_case.name;
  series.tau = the_case.tau;
  if (is_metric(the_case)) series.quality = quality_scale_of(*the_case.outcome);
  series.clocked = (the_case.outcome ? the_case.outcome->unit : unit_of(the_case.decided_by)) == "ms";
  const bool all_runs = !is_metric(the_case);  // of a metric each unit has one value
  const auto add = [&](std::span<const Record* const> units, std::vector<double>& medians,
                       std::vector<std::vector<double>>& runs) {
    for (const Record* unit : units) {
      static const std::vector<double> kNone;
      const std::vector<double>* const found = compared_values(*unit, the_case);
      const std::vector<double>& values = found == nullptr ? kNone : *found;
      medians.push_back(unit_median(values));
      if (all_runs) runs.push_back(values);
    }
  };
  add(a, series.u_a, series.runs_a);
  add(b, series.u_b, series.runs_b);
  return series;
}

// Compares all cases together, or each as if it were alone.
std::vector<PairedComparison> compare_cases(const std::vector<PairedSeries>& series,
                                            const PairedPolicy& policy, bool separately) {
  if (!separately) return compare_pairs(series, policy);
  std::vector<PairedComparison> results;
  for (const PairedSeries& one : series) results.push_back(compare_pairs(std::span(&one, 1), policy).front());
  return results;
}

// The units that the verdict rests on.
std::vector<double> shown_units(const std::vector<double>& units, const PairedComparison& comparison) {
  return rests_on_all_pairs(comparison) ? units : values_at(units, comparison.kept);
}

// ---- Looks ----

class TimeDecider {
 public:
  TimeDecider(std::span<const ComparedUnits> compared, const AbSettings& settings)
      : compared_(compared), settings_(settings) {
    check(settings.policy);
    for (const ComparedUnits& one : compared) pairs_.push_back(pairs_of(one.units));
    decisions_.resize(pairs_.size());
    decided_pairs_.resize(pairs_.size());
  }

  std::vector<std::optional<AbTimeDecision>> run() {
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      decisions_[i].emplace().decided_by = compared_[i].of.decided_by;
    for (int look = 1; look <= settings_.policy.looks; ++look) judge_look(look);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i].failed) decisions_[i].reset();
      if (decisions_[i] && pairs_[i].last_look > settings_.policy.looks) refuse_case(i);
    }
    judge_confirmations();
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      if (decisions_[i]) describe_case(i);
    return std::move(decisions_);
  }

 private:
  bool open(std::size_t i, int look) const {
    const AbTimeDecision& decision = *decisions_[i];
    return decision.look == 0 || (decision.look == look - 1 && decision.wants_top_up);
  }

  int sides_of_test(std::size_t i) const { return is_metric(compared_[i].of) ? 2 : 1; }

  // The fewest pairs with which this case can be judged beside those that have not failed by this look.
  std::size_t minimum(int look, std::size_t i) const {
    const auto gated =
        std::ranges::count_if(pairs_, [&](const CasePairs& pairs) { return pairs.failed_look > look; });
    return minimum_pairs(settings_.policy,
                         settings_.separately || gated == 0 ? 1 : static_cast<std::size_t>(gated),
                         sides_of_test(i));
  }

  // Judges a look as it was judged when it was over. A case that failed later still counts: without it Holm's
  // correction would be weaker, and a case could be decided that was then measured on.
  void judge_look(int look) {
    std::vector<PairedSeries> series;
    std::vector<std::size_t> indices;
    std::vector<bool> is_new;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i].failed_look <= look) continue;
      const bool has_pairs = pairs_[i].last_look >= look;
      if (has_pairs && !open(i, look)) refuse_case(i);
      const std::size_t count = has_pairs ? pairs_[i].pairs_up_to(look) : decided_pairs_[i];
      if (count < minimum(look, i)) continue;  // it was interrupted before its first look was complete
      indices.push_back(i);
      is_new.push_back(has_pairs);
      series.push_back(series_of(compared_[i].of, std::span(pairs_[i].a).first(count),
                                 std::span(pairs_[i].b).first(count)));
    }
    if (std::ranges::find(is_new, true) == is_new.end()) return;
    std::vector<PairedComparison> results = compare_cases(series, settings_.policy, settings_.separately);
    for (std::size_t k = 0; k < indices.size(); ++k)
      if (is_new[k]) settle(indices[k], look, series[k].u_a.size(), std::move(results[k]));
  }

  void settle(std::size_t i, int look, std::size_t pairs, PairedComparison comparison) {
    AbTimeDecision& decision = *decisions_[i];
    decided_pairs_[i] = pairs;
    decision.look = look;
    decision.verdict = comparison.verdict;
    decision.reason = comparison.reason;
    decision.wants_top_up = needs_top_up(comparison, look, settings_.policy);
    decision.comparison = std::move(comparison);
  }

  [[noreturn]] void refuse_case(std::size_t i) const {
    throw input_error("{}: was measured on after it had been decided", compared_[i].of.name);
  }

  // Judges all flags together on their fresh pairs.
  void judge_confirmations() {
    PairedPolicy policy = settings_.policy;
    policy.looks = 1;
    std::vector<PairedSeries> series;
    std::vector<std::size_t> indices;
    std::size_t flagged = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (!decisions_[i] || !decisions_[i]->comparison) continue;
      const bool wanted = needs_confirmation(*decisions_[i]->comparison);
      if (!wanted && !pairs_[i].confirmation_a.empty()) refuse_case(i);
      flagged += wanted;
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (!decisions_[i] || !decisions_[i]->comparison || !needs_confirmation(*decisions_[i]->comparison))
        continue;
      if (pairs_[i].confirmation_a.size() <
          minimum_pairs(policy, settings_.separately ? 1 : flagged, sides_of_test(i))) {
        leave_unconfirmed(*decisions_[i]);
        continue;
      }
      indices.push_back(i);
      series.push_back(series_of(compared_[i].of, pairs_[i].confirmation_a, pairs_[i].confirmation_b));
    }
    if (series.empty()) return;
    std::vector<PairedComparison> fresh = compare_cases(series, policy, settings_.separately);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      AbTimeDecision& decision = *decisions_[indices[k]];
      const Confirmation confirmation = confirm(*decision.comparison, fresh[k]);
      decision.verdict = confirmation.verdict;
      decision.reason = confirmation.reason;
      decision.confirmation = std::move(fresh[k]);
    }
  }

  void leave_unconfirmed(AbTimeDecision& decision) const {
    if (!settings_.confirm) {
      decision.reason += "; not confirmed with fresh pairs";
      return;
    }
    decision.wants_confirmation = true;
    decision.reason = fmt::format("{} was not confirmed, as there are too few fresh pairs; {}",
                                  verdict_text(*decision.comparison), decision.reason);
    decision.verdict = PairedVerdict::inconclusive;
  }

  void describe_case(std::size_t i) {
    AbTimeDecision& decision = *decisions_[i];
    const CasePairs& pairs = pairs_[i];
    if (!decision.comparison) {
      // Too few pairs for a verdict still have their medians.
      const PairedSeries few = series_of(compared_[i].of, pairs.a, pairs.b);
      if (!few.u_a.empty()) decision.median_a_ms = median_of(few.u_a);
      if (!few.u_b.empty()) decision.median_b_ms = median_of(few.u_b);
      decision.reason = fmt::format("{} measured, a verdict needs {}{}", counted(pairs.a.size(), "pair"),
                                    minimum(1, i), settling_text(i));
      return;
    }
    const auto a = std::span(pairs.a).first(decided_pairs_[i]),
               b = std::span(pairs.b).first(decided_pairs_[i]);
    const PairedSeries series = series_of(compared_[i].of, a, b);
    decision.median_a_ms = median_of(shown_units(series.u_a, *decision.comparison));
    decision.median_b_ms = median_of(shown_units(series.u_b, *decision.comparison));
    if (compared_[i].of.outcome) return;
    decision.cold_a_ms = median_cold(a);
    decision.cold_b_ms = median_cold(b);
    PairedPolicy policy = settings_.policy;
    policy.bootstrap_draws = policy.resolution_draws = 0;
    policy.looks = 1;
    decision.stages = decide_stages(a, b, policy);
  }

  // Says how many pairs of a metric would settle it, if they were like these few: judges these again and
  // again, until they are as many as a verdict needs. The spread of so few comes out too small.
  std::string settling_text(std::size_t i) const {
    const std::size_t count = std::min(pairs_[i].a.size(), pairs_[i].b.size()), least = minimum(1, i);
    if (!is_metric(compared_[i].of) || count < 2 || count >= least) return {};
    const auto first = [&](const std::vector<const Record*>& units) { return std::span(units).first(count); };
    PairedSeries series = series_of(compared_[i].of, first(pairs_[i].a), first(pairs_[i].b));
    for (std::size_t k = count; k < least; ++k) {
      series.u_a.push_back(series.u_a[k - count]);
      series.u_b.push_back(series.u_b[k - count]);
    }
    const auto has_share = [](double value) { return value > 0; };
    if (!series.quality->margin_absolute &&
        !(std::ranges::all_of(series.u_a, has_share) && std::ranges::all_of(series.u_b, has_share)))
      return {};
    PairedPolicy policy = settings_.policy;
    policy.bootstrap_draws = policy.resolution_draws = 0;
    const PairedComparison like_these = compare_pairs(std::span(&series, 1), policy).front();
    std::size_t needed = least;
    if (like_these.verdict == PairedVerdict::inconclusive) {
      if (!like_these.pairs_needed) return "; more pairs like these alone would not settle it";
      const auto few = static_cast<double>(count);
      needed = std::max(least, static_cast<std::size_t>(std::ceil(
                                   static_cast<double>(*like_these.pairs_needed) * few / (few - 1))));
    }
    return fmt::format("; about {} pairs would settle it, {} more", needed, needed - count);
  }

  static std::optional<double> median_cold(std::span<const Record* const> units) {
    std::vector<double> cold;
    for (const Record* unit : units)
      if (unit->timing.cold_ms) cold.push_back(*unit->timing.cold_ms);
    return cold.empty() || cold.size() < units.size() ? std::nullopt : std::optional(median_of(cold));
  }

  std::span<const ComparedUnits> compared_;
  const AbSettings& settings_;
  std::vector<CasePairs> pairs_;
  std::vector<std::optional<AbTimeDecision>> decisions_;
  std::vector<std::size_t> decided_pairs_;
};

}  // namespace

QualityScale quality_scale_of(const AbOutcome& outcome) {
  const auto aim = outcome.better == Better::lower    ? QualityScale::Aim::lower
                   : outcome.better == Better::higher ? QualityScale::Aim::higher
                                                      : QualityScale::Aim::near_ideal;
  return {aim, outcome.margin, outcome.margin_absolute,
          aim == QualityScale::Aim::near_ideal ? metric_ideal(outcome.name).value_or(0) : 0};
}

std::vector<std::optional<AbTimeDecision>> decide_times(std::span<const ComparedUnits> compared,
                                                        const AbSettings& settings) {
  return TimeDecider(compared, settings).run();
}

}  // namespace aqbench
