#pragma once
// Carries out the faults of harness/records/fault.h.

#include <atomic>
#include <string>
#include <vector>

#include "core/stage_scope.h"
#include "harness/records/fault.h"
#include "harness/running/case_board.h"

namespace aqbench {

// The displacement of points along +Z by the fault `corrupt`, metres.
inline constexpr double kCorruptShiftM = 0.005;

// Carries out faults as stages open and close on any thread. Counts each strike on the board (slot = index of
// the fault), so that the count survives a crash.
class FaultInjector final : public StageObserver {
 public:
  // The board must outlive the injector and have a slot for each fault.
  FaultInjector(const std::vector<Fault>& faults, CaseBoard& board);

  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;

  bool corrupts_output() const { return corrupts_output_; }  // a `corrupt` fault was reached

 private:
  struct Planned {
    std::string stage;
    FaultEffect effect;
  };
  static bool matches(const Planned& fault, const char* stage, bool outermost);

  std::vector<Planned> faults_;
  CaseBoard& board_;
  std::atomic<bool> corrupts_output_{false};
};

}  // namespace aqbench
