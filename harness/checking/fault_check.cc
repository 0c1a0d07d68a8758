#include "harness/checking/fault_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "harness/measuring/stage_recorder.h"
#include "harness/planning/case_method.h"
#include "harness/records/fault.h"

namespace aqbench {
namespace {

constexpr std::string_view kThrown = "injected failure in stage '";  // as the injector throws it

std::optional<FaultEffect> effect_of(const InjectedFault& fault) {
  try {
    return parse_fault_effect(fault.effect);
  } catch (const Error&) {  // not as planned, which is named elsewhere
    return std::nullopt;
  }
}

bool is_deadly(FaultKind kind) {
  return kind == FaultKind::throw_error || kind == FaultKind::abort || kind == FaultKind::hang ||
         kind == FaultKind::out_of_memory;
}

// "*" means the outermost stages.
bool is_of(const InjectedFault& fault, const StageRecord& stage) {
  return fault.stage == "*" ? stage.parent.empty() : fault.stage == stage.name;
}

class FaultChecker {
 public:
  FaultChecker(const Record& record, const Case& planned) : record_(record), planned_(planned) {}

  SourceProblems run() {
    if (record_.status != Status::ok) check_thrown();
    if (record_.status == Status::ok && planned_.workload.empty() && !tells_own_stages(planned_))
      for (const InjectedFault& fault : record_.injected) check_struck(fault);
    return std::move(problems_);
  }

 private:
  // Without a cold time it failed in the first run, after which the strikes are noted.
  void check_thrown() {
    const std::string& reason = record_.reason;
    if (!reason.starts_with(kThrown) || record_.timing.cold_ms) return;
    const bool struck = std::ranges::any_of(record_.injected, [](const InjectedFault& fault) {
      const auto effect = effect_of(fault);
      return effect && effect->kind == FaultKind::throw_error && fault.times > 0;
    });
    if (!struck) problems_.always.push_back("injected: no fault struck, and the case failed by one");
  }

  void check_struck(const InjectedFault& fault) {
    if (fault.times == 0) {
      if (std::ranges::find(record_.stages, fault.stage, &StageRecord::name) != record_.stages.end())
        problems_.always.push_back(
            fmt::format("injected: no fault struck in stage {}, which ran", fault.stage));
      return;
    }
    const auto effect = effect_of(fault);
    if (!effect) return;
    if (is_deadly(effect->kind))
      problems_.always.push_back(
          fmt::format("injected: {} struck in stage {}, and the case ended well", fault.effect, fault.stage));
    if (effect->kind == FaultKind::sleep) check_delay(fault, 1e3 * effect->amount);
    check_calls(fault);
  }

  // A delay is a part of the stage's time in each run that calls it. Outermost stages of other threads may be
  // those of a library, so "*" is left out.
  void check_delay(const InjectedFault& fault, double delay_ms) {
    constexpr double kRounding = 1e-3;
    if (fault.stage == "*") return;
    for (const StageRecord& stage : record_.stages)
      for (const double ms : stage.wall_ms)
        if (is_of(fault, stage) && ms > 0 && ms < (1 - kRounding) * delay_ms)
          return problems_.of_this_version.push_back(fmt::format(
              "injected: {} struck in stage {}, which took {:.6g} ms", fault.effect, fault.stage, ms));
  }

  // Of a case that is not timed warm all calls are in the record; a fault strikes once in each.
  void check_calls(const InjectedFault& fault) {
    if (planned_.timing.times_warm() || planned_.timing.blocks > 1) return;
    std::uint64_t calls = 0;
    for (const StageRecord& stage : record_.stages) {
      if (stage.name == kOtherStages) return;
      if (is_of(fault, stage)) calls += stage.calls;
    }
    if (fault.times > calls)
      problems_.of_this_version.push_back(fmt::format("injected: {} struck {} times in {} calls of stage {}",
                                                      fault.effect, fault.times, calls, fault.stage));
  }

  const Record& record_;
  const Case& planned_;
  SourceProblems problems_;
};

}  // namespace

SourceProblems fault_problems(const Record& record, const Case& planned) {
  return FaultChecker(record, planned).run();
}

}  // namespace aqbench
