#include "harness/ab/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/sandbox/own_settings.h"
#include "core/stopwatch.h"
#include "harness/ab/outcome_decision.h"
#include "harness/statistics/pair_plan.h"
#include "harness/statistics/signed_rank.h"

namespace aqbench {
namespace {

struct CaseQuota {
  std::size_t case_index = 0;
  std::size_t pairs = 0;
};

class PairRunner {
 public:
  PairRunner(AbSamples& samples, const AbUnitRunner& run, const AbProgressCallback& progress,
             const AbRecall& recall, std::size_t look_pairs)
      : samples_(samples),
        run_(run),
        progress_(progress),
        recall_(recall),
        look_pairs_(look_pairs),
        failed_(samples.cases.size(), false) {}

  // Returns false after an interruption.
  bool run_phase(AbPhase phase, int look, const std::string& label, const std::vector<CaseQuota>& quotas) {
    state_.phase = label;
    state_.done_units = state_.planned_units = fresh_units_ = 0;
    phase_start_ = SteadyClock::now();
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
    AbUnit form;
    form.case_index = case_index;
    form.phase = phase;
    form.look = look;
    form.pair = next_pair_[{case_index, phase}];
    form.side = first_side(samples_.order_seed, drawn_);
    const bool recalled = recall_.earlier != nullptr && recalled_units_ < recall_.earlier->units.size();
    std::vector<AbUnit> units;
    std::vector<AbOutput> outputs;
    for (int i = 0; i < 2; ++i) {
      if (i == 1) form.side = form.side == AbSide::a ? AbSide::b : AbSide::a;
      const bool score = phase == AbPhase::look && look == 1 && form.pair == 0;
      if (recalled)
        recall_unit(form, score, units, outputs);
      else if (!run_unit(form, score, units, outputs))
        return false;  // half a pair is no measurement
      ++state_.done_units;
      failed_[case_index] = units.back().status != Status::ok;
      if (failed_[case_index]) break;
    }
    if (!recalled && recall_.keep) recall_.keep(units, outputs);
    ++drawn_;
    ++next_pair_[{case_index, phase}];
    samples_.units.insert(samples_.units.end(), units.begin(), units.end());
    samples_.outputs.insert(samples_.outputs.end(), outputs.begin(), outputs.end());
    return true;
  }

  // Runs the unit that `form` describes. Returns false after an interruption.
  bool run_unit(const AbUnit& form, bool score, std::vector<AbUnit>& units, std::vector<AbOutput>& outputs) {
    report(form.case_index);
    const std::size_t first_draw = form.phase == AbPhase::look ? 0 : look_pairs_;
    auto answer = run_({form.case_index, form.side, score, first_draw + form.pair});
    if (!answer) return false;
    check_settings(*answer);
    AbUnit& unit = answer->unit;
    unit.case_index = form.case_index;
    unit.phase = form.phase;
    unit.look = form.look;
    unit.pair = form.pair;
    unit.side = form.side;
    if (answer->metrics)
      outputs.push_back({unit.case_index, unit.side, unit.output_sha256, std::move(*answer->metrics)});
    units.push_back(std::move(unit));
    ++fresh_units_;
    return true;
  }

  // A method can set priorities, processors and limits of the process that runs both sides, and so slow the
  // other one down.
  void check_settings(AbUnitAnswer& answer) {
    const std::string changes = changed_settings(settings_, own_settings());
    if (changes.empty()) return;
    restore_settings(settings_);
    settings_ = own_settings();
    answer = {};
    answer.unit.status = Status::failed;
    answer.unit.reason = fmt::format("how the comparison runs was changed meanwhile: {}", changes);
  }

  void recall_unit(const AbUnit& form, bool score, std::vector<AbUnit>& units,
                   std::vector<AbOutput>& outputs) {
    const AbSamples& earlier = *recall_.earlier;
    if (recalled_units_ == earlier.units.size()) refuse_recalled("is half a pair", recalled_units_ - 1);
    const AbUnit& unit = earlier.units[recalled_units_];
    if (unit.case_index != form.case_index || unit.phase != form.phase || unit.look != form.look ||
        unit.pair != form.pair || unit.side != form.side)
      refuse_recalled(
          fmt::format("is not what comes next, which is {} {}, pair {}, side {} of {}", to_string(form.phase),
                      form.look, form.pair, to_string(form.side), samples_.cases[form.case_index].name),
          recalled_units_);
    for (const AbOutput& output : earlier.outputs) {
      if (!score || output.case_index != unit.case_index || output.side != unit.side) continue;
      if (output.output_sha256 != unit.output_sha256)
        refuse_recalled("has another output than the one that was scored", recalled_units_);
      outputs.push_back(output);
      break;
    }
    units.push_back(unit);
    ++recalled_units_;
  }

