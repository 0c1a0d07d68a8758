#pragma once
// Faults on purpose: `--inject [CASE_GLOB:]STAGE=+5%|20ms|throw|abort|hang|oom|corrupt`. A testing aid; what
// was done stands in the record.
//   +5%      the stage takes 5 % longer (busy), counted in its wall time
//   20ms     (or us, s) the stage sleeps 20 ms at its end, counted in its wall time
//   throw    Error(method) when the stage is entered
//   abort    the process aborts when the stage is entered
//   hang     the stage never ends
//   oom      the stage takes memory until it is killed
//   corrupt  after the run every point, mesh vertex and depth is moved by 5 mm along +Z

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case_board.h"
#include "harness/fault.h"
#include "scenes/core/stage_scope.h"

namespace aqbench {

inline constexpr double kCorruptShiftM = 0.005;

// One --inject argument. The stage is what stands between the last ':' and the last '='; "*" means the
// outermost stages. Without a glob every case is meant.
struct Inject {
  std::string case_glob;
  Fault fault;
};

// Throws Error(usage) quoting the argument.
Inject parse_inject(std::string_view argument);
std::string to_string(const Inject& inject);  // reads back the same

enum class FaultKind { slow_down, sleep, throw_error, abort, hang, out_of_memory, corrupt };
struct FaultEffect {
  FaultKind kind{};
  double amount = 0;  // a share of the stage's time for slow_down, seconds for sleep
};
// Throws Error(usage) quoting the text.
FaultEffect parse_fault_effect(std::string_view text);

// Carries faults out as stages open and close on any thread. Counts what it did on the board (slot = index of
// the fault), so that the count outlives a crash.
class FaultInjector final : public StageObserver {
 public:
  // The board must outlive the injector and have as many slots as there are faults.
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
