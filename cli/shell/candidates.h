#pragma once
// How a command line can be continued: the words that a shell offers for completion, made from the option
// tables of the commands and from the registries.

#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/value_sources.h"

namespace aqbench::cli {

// Splits what stands before the cursor as a shell does, with quotes and backslashes. The last word is the one
// being typed, "" after a blank.
std::vector<std::string> shell_words(std::string_view line);

// Returns the candidates for the last of these words; the first one is the program's name. Something that
// cannot be read (a folder that is no bundle) has no candidates.
std::vector<Candidate> candidates(const std::vector<std::string>& words);

}  // namespace aqbench::cli
