#pragma once
// From the request of `aqbench ab --cmd-a --cmd-b` to two commands that can be run.

#include "cli/ab/options.h"
#include "cli/ab/sides.h"

namespace aqbench::cli {

// Tries both commands, plans runs and pairs by the time that they took (a resumed comparison takes its plan
// from journal.jsonl), says on stderr how long it will take, and fills document.run, .settings, .a, .b and
// .samples.cases; `settle` gets settling_command(). Commands whose outputs differ get one pair. Throws
// Error(input) for a command that fails or does not exist, QuickEnd where --quick has no time for one run.
AbSides plan_command_sides(const AbRequest& request, const Arguments& arguments, int cancel_descriptor,
                           AbDocument& document, std::string& settle);

}  // namespace aqbench::cli
