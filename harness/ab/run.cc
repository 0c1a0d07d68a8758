#include "harness/ab/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/sandbox/sandbox.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/decision.h"
#include "harness/running/progress.h"
#include "harness/statistics/signed_rank.h"

namespace aqbench {
namespace {

struct CaseQuota {
  std::size_t case_index = 0;
  std::size_t pairs = 0;
};

// Which unit comes next: the pairs of the looks, then those that confirm. A function of the units so far.
class PairSchedule {
 public:
  PairSchedule(const AbSamples& samples, const AbSettings& settings, std::size_t pairs_per_look)
      : samples_(samples),
        settings_(without_extras(settings)),
        pairs_per_look_(pairs_per_look),
        failed_(samples.cases.size(), false) {
    if (samples.cases.empty()) throw usage_error("no cases to compare");
  }

  // Returns the next unit, nullopt when everything is decided. The samples must begin with the whole pairs
  // that ended.
  std::optional<AbUnitTask> next() {
    if (half_) {
      task_->side = other_side(task_->side);
      return task_;
    }
    do task_ = next_pair();
    while (!task_ && next_phase());
    return task_;
  }

  // Ends the unit; returns whether its pair ends with it.
  bool end_unit(Status status) {
    failed_[task_->case_index] = status != Status::ok;
    ++measured_;
    ++done_units_;
    half_ = !half_ && status == Status::ok;
    if (half_) return false;
    ++drawn_;
    ++turn_;
    ++next_pair_[{task_->case_index, task_->look == 0}];
    return true;
  }

  std::string phase() const {
    return look_ == 0 ? "confirmation" : fmt::format("look {} of {}", look_, settings_.policy.looks);
  }
  std::size_t done_units() const { return done_units_; }  // of this phase
  std::size_t planned_units() const { return planned_units_; }

 private:
  std::optional<AbUnitTask> next_pair() {
    for (; round_ < rounds_; ++round_, turn_ = 0)
      for (; turn_ < quotas_.size(); ++turn_) {
        const CaseQuota& quota = quotas_[turn_];
        if (round_ >= quota.pairs || failed_[quota.case_index]) continue;
        const std::size_t pair = next_pair_[{quota.case_index, look_ == 0}];
        const std::size_t first_draw =
            look_ > 0 ? 0 : static_cast<std::size_t>(settings_.policy.looks) * pairs_per_look_;
        return AbUnitTask{.case_index = quota.case_index,
                          .side = first_side(samples_.order_seed, drawn_),
                          .score = look_ == 1 && pair == 0,
                          .draw = first_draw + pair,
                          .look = look_,
                          .pair = pair};
      }
    return std::nullopt;
  }

  // Goes on to the next look, or to the confirmation of what was flagged; returns false after that.
  bool next_phase() {
    if (begun_ && look_ == 0) return false;
    std::vector<AbCaseDecision> decisions(samples_.cases.size());
    if (begun_) decisions = decide_cases(samples_, settings_, measured_);
    quotas_.clear();
    for (std::size_t i = 0; i < decisions.size() && look_ < settings_.policy.looks; ++i)
      if (!begun_ || decisions[i].wants_top_up) quotas_.push_back({i, pairs_per_look_});
    look_ = quotas_.empty() ? 0 : look_ + 1;
    for (std::size_t i = 0; i < decisions.size() && look_ == 0; ++i)
      if (decisions[i].confirmation_pairs > 0) quotas_.push_back({i, decisions[i].confirmation_pairs});
    begun_ = true;
    rounds_ = round_ = turn_ = done_units_ = planned_units_ = 0;
    for (const CaseQuota& quota : quotas_) {
      planned_units_ += 2 * quota.pairs;
      rounds_ = std::max(rounds_, quota.pairs);
    }
    return true;
  }

