#pragma once
// A command line as one text, cut into words as a shell would, without a shell.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aqbench {

// Words are separated by blanks. 'single quotes' keep everything, "double quotes" keep all but \" and \\, a
// backslash outside of quotes keeps the next character. Nothing else has a meaning: no variables, no
// patterns, no pipes. Throws Error(usage) for a quote that is not closed or a backslash at the end.
std::vector<std::string> split_command(std::string_view command);

// Every "{name}" in the word replaced by its value; braces around other names stay.
std::string fill_placeholders(std::string word,
                              const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace aqbench
