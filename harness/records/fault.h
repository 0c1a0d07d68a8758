#pragma once
// Injected faults: `--inject [CASE_GLOB:]STAGE=+5%|20ms|throw|abort|hang|oom|corrupt`. They test the harness;
// the record counts their strikes.
//   +5%      the stage takes 5 % longer (busy), counted in its wall time
//   20ms     (or us, s) the stage sleeps 20 ms at its end, counted in its wall time
//   throw    Error(method) when the stage is entered
//   abort    the process aborts when the stage is entered
//   hang     the stage never ends
//   oom      the stage takes memory until it is killed
//   corrupt  after the run every point, mesh vertex and depth is moved by 5 mm along +Z

#include <cstddef>
#include <string>
#include <string_view>

namespace aqbench {

// The maximum number of faults per case.
inline constexpr std::size_t kMaxFaultsPerCase = 64;

// A fault planned for one case (harness/running/inject.h carries it out).
struct Fault {
  std::string stage;   // a stage of the method, or "*" for the outermost ones
  std::string effect;  // as given: "+5%", "20ms", "throw", "abort", "hang", "oom", "corrupt"

  template <class Row>
  static void members(const Row& row) {
    row("stage", &Fault::stage);
    row("effect", &Fault::effect);
  }
};

// One --inject argument. The stage is between the last ':' and the last '='; "*" means the outermost stages.
// Without a glob every case is meant.
struct Inject {
  std::string case_glob;
  Fault fault;
};

// Parses such an argument. Throws Error(usage) quoting it.
Inject parse_inject(std::string_view argument);

// Returns a text that parse_inject() reads back as the same.
std::string to_string(const Inject& inject);

// The effect of a fault (the list above, in its order).
enum class FaultKind { slow_down, sleep, throw_error, abort, hang, out_of_memory, corrupt };

// The effect of a fault and its amount.
struct FaultEffect {
  FaultKind kind{};
  double amount = 0;  // a share of the stage's time for slow_down, seconds for sleep
};

// Parses Fault::effect. Throws Error(usage) quoting the text.
FaultEffect parse_fault_effect(std::string_view text);

}  // namespace aqbench
