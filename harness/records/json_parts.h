#pragma once
// Texts of JSON, large documents in parts, and sealed lines: those of an append-only file in which no changed
// byte or missing line goes unnoticed. Each is a JSON object that ends in "sha256", the hash of its text
// without that member, and contains in "prev" the hash of the whole previous line.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/files.h"
#include "core/json.h"

namespace aqbench {

// Returns the text, or null for the empty one.
Json text_json(const std::string& text);

// Returns the JSON indented by one blank per level, as if nested `level` levels deep, without the indent of
// its first line.
std::string indented_json(const Json& json, std::size_t level = 0);

// Returns the bytes of a text, which must outlive the result.
ReadBytes bytes_of_text(std::string_view text);

// Receives one part: its text and, for an object, its key as written, in quotes; else "".
using TakePart = std::function<void(std::string_view key, std::string_view value)>;

// Passes on the parts of the array or object at member `name` of the document (an object), or of the document
// itself if `name` is "", in order. Returns the document with an empty array or object in their place. It
// only finds where values begin and end; strict parsing (core/json.h) of its result and of each part accepts
// what strict parsing of the whole document accepts, except for duplicate keys in that object. Throws
// Error(input) "SOURCE: ..." if the text is truncated or values do not follow each other as in JSON, and the
// errors of `read` and `take`.
std::string split_json(const ReadBytes& read, std::string_view name, const std::string& source,
                       const TakePart& take);

// Returns the text of a sealed line, without line break: the object with its own hash as last member. Bytes
// that are not UTF-8 are replaced.
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
