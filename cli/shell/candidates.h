#pragma once
// Completion of a command line: the words offered by a shell, from the option tables of the commands and the
// registries.

#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/value_sources.h"

namespace aqbench::cli {

// Splits the text before the cursor like a shell, with quotes and backslashes. The last word is the one being
// typed, "" after a blank.
std::vector<std::string> shell_words(std::string_view line);

// Returns the candidates for the last of these words; the first is the program's name. Unreadable sources (a
// folder that is not a bundle) give no candidates.
std::vector<Candidate> candidates(const std::vector<std::string>& words);

}  // namespace aqbench::cli
