#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/quantiles.h"
#include "core/text.h"
#include "harness/ab/decision.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench {
namespace {

// Median self time of the stage in each unit; nullopt where a unit does not have it or it is too short.
std::optional<std::vector<double>> stage_units(std::span<const Record* const> units,
                                               const std::string& name) {
  std::vector<double> result;
  for (const Record* unit : units) {
    const auto stage = std::ranges::find(unit->stages, name, &StageRecord::name);
    if (stage == unit->stages.end() || stage->self_ms.empty()) return std::nullopt;
    result.push_back(unit_median(stage->self_ms));
    if (!(result.back() >= kMinStageMs)) return std::nullopt;
  }
  return result;
}

std::vector<std::string> stage_names(std::span<const Record* const> a, std::span<const Record* const> b) {
  std::vector<std::string> names;
  for (const Record* unit : {a.front(), b.front()})
    for (const StageRecord& stage : unit->stages)
      if (std::ranges::find(names, stage.name) == names.end()) names.push_back(stage.name);
  return names;
}

constexpr std::size_t kWallTime = std::numeric_limits<std::size_t>::max();

// One compared quantity of one case: its wall time, or an outcome.
struct Compared {
  std::size_t case_index = 0;
  std::size_t outcome = kWallTime;  // index into AbSettings::outcomes
  std::string gap = {};             // why it cannot be compared; "" if it can
  bool gap_in_b_alone = false;
  // The last look whose pairs it takes, and how many fresh pairs.
  int open_until = std::numeric_limits<int>::max();
  std::size_t confirmation_pairs = std::numeric_limits<std::size_t>::max();
};

class CaseDecider {
 public:
  CaseDecider(const AbSamples& samples, const AbSettings& settings, std::size_t units)
      : samples_(samples),
        units_(std::span(samples.units).first(std::min(units, samples.units.size()))),
        settings_(settings) {
    failed_.assign(samples.cases.size(), false);
    for (const Record& record : units_) {
      if (record.status != Status::ok) failed_[record.unit->case_index] = true;
      last_look_ = std::max(last_look_, record.unit->look);
    }
    for (std::size_t i = 0; i < samples.cases.size(); ++i) {
      if (settings.wall_time) compared_.push_back({i});
      for (std::size_t k = 0; k < settings.outcomes.size(); ++k) {
        compared_.push_back({i, k});
        find_gaps(compared_.back());
      }
    }
  }

  std::vector<AbCaseDecision> run() {
    if (!settings_.outcomes.empty()) leave_out_later_pairs();
    return sort_by_case(decide(settings_));
  }

 private:
  // A quantity that was decided takes no part in the pairs that another one of its case needed.
  void leave_out_later_pairs() {
    const AbSettings quick = without_extras(settings_);
    for (Compared& one : compared_) {
      one.open_until = 1;
      one.confirmation_pairs = 0;
    }
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
  }

  // Notes which side lacks the outcome in a unit that ended well.
  void find_gaps(Compared& compared) const {
    const std::string& name = settings_.outcomes[compared.outcome].name;
    std::array<std::size_t, 2> units{}, gaps{};
    for (const Record& record : units_) {
      if (record.unit->case_index != compared.case_index || record.status != Status::ok) continue;
      const std::size_t side = index_of(record.unit->side);
      ++units[side];
      if (find_outcome(record, name) == nullptr) ++gaps[side];
    }
    if (gaps[0] + gaps[1] == 0) return;
    compared.gap = fmt::format("undefined in {} of {} of A and in {} of {} of B", gaps[0],
                               counted(units[0], "unit"), gaps[1], counted(units[1], "unit"));
    compared.gap += reason_of_gap(compared.case_index, gaps[0] > 0 ? AbSide::a : AbSide::b, name);
    compared.gap_in_b_alone = gaps[0] == 0;
  }

  // Returns ": REASON" where the side's scored output says why the metric is undefined, else "".
  std::string reason_of_gap(std::size_t case_index, AbSide side, const std::string& metric) const {
    const Record* const scored = scored_unit(samples_, case_index, side);
    const Metric* const found = scored == nullptr ? nullptr : find_metric(scored->metrics, metric);
    return found == nullptr || found->value ? "" : ": " + found->reason.text();
  }

