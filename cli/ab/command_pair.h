#pragma once
// Both commands of a comparison, and how a unit of one is run.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/ab/options.h"
#include "cli/ab/quick.h"
#include "core/scratch_folder.h"
#include "harness/ab/command_unit.h"
#include "harness/ab/document.h"

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
  ScratchFolder scratch;
  std::optional<std::pair<AbSide, std::uint64_t>> linked;  // what was linked last
  FirstUnits first = {};                                   // of the trial
};

// Returns 0 for A and 1 for B.
std::size_t index_of(AbSide side);

// Returns what a side runs, from its flags. Throws Error(usage) for a folder that is none.
AbCommand command_of(const AbCommandRequest& request, std::size_t side);

// Returns the file of the program that a plain line starts with; "" where the shell decides.
std::string program_file(const AbCommand& command);

// Runs one unit; links the program anew where this is not what was linked last. `plan` has the runs and the
// benchmark.
std::optional<CommandAnswer> run_side(CommandPair& pair, AbSide side, std::optional<std::uint64_t> layout,
                                      CommandUnitPlan plan);

// Runs a side once before the first pair. Throws Error(input) naming its flag if it fails,
// Error(interrupted), and with --quick QuickEnd naming the command that settles it if the minute is over.
CommandAnswer tried(CommandPair& pair, AbSide side, const std::string& settle);

// Runs both programs of Google Benchmark once: their benchmarks are the cases. Plans the pairs, notes what is
// not compared, and says on stderr how long it will take; returns settling_command(). With --quick and time
// for no more, the trial is the only pair. Throws as tried(), Error(not_comparable) naming a benchmark that B
// lacks, Error(usage) for too few pairs.
std::string plan_by_gbench_trial(const AbRequest& request, const Arguments& arguments, CommandPair& pair,
                                 AbDocument& document);

}  // namespace aqbench::cli
