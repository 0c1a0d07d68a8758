#pragma once
// Errors in a JSON document name the line.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace aqbench {

// The first line, from 1, of each value of a document, by its JsonPlace path:
// "methods[0].parameters[1].name". The path of the document is "".
using JsonLines = std::map<std::string, std::size_t>;

// Returns the lines of a document accepted by parse_strict_json().
JsonLines lines_of_json(std::string_view text);

// Calls `read` and adds the line to its errors: "FILE: methods[0].unit: what" becomes "FILE:12:
// methods[0].unit: what". A missing value has the line of its parent. Errors of other files are unchanged.
void with_json_lines(std::string_view text, const std::string& file, const std::function<void()>& read);

}  // namespace aqbench
