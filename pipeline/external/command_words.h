#pragma once
// Splits a command line into words as a shell would, without a shell.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aqbench {

// Splits at blanks. Single quotes protect everything, double quotes everything but \" and \\, and a backslash
// outside quotes the next character. Nothing else is special: no variables, patterns or pipes. Throws
// Error(usage) for an unterminated quote and a trailing backslash.
std::vector<std::string> split_command(std::string_view command);

// Replaces every "{name}" in the word by its value; other braces stay.
std::string fill_placeholders(std::string word,
                              const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace aqbench
