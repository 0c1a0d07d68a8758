#pragma once
// Two command lines that are compared: what runs a unit of them, and what tries them first.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/ab/first_pairs.h"
#include "cli/ab/options.h"
#include "cli/ab/sides.h"
#include "harness/ab/ab_command.h"
#include "harness/ab/document.h"
#include "harness/ab/unit.h"

namespace aqbench::cli {

// Both commands and what their units need, for as long as the runner lives. Arrays are indexed by side.
struct CommandPair {
  std::array<AbCommand, 2> commands;
  std::array<std::string, 2> files, file_states;  // of the program that a line starts with; "": not known
  AbCommandRules rules;
  std::vector<std::string> benchmarks;  // by case, of programs of Google Benchmark
  int warmup = 0, runs = 1;
  std::uint64_t order_seed = 0;
  UnitLimits limits;
  FirstUnits first = {};  // of the trial
};

// Runs one unit. `plan` has the runs and the benchmark; the unit must end within `limit_s` (0: within the
// pair's own limit).
std::optional<CommandAnswer> run_side(const CommandPair& pair, AbSide side, CommandUnitPlan plan,
                                      double limit_s = 0);

// Runs a side once before the first pair, with --quick within what `spent_s` leaves of the minute. Throws
// Error(input) naming its flag if it fails, Error(interrupted), and with --quick QuickEnd naming the command
// that settles it if the minute is over.
CommandAnswer tried(const CommandPair& pair, AbSide side, const Settling& settle, double spent_s);

// Returns whether the peak memory of both sides' units is above that of a shell, which says nothing of a
// command.
bool tells_memory_apart(const CommandPair& pair, const std::array<const Record*, 2>& units);

// Returns the cost that the peak memory of a process is.
AbOutcome memory_outcome();

// Runs both programs of Google Benchmark once: their benchmarks are the cases. Plans the pairs, notes what is
// not compared, and says on stderr how long it will take; returns settling(). With --quick and time
// for no more, the trial is the only pair. Throws as tried(), Error(not_comparable) naming a benchmark that B
// lacks, Error(usage) for too few pairs.
Settling plan_by_gbench_trial(const AbRequest& request, const Arguments& arguments, CommandPair& pair,
                              AbDocument& document);

}  // namespace aqbench::cli