  static bool takes(const Compared& compared, const Record& record) {
    const UnitOfRecord& unit = *record.unit;
    if (unit.case_index != compared.case_index) return false;
    if (record.status != Status::ok) return true;
    return unit.confirms() ? unit.pair < compared.confirmation_pairs : unit.look <= compared.open_until;
  }

  // Decides every quantity that can be compared as a case of its own. Indexed as compared_.
  std::vector<std::optional<AbTimeDecision>> decide(const AbSettings& settings) const {
    std::vector<ComparedUnits> quantities;
    for (const Compared& compared : compared_)
      if (compared.gap.empty()) quantities.push_back(quantity_of(compared));
    std::vector<std::optional<AbTimeDecision>> decisions(compared_.size());
    if (quantities.empty()) return decisions;
    auto decided = decide_times(quantities, settings);
    std::size_t next = 0;
    for (std::size_t i = 0; i < compared_.size(); ++i)
      if (compared_[i].gap.empty()) decisions[i] = std::move(decided[next++]);
    return decisions;
  }

  ComparedUnits quantity_of(const Compared& compared) const {
    ComparedUnits quantity{samples_.cases[compared.case_index], {}};
    if (compared.outcome != kWallTime) {
      quantity.of.outcome = settings_.outcomes[compared.outcome];
      quantity.of.name += " " + quantity.of.outcome->name;
      quantity.of.tau.reset();
    }
    for (const Record& record : units_)
      if (takes(compared, record)) quantity.units.push_back(&record);
    return quantity;
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
    decision.reason = compared.gap;
    if (compared.gap_in_b_alone) decision.verdict = PairedVerdict::regressed;
    return decision;
  }

  const AbSamples& samples_;
  std::span<const Record> units_;
  const AbSettings& settings_;
  std::vector<bool> failed_;
  std::vector<Compared> compared_;
  int last_look_ = 0;
};

}  // namespace

double unit_median(const std::vector<double>& runs) {
  if (runs.empty()) throw input_error("samples: a unit has status ok and no run to compare");
  return median_of(runs);
}

std::vector<AbStageDecision> decide_stages(std::span<const Record* const> a, std::span<const Record* const> b,
                                           const PairedPolicy& policy) {
  std::vector<AbStageDecision> stages;
  std::vector<PairedSeries> series;
  for (const std::string& name : stage_names(a, b)) {
    AbStageDecision& stage = stages.emplace_back();
    stage.name = name;
    auto u_a = stage_units(a, name), u_b = stage_units(b, name);
    if (u_a && u_b)
      series.push_back({.name = name, .u_a = std::move(*u_a), .u_b = std::move(*u_b)});
    else
      stage.reason =
          fmt::format("{} does not run it in every unit, or it is too short for the clock", u_a ? 'B' : 'A');
  }
  if (series.empty() || a.size() < minimum_pairs(policy, series.size())) {
    for (AbStageDecision& stage : stages)
      if (stage.reason.empty())
        stage.reason =
            fmt::format("{} stages need {} pairs", series.size(), minimum_pairs(policy, series.size()));
    return stages;
  }
  std::vector<PairedComparison> comparisons = compare_pairs(series, policy);
  std::size_t next = 0;
  for (AbStageDecision& stage : stages) {
    if (!stage.reason.empty()) continue;
    PairedComparison& comparison = comparisons[next];
    stage.median_a_ms = median_of(values_at(series[next].u_a, comparison.kept));
    stage.median_b_ms = median_of(values_at(series[next++].u_b, comparison.kept));
    stage.change_ms = std::expm1(comparison.shift) * stage.median_a_ms;
    stage.comparison = std::move(comparison);
  }
  return stages;
}

AbSettings without_extras(AbSettings settings) {
  settings.policy.bootstrap_draws = settings.policy.resolution_draws = 0;
  return settings;
}

std::vector<AbCaseDecision> decide_cases(const AbSamples& samples, const AbSettings& settings,
                                         std::size_t units) {
  return CaseDecider(samples, settings, units).run();
}

std::string outcome_verdict_text(const AbOutcome& outcome, PairedVerdict verdict) {
  return outcome.kind == AbOutcome::Kind::metric ? quality_text(verdict) : to_string(verdict);
}

std::size_t judged_outcomes(const AbSettings& settings) {
  return settings.outcomes.size() + (settings.wall_time ? 1 : 0);
}

}  // namespace aqbench
