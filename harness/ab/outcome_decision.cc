#include "harness/ab/outcome_decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/text.h"

namespace aqbench {
namespace {

constexpr std::size_t kWallTime = std::numeric_limits<std::size_t>::max();

// One compared quantity of one case: its wall time, or an outcome.
struct Compared {
  std::size_t case_index = 0;
  std::size_t outcome = kWallTime;  // index into AbSettings::outcomes
  std::string gap = {};             // why it cannot be compared; "" if it can
  bool gap_in_b_alone = false;
  int open_until = 1;                  // the last look whose pairs it takes
  std::size_t confirmation_pairs = 0;  // fresh pairs that it takes
};

const OutcomeSamples* find_outcome(const AbUnit& unit, const std::string& name) {
  const auto found = std::ranges::find(unit.outcomes, name, &OutcomeSamples::name);
  return found == unit.outcomes.end() || found->values.empty() ? nullptr : &*found;
}

AbSettings without_extras(AbSettings settings) {
  settings.policy.bootstrap_draws = 0;
  settings.policy.resolution_draws = 0;
  return settings;
}

class CaseDecider {
 public:
  CaseDecider(const AbSamples& samples, const AbSettings& settings) : samples_(samples), settings_(settings) {
    failed_.assign(samples.cases.size(), false);
    for (const AbUnit& unit : samples.units) {
      if (unit.status != Status::ok) failed_[unit.case_index] = true;
      if (unit.phase == AbPhase::look) last_look_ = std::max(last_look_, unit.look);
    }
    for (std::size_t i = 0; i < samples.cases.size(); ++i) {
      if (settings.wall_time) compared_.push_back({i});
      for (std::size_t k = 0; k < settings.outcomes.size(); ++k) {
        compared_.push_back({i, k});
        find_gaps(compared_.back());
      }
    }
  }

  std::vector<AbCaseDecision> run(Extras extras) {
    const AbSettings quick = without_extras(settings_);
    for (int look = 1; look < std::min(last_look_, settings_.policy.looks); ++look) {
      const auto decisions = decide(quick);
      for (std::size_t i = 0; i < compared_.size(); ++i)
        if (decisions[i] && decisions[i]->wants_top_up && decisions[i]->look == look)
          compared_[i].open_until = look + 1;
    }
    const auto before = decide(quick);
    for (std::size_t i = 0; i < compared_.size(); ++i)
      if (before[i] && before[i]->comparison && needs_confirmation(*before[i]->comparison))
        compared_[i].confirmation_pairs = before[i]->comparison->measured_pairs;
    return sort_by_case(decide(extras == Extras::all ? settings_ : quick));
  }

 private:
  // Notes which side lacks the outcome in a unit that ended well.
  void find_gaps(Compared& compared) const {
    const std::string& name = settings_.outcomes[compared.outcome].name;
    std::array<std::size_t, 2> units{}, gaps{};
    for (const AbUnit& unit : samples_.units) {
      if (unit.case_index != compared.case_index || unit.status != Status::ok) continue;
      const std::size_t side = unit.side == AbSide::a ? 0 : 1;
      ++units[side];
      if (find_outcome(unit, name) == nullptr) ++gaps[side];
    }
    if (gaps[0] + gaps[1] == 0) return;
    compared.gap = fmt::format("undefined in {} of {} of A and in {} of {} of B", gaps[0],
                               counted(units[0], "unit"), gaps[1], counted(units[1], "unit"));
    compared.gap += reason_of_gap(compared.case_index, gaps[0] > 0 ? AbSide::a : AbSide::b, name);
    compared.gap_in_b_alone = gaps[0] == 0;
  }

  // Returns ": REASON" where the side's scored output says why the metric is undefined, else "".
  std::string reason_of_gap(std::size_t case_index, AbSide side, const std::string& metric) const {
    for (const AbOutput& output : samples_.outputs)
      if (output.case_index == case_index && output.side == side)
        if (const Metric* const found = find_metric(output.metrics, metric);
            found != nullptr && !found->value)
          return ": " + found->reason.text();
    return "";
  }

  bool takes(const Compared& compared, const AbUnit& unit) const {
    if (unit.case_index != compared.case_index) return false;
    if (unit.status != Status::ok) return true;
    return unit.phase == AbPhase::look ? unit.look <= compared.open_until
                                       : unit.pair < compared.confirmation_pairs;
  }

