#pragma once
// Placeholders of commands: "{dataset}", and of parameters "{window}". "{{window}}" is a literal "{window}".

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aqbench {

// Returns whether this is a letter, then letters, digits and "_", at most 64; with `dashes` also "-" and
// leading digits.
bool is_plain_name(std::string_view name, bool dashes);

// Returns the names that aqbench fills in.
std::vector<std::string> own_placeholders();

// Returns the names in braces of a text, "{window}" as "window", each once. "{{window}}" is an escaped
// "{window}".
std::vector<std::string> placeholders_in(std::string_view text);

// Returns the text with placeholders replaced by their values and "{{name}}" by "{name}".
std::string with_placeholders(std::string_view text,
                              const std::vector<std::pair<std::string, std::string>>& values);

// Returns in one line what is wrong with the first placeholder that is unknown, or that is none and looks
// like one: "{slow=0.01}", "{ output }", "{output/cloud.ply"; "" if nothing is. Other braces, as of JSON, awk
// or a shell, are literal.
std::string placeholder_problem(std::string_view text, const std::vector<std::string>& known);

}  // namespace aqbench
