#pragma once
// One unit of a comparison of two commands: the command is run several times, each run a process of its own.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/ab/ab_command.h"
#include "harness/ab/gbench_report.h"
#include "harness/ab/unit.h"

namespace aqbench {

// The names of the outcomes that are measured of a run beside its wall time.
inline constexpr const char* kCpuOutcome = "cpu_ms";
inline constexpr const char* kMemoryOutcome = "peak_memory_mib";

// How a unit runs its command.
struct CommandUnitPlan {
  int warmup = 0;  // runs that are thrown away
  int runs = 1;
  AbCommandRules rules;
  std::string benchmark = {};           // with rules.gbench: the one that is run; "": all
  std::optional<std::uint64_t> layout;  // drawn for this unit
  std::vector<std::pair<std::string, std::string>> relink_variables;  // of the environment while it is linked
  bool relink = false;  // the program has to be linked anew for this unit
};

// What the process of a unit gave.
struct CommandAnswer {
  Record unit;  // with rules.gbench and no benchmark named its times are the process's
  std::vector<GbenchTimes> benchmarks = {};  // then all that it measured
  bool prints_gbench_report = false;         // without rules.gbench: its stdout is such a report
};

// Runs a unit: links the program anew where asked for, then for each run prepares and runs. The unit has the
// wall times of the runs, and as outcomes processor time (of the command and the children that it waited for)
// and the largest resident size of one of its processes, which is never below this process's own. The
// output's hash is of stdout or of rules.compare_output, with the exit code where any is allowed. With
// rules.gbench the unit has the times per iteration of plan.benchmark instead, those of its repetitions in
// all runs, and neither outcomes nor a hash. A run that fails, and one that did not write the file or measure
// the benchmark, fail the unit with a reason. Returns nullopt if it was cancelled.
std::optional<CommandAnswer> run_command_unit(const AbCommand& command, const CommandUnitPlan& plan,
                                              const UnitLimits& limits);

// Returns the outcomes that are judged of commands beside the wall time.
std::vector<AbOutcome> command_outcomes();

}  // namespace aqbench