  // Decides every quantity that can be compared as a case of its own. Indexed as compared_.
  std::vector<std::optional<AbTimeDecision>> decide(const AbSettings& settings) const {
    AbSamples expanded;
    expanded.order_seed = samples_.order_seed;
    for (const Compared& compared : compared_)
      if (compared.gap.empty()) append_units(compared, expanded);
    std::vector<std::optional<AbTimeDecision>> decisions(compared_.size());
    if (expanded.cases.empty()) return decisions;
    auto decided = decide_times(expanded, settings);
    std::size_t next = 0;
    for (std::size_t i = 0; i < compared_.size(); ++i)
      if (compared_[i].gap.empty()) decisions[i] = std::move(decided[next++]);
    return decisions;
  }

  void append_units(const Compared& compared, AbSamples& expanded) const {
    AbCase one = samples_.cases[compared.case_index];
    if (compared.outcome != kWallTime) {
      one.outcome = settings_.outcomes[compared.outcome];
      one.name += " " + one.outcome->name;
      one.tau.reset();
    }
    for (const AbUnit& unit : samples_.units) {
      if (!takes(compared, unit)) continue;
      AbUnit copy = unit;
      copy.case_index = expanded.cases.size();
      if (one.outcome) {
        copy.stages.clear();
        copy.cold_ms.reset();
        if (unit.status == Status::ok) copy.warm_ms = find_outcome(unit, one.outcome->name)->values;
      }
      expanded.units.push_back(std::move(copy));
    }
    expanded.cases.push_back(std::move(one));
  }

  std::vector<AbCaseDecision> sort_by_case(std::vector<std::optional<AbTimeDecision>> decisions) const {
    std::vector<AbCaseDecision> cases(samples_.cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) cases[i].failed = failed_[i];
    for (std::size_t i = 0; i < compared_.size(); ++i) {
      const Compared& compared = compared_[i];
      AbCaseDecision& one = cases[compared.case_index];
      if (one.failed) continue;
      AbTimeDecision decision = decisions[i] ? std::move(*decisions[i]) : gap_decision(compared);
      const bool is_cost =
          compared.outcome != kWallTime && settings_.outcomes[compared.outcome].kind == AbOutcome::Kind::cost;
      one.wants_top_up = one.wants_top_up || (decision.wants_top_up && !is_cost);
      if (decision.wants_confirmation)
        one.confirmation_pairs = std::max(one.confirmation_pairs, decision.comparison->measured_pairs);
      if (compared.outcome == kWallTime)
        one.time = std::move(decision);
      else
        one.outcomes.push_back(std::move(decision));
    }
    return cases;
  }

  AbTimeDecision gap_decision(const Compared& compared) const {
    AbTimeDecision decision;
    decision.name =
        samples_.cases[compared.case_index].name + " " + settings_.outcomes[compared.outcome].name;
    decision.reason = compared.gap;
    if (compared.gap_in_b_alone) decision.verdict = PairedVerdict::regressed;
    return decision;
  }

  const AbSamples& samples_;
  const AbSettings& settings_;
  std::vector<bool> failed_;
  std::vector<Compared> compared_;
  int last_look_ = 0;
};

// Without outcomes the cases are what decide_times() knows.
std::vector<AbCaseDecision> decide_times_alone(const AbSamples& samples, const AbSettings& settings) {
  auto times = decide_times(samples, settings);
  std::vector<AbCaseDecision> cases(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    cases[i].failed = !times[i];
    if (!times[i]) continue;
    cases[i].wants_top_up = times[i]->wants_top_up;
    if (times[i]->wants_confirmation) cases[i].confirmation_pairs = times[i]->comparison->measured_pairs;
    cases[i].time = std::move(times[i]);
  }
  return cases;
}

}  // namespace

std::vector<AbCaseDecision> decide_cases(const AbSamples& samples, const AbSettings& settings,
                                         Extras extras) {
  if (settings.outcomes.empty() && settings.wall_time)
    return decide_times_alone(samples, extras == Extras::all ? settings : without_extras(settings));
  return CaseDecider(samples, settings).run(extras);
}

std::string outcome_verdict_text(const AbOutcome& outcome, PairedVerdict verdict) {
  return outcome.kind == AbOutcome::Kind::metric ? quality_text(verdict) : to_string(verdict);
}

std::size_t judged_outcomes(const AbSettings& settings) {
  return settings.outcomes.size() + (settings.wall_time ? 1 : 0);
}

}  // namespace aqbench
