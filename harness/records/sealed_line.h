#pragma once
// Lines of a file that is only ever appended to, in which no byte can change and no line can be taken out
// unnoticed: each is a JSON object that ends in "sha256", the hash of its text without that member, and holds
// in "prev" the hash of the whole line before.

#include <string>
#include <string_view>

#include "core/json.h"

namespace aqbench {

// Returns the object's text, without line break, with its own hash as last member. Bytes that are no UTF-8
// are replaced.
std::string seal_line(const Json& object);

// Does the same with the text of an object that ends in "}".
std::string seal_text(std::string text);

// Returns whether a line that is JSON has nothing in it that the library would not write: blanks between its
// parts, and escapes of characters that need none.
bool is_compact_json(std::string_view line);

// Checks the hash that such a line ends in. Throws Error(verification) "PLACE: ..." if it is missing or
// wrong.
void check_seal(std::string_view line, const std::string& place);

// Reads such a line; the result has the member "sha256", too. Throws Error(verification) "PLACE: ..." for a
// hash that is missing or wrong, and for what is no JSON.
Json open_sealed_line(std::string_view line, const std::string& place);

// Throws Error(verification) "PLACE: WHAT".
[[noreturn]] void throw_damaged(const std::string& place, std::string_view what);

}  // namespace aqbench
