#pragma once
// Lines of a JSON document, for errors in files that people write by hand.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace aqbench {

// The line, from 1, in which each value of a document begins, by its path as JsonPlace writes it:
// "methods[0].parameters[1].name". The document itself is "".
using JsonLines = std::map<std::string, std::size_t>;

// Returns the lines of a document that parse_strict_json() has accepted.
JsonLines lines_of_json(std::string_view text);

// Calls `read` and adds the line to the errors that it throws: "FILE: methods[0].unit: what" becomes
// "FILE:12: methods[0].unit: what". Where the value itself is missing, the line is that of what it is missing
// in. Errors of other files stay as they are.
void with_json_lines(std::string_view text, const std::string& file, const std::function<void()>& read);

}  // namespace aqbench
