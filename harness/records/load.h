#pragma once
// How loaded a machine was while something was timed, and which time decides then.

#include <cstddef>
#include <optional>

#include "core/json.h"
#include "harness/records/record.h"

namespace aqbench {

// What --decide-by asks for.
enum class DecideBy {
  automatic,  // both where the machine was loaded and one thread alone was timed, else wall time
  wall,
  cpu,
  instructions,  // those of user space, where they are counted
  both,          // CPU time, and wall time as a cost: it can fail a comparison and never win it
};

// How much there was to do on a machine.
struct MachineLoad {
  double load_1m = 0;  // load average over 1 minute
  std::size_t processors = 1;

  // Returns whether programs waited for a processor.
  bool is_high() const { return load_1m > static_cast<double>(processors); }
};

// Returns whether the CPU time of a record tells more than its wall time: one thread was timed while programs
// waited for a processor, the median of its blocks' loads being above the processors of the machine. False
// where load, threads or CPU times are unknown.
bool is_better_by_cpu(const Record& record, const Json& environment);

}  // namespace aqbench
