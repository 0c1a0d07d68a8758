#pragma once
// From the request of `aqbench ab --cmd-a --cmd-b` to two commands that can be run.

#include "cli/ab/options.h"
#include "cli/ab/sides.h"

namespace aqbench::cli {

// Tries both commands, plans runs and pairs by the time that they took (a resumed comparison takes its plan
// from journal.jsonl), says on stderr how long it will take, and fills document.run, .settings, .a, .b and
// .samples.cases. Throws Error(input) for a command that fails or does not exist, Error(usage) where --quick
// has no time for one pair.
AbSides plan_command_sides(const AbRequest& request, int cancel_descriptor, AbDocument& document);

// Adds a note to the document where --quick had time for too few pairs for a verdict: how many pairs, the
// medians of both sides, and the range of B / A.
void note_quick_times(AbDocument& document);

}  // namespace aqbench::cli
