#pragma once
// Lines of an append-only file in which no changed byte or missing line goes unnoticed: each is a JSON object
// that ends in "sha256", the hash of its text without that member, and contains in "prev" the hash of the
// whole previous line.

#include <string>
#include <string_view>

#include "core/json.h"

namespace aqbench {

// Returns the object's text, without line break, with its own hash as last member. Bytes that are not UTF-8
// are replaced.
std::string seal_line(const Json& object);

// Does the same for the text of an object that ends in "}".
std::string seal_text(std::string text);

// Returns whether a line of JSON is exactly as the library writes it: without blanks between its parts and
// unnecessary escapes.
bool is_compact_json(std::string_view line);

// Checks the hash at the end of such a line. Throws Error(verification) "PLACE: ..." if it is missing or
// wrong.
void check_seal(std::string_view line, const std::string& place);

// Reads such a line; the result includes the member "sha256". Throws Error(verification) "PLACE: ..." for a
// missing or wrong hash, and for a line that is not JSON.
Json open_sealed_line(std::string_view line, const std::string& place);

// Throws Error(verification) "PLACE: WHAT".
[[noreturn]] void throw_damaged(const std::string& place, std::string_view what);

}  // namespace aqbench