  const AbSamples& samples_;
  AbSettings settings_;
  std::size_t pairs_per_look_;
  std::vector<bool> failed_;
  std::optional<AbUnitTask> task_;  // the one that runs
  bool half_ = false;               // its pair's first unit ended
  bool begun_ = false;
  int look_ = 0;
  std::vector<CaseQuota> quotas_;                                  // of this phase
  std::size_t rounds_ = 0, round_ = 0, turn_ = 0;                  // of these
  std::size_t measured_ = 0, done_units_ = 0, planned_units_ = 0;  // units in all, and of this phase
  std::map<std::pair<std::size_t, bool>, std::size_t> next_pair_;  // by case, of looks and confirmations
  std::size_t drawn_ = 0;                                          // pairs that ended: the coin's index
};

[[noreturn]] void refuse_recorded(std::size_t index, const std::string& why) {
  throw input_error("records[{}]: {}", index, why);
}

// Follows the schedule through what was measured.
void follow(PairSchedule& schedule, const AbSamples& samples) {
  bool whole = true;
  for (std::size_t i = 0; i < samples.units.size(); ++i) {
    const UnitOfRecord& unit = *samples.units[i].unit;
    const auto task = schedule.next();
    if (!task) refuse_recorded(i, "was measured although everything was decided");
    if (unit.case_index != task->case_index || unit.look != task->look || unit.pair != task->pair ||
        unit.side != task->side)
      refuse_recorded(
          i, fmt::format("is not what comes next, which is {}, pair {}, side {} of {}", schedule.phase(),
                         task->pair, to_string(task->side), samples.cases[task->case_index].name));
    if (unit.scored && !task->score) refuse_recorded(i, "is scored, though it is not the first of its side");
    whole = schedule.end_unit(samples.units[i].status);
  }
  if (!whole) refuse_recorded(samples.units.size() - 1, "is half a pair");
}

// A method can set priorities, processors and limits of the process that runs both sides, and so slow the
// other one down.
void check_settings(OwnSettings& settings, CaseResult& result) {
  const std::string changes = changed_settings(settings, own_settings());
  if (changes.empty()) return;
  restore_settings(settings);
  settings = own_settings();
  result = {unit_record(), {}};
  result.record.status = Status::failed;
  result.record.reason = fmt::format("how the comparison runs was changed meanwhile: {}", changes);
}

}  // namespace

std::size_t max_pairs_per_look(int looks) {
  return kMaxSignedRankPairs / static_cast<std::size_t>(std::max(looks, 1));
}

AbProtocol follow_ab(const AbSamples& samples, const AbSettings& settings, std::size_t pairs_per_look) {
  AbProtocol protocol;
  try {
    PairSchedule schedule(samples, settings, pairs_per_look);
    follow(schedule, samples);
    protocol.finished = !schedule.next();
  } catch (const Error& error) {
    protocol.problem = error.what();
  }
  return protocol;
}

std::string ab_progress_text(const AbProgress& progress, int columns) {
  std::string text = fmt::format("{}: {}/{} units {}", progress.phase, progress.done_units,
                                 progress.planned_units, clock_text(progress.elapsed_s));
  if (progress.eta_s) text += fmt::format(", {} left", clock_text(*progress.eta_s));
  text += "  " + progress.case_name;
  return one_line(printable(text), static_cast<std::size_t>(std::max(columns, 20)));
}

bool run_ab(AbSamples& samples, const AbSettings& settings, std::size_t pairs_per_look,
            const AbUnitRunner& run, const AbProgressCallback& progress, const AbPairKeeper& keep) {
  PairSchedule schedule(samples, settings, pairs_per_look);
  follow(schedule, samples);
  OwnSettings own = own_settings();
  const auto start = SteadyClock::now();
  auto phase_start = start;
  std::string phase;
  std::size_t earlier = 0;  // units of this phase that were measured before
  std::vector<CaseResult> pair;
  while (const auto task = schedule.next()) {
    const AbCase& one = samples.cases[task->case_index];
    if (std::exchange(phase, schedule.phase()) != phase) {
      phase_start = SteadyClock::now();
      earlier = schedule.done_units();
    }
    if (progress) {
      AbProgress now{
          phase,       one.name, schedule.done_units(), schedule.planned_units(), seconds_since(start),
          std::nullopt};
      if (now.done_units > earlier)
        now.eta_s = seconds_since(phase_start) / static_cast<double>(now.done_units - earlier) *
                    static_cast<double>(now.planned_units - now.done_units);
      progress(now);
    }
    auto result = run(*task);
    if (!result) return false;  // half a pair is no measurement
    check_settings(own, *result);
    Record& record = pair.emplace_back(std::move(*result)).record;
    record.case_name = one.name;
    record.unit->case_index = task->case_index;
    record.unit->side = task->side;
    record.unit->look = task->look;
    record.unit->pair = task->pair;
    if (!schedule.end_unit(record.status)) continue;
    if (keep) keep(pair);
    for (CaseResult& unit : pair) samples.units.push_back(std::move(unit.record));
    pair.clear();
  }
  return true;
}

}  // namespace aqbench
