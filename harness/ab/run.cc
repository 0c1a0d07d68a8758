#include "harness/ab/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "scenes/core/error.h"

namespace aqbench {
namespace {

using AbClock = std::chrono::steady_clock;

struct CaseQuota {
  std::size_t case_index = 0;
  std::size_t pairs = 0;
};

class PairRunner {
 public:
  PairRunner(AbSamples& samples, const AbUnitRunner& run, const AbProgressCallback& progress)
      : samples_(samples), run_(run), progress_(progress), failed_(samples.cases.size(), false) {}

  // False: interrupted.
  bool run_phase(AbPhase phase, int look, const std::string& label, const std::vector<CaseQuota>& quotas) {
    state_.phase = label;
    state_.done_units = state_.planned_units = 0;
    phase_start_ = AbClock::now();
    std::size_t rounds = 0;
    for (const CaseQuota& quota : quotas) {
      state_.planned_units += 2 * quota.pairs;
      rounds = std::max(rounds, quota.pairs);
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      for (const CaseQuota& quota : quotas) {
        if (round >= quota.pairs || failed_[quota.case_index]) continue;
        if (!run_pair(phase, look, quota.case_index)) return false;
      }
    }
    return true;
  }

 private:
  bool run_pair(AbPhase phase, int look, std::size_t case_index) {
    const std::size_t pair = std::ranges::count_if(samples_.units, [&](const AbUnit& unit) {
      return unit.case_index == case_index && unit.phase == phase && unit.side == AbSide::a;
    });
    const AbSide first = first_side(samples_.order_seed, drawn_);
    std::vector<AbUnit> units;
    for (const AbSide side : {first, first == AbSide::a ? AbSide::b : AbSide::a}) {
      report(case_index);
      const bool score = phase == AbPhase::look && look == 1 && pair == 0;
      auto answer = run_(case_index, side, score);
      if (!answer) return false;  // half a pair is no measurement
      AbUnit& unit = answer->unit;
      unit.case_index = case_index;
      unit.phase = phase;
      unit.look = look;
      unit.pair = pair;
      unit.side = side;
      if (answer->metrics)
        samples_.outputs.push_back({case_index, side, unit.output_sha256, std::move(*answer->metrics)});
      units.push_back(std::move(unit));
      ++state_.done_units;
      failed_[case_index] = units.back().status != Status::ok;
      if (failed_[case_index]) break;
    }
    ++drawn_;
    for (AbUnit& unit : units) samples_.units.push_back(std::move(unit));
    return true;
  }

  void report(std::size_t case_index) {
    if (!progress_) return;
    const auto since = [](AbClock::time_point start) {
      return std::chrono::duration<double>(AbClock::now() - start).count();
    };
    state_.case_name = samples_.cases[case_index].name;
    state_.elapsed_s = since(start_);
    state_.eta_s.reset();
    if (state_.done_units > 0)
      state_.eta_s = since(phase_start_) / static_cast<double>(state_.done_units) *
                     static_cast<double>(state_.planned_units - state_.done_units);
    progress_(state_);
  }

  AbSamples& samples_;
  const AbUnitRunner& run_;
  const AbProgressCallback& progress_;
  std::vector<bool> failed_;
  std::size_t drawn_ = 0;  // pairs started: the coin's index
  AbProgress state_;
  AbClock::time_point start_ = AbClock::now(), phase_start_ = start_;
};

std::vector<CaseQuota> same_quota(const std::vector<std::size_t>& cases, std::size_t pairs) {
  std::vector<CaseQuota> quotas;
  quotas.reserve(cases.size());
  for (const std::size_t index : cases) quotas.push_back({index, pairs});
  return quotas;
}

std::vector<std::size_t> all_cases(const AbSamples& samples) {
  std::vector<std::size_t> indices(samples.cases.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  return indices;
}

// Only what decides what to measure next.
AbSettings without_extras(AbSettings settings) {
  settings.policy.bootstrap_draws = 0;
  settings.policy.resolution_draws = 0;
  return settings;
}

void require_fresh(const AbSamples& samples) {
  if (samples.cases.empty()) throw Error(ErrorKind::usage, "no cases to compare");
  if (!samples.units.empty()) throw Error(ErrorKind::usage, "these samples were measured already");
}

}  // namespace

bool run_ab(AbSamples& samples, const AbRunOptions& options, const AbUnitRunner& run,
            const AbProgressCallback& progress) {
  require_fresh(samples);
  const AbSettings settings = without_extras(options.settings);
  const int looks = settings.policy.looks;
  PairRunner runner(samples, run, progress);
  std::vector<std::size_t> open = all_cases(samples);
  std::vector<std::optional<AbTimeDecision>> decisions;
  for (int look = 1; look <= looks && !open.empty(); ++look) {
    if (!runner.run_phase(AbPhase::look, look, fmt::format("look {} of {}", look, looks),
                          same_quota(open, options.pairs_per_look)))
      return false;
    decisions = decide_times(samples, settings);
    open.clear();
    for (std::size_t i = 0; i < decisions.size(); ++i)
      if (decisions[i] && decisions[i]->wants_top_up) open.push_back(i);
  }
  std::vector<CaseQuota> quotas;
  for (std::size_t i = 0; i < decisions.size(); ++i)
    if (decisions[i] && decisions[i]->wants_confirmation)
      quotas.push_back({i, decisions[i]->comparison->measured_pairs});
  return runner.run_phase(AbPhase::confirmation, 0, "confirmation", quotas);
}

bool run_ab_pairs(AbSamples& samples, std::size_t pairs, const AbUnitRunner& run,
                  const AbProgressCallback& progress) {
  require_fresh(samples);
  PairRunner runner(samples, run, progress);
  return runner.run_phase(AbPhase::look, 1, "pairs", same_quota(all_cases(samples), pairs));
}

}  // namespace aqbench