  [[noreturn]] static void refuse_recalled(const std::string& why, std::size_t index) {
    throw Error(ErrorKind::input, fmt::format("records[{}]: {}", index, why));
  }

  void report(std::size_t case_index) {
    if (!progress_) return;
    state_.case_name = samples_.cases[case_index].name;
    state_.elapsed_s = seconds_since(start_);
    state_.eta_s.reset();
    if (fresh_units_ > 0)
      state_.eta_s = seconds_since(phase_start_) / static_cast<double>(fresh_units_) *
                     static_cast<double>(state_.planned_units - state_.done_units);
    progress_(state_);
  }

  AbSamples& samples_;
  const AbUnitRunner& run_;
  const AbProgressCallback& progress_;
  const AbRecall& recall_;
  std::size_t look_pairs_;  // of each case in all looks together
  std::vector<bool> failed_;
  std::map<std::pair<std::size_t, AbPhase>, std::size_t> next_pair_;
  std::size_t drawn_ = 0;           // pairs started: the coin's index
  std::size_t recalled_units_ = 0;  // of recall_.earlier
  std::size_t fresh_units_ = 0;     // of this phase
  AbProgress state_;
  OwnSettings settings_ = own_settings();
  SteadyClock::time_point start_ = SteadyClock::now(), phase_start_ = start_;
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

void require_fresh(const AbSamples& samples) {
  if (samples.cases.empty()) throw Error(ErrorKind::usage, "no cases to compare");
  if (!samples.units.empty()) throw Error(ErrorKind::usage, "these samples were measured already");
}

}  // namespace

std::size_t max_pairs_per_look(int looks) {
  return kMaxSignedRankPairs / static_cast<std::size_t>(std::max(looks, 1));
}

// Runs again with the units that were measured and no fresh ones.
AbProtocol follow_ab(const AbSamples& samples, const AbRunOptions& options) {
  AbSamples again;
  again.order_seed = samples.order_seed;
  again.cases = samples.cases;
  AbProtocol protocol;
  const AbUnitRunner nothing = [](const AbUnitTask&) { return std::nullopt; };
  try {
    protocol.finished = run_ab(again, options, nothing, {}, {&samples, {}});
  } catch (const Error& error) {
    protocol.problem = error.what();
    return protocol;
  }
  if (again.units.size() != samples.units.size())
    protocol.problem =
        fmt::format("records[{}]: was measured although everything was decided", again.units.size());
  else if (again.outputs.size() != samples.outputs.size())
    protocol.problem =
        fmt::format("outputs: {}, but {} were scored", samples.outputs.size(), again.outputs.size());
  return protocol;
}

bool run_ab(AbSamples& samples, const AbRunOptions& options, const AbUnitRunner& run,
            const AbProgressCallback& progress, const AbRecall& recall) {
  require_fresh(samples);
  const int looks = options.settings.policy.looks;
  PairRunner runner(samples, run, progress, recall, static_cast<std::size_t>(looks) * options.pairs_per_look);
  std::vector<std::size_t> open = all_cases(samples);
  std::vector<AbCaseDecision> decisions;
  for (int look = 1; look <= looks && !open.empty(); ++look) {
    if (!runner.run_phase(AbPhase::look, look, fmt::format("look {} of {}", look, looks),
                          same_quota(open, options.pairs_per_look)))
      return false;
    decisions = decide_cases(samples, options.settings, Extras::none);
    open.clear();
    for (std::size_t i = 0; i < decisions.size(); ++i)
      if (decisions[i].wants_top_up) open.push_back(i);
  }
  std::vector<CaseQuota> quotas;
  for (std::size_t i = 0; i < decisions.size(); ++i)
    if (decisions[i].confirmation_pairs > 0) quotas.push_back({i, decisions[i].confirmation_pairs});
  return runner.run_phase(AbPhase::confirmation, 0, "confirmation", quotas);
}

}  // namespace aqbench
