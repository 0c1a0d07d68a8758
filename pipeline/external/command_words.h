#pragma once
// Splits a command line into words as a shell would, without a shell.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aqbench {

// Splits at blanks. Single quotes keep everything between them, double quotes all but \" and \\, and a
// backslash outside of quotes keeps the next character. Nothing else has a special meaning: no variables, no
// patterns, no pipes. Throws Error(usage) for a quote that is not closed and for a backslash at the end.
std::vector<std::string> split_command(std::string_view command);

// Replaces every "{name}" in the word by its value; braces around other names stay.
std::string fill_placeholders(std::string word,
                              const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace aqbench
