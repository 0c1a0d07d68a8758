#pragma once
// Texts of JSON, and large documents in parts.

#include <cstddef>
#include <cstdint>
#include <filesystem>
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

// Returns the next bytes of a text, valid until the next call; empty at its end.
using ReadBytes = std::function<std::string_view()>;

// Reads a text file in pieces. Throws like read_text_file(): at once for a file that is not regular or larger
// than `max_bytes`, for the rest as it reads. `zero_bytes` says whether zero bytes are refused or one of
// those at the end is returned.
ReadBytes bytes_of_file(const std::filesystem::path& file, std::uintmax_t max_bytes,
                        ZeroBytes zero_bytes = ZeroBytes::refuse);

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

}  // namespace aqbench
