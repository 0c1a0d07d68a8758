#pragma once
// Checks commands.txt of a sweep's bundle: how its commands ended, how long they took, and what they were
// given.

#include <string>
#include <vector>

#include "harness/running/journal.h"
#include "reports/content/bundle_content.h"
#include "reports/content/bundle_files.h"
#include "reports/content/command_list.h"

namespace aqbench {

// Returns what in commands.txt does not fit the rest of a bundle that was not merged: text that aqbench does
// not write, commands that are no sweep (or no profile, where the run is one), more commands that resume than
// the journal was resumed, times out of order, more processor time than all processors have, less time than
// was measured, an exit code that neither records nor the gate give, flags that are not what was asked for, a
// commit that is not the environment's; and notes, baseline and log of tests that no command asked for, or
// that are not there though one did. `content` has no gate where its baseline could not be read, `files` are
// all of the bundle, sorted; cases of a `shared` sweep ran in several processes, on any machine.
std::vector<Finding> check_commands(const BundleContent& content, const JournalContents& journal,
                                    const CommandList& commands, const std::vector<std::string>& files,
                                    bool shared);

}  // namespace aqbench
