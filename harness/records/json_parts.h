#pragma once
// Takes a large JSON document apart, so that its many parts are parsed one after the other and are never all
// in memory: the elements of an array, or the members of an object, that stand at the top or in one member of
// it.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/files.h"

namespace aqbench {

// Gives the next bytes of a text, which stay good until the next call; empty at its end.
using ReadBytes = std::function<std::string_view()>;

// Reads a text file piece by piece. Throws as read_text_file() does: at once for what is no regular file or
// larger than `max_bytes`, for the rest as it reads. Zero bytes are refused, or one of those at the end is
// given, as `zero_bytes` says.
ReadBytes bytes_of_file(const std::filesystem::path& file, std::uintmax_t max_bytes,
                        ZeroBytes zero_bytes = ZeroBytes::refuse);

// Gives the bytes of a text, which must outlive the result.
ReadBytes bytes_of_text(std::string_view text);

// Takes one part: its text and, of an object, its key as it stands in the document, in quotes; else "".
using TakePart = std::function<void(std::string_view key, std::string_view value)>;

// Hands over the parts of the array or object at member `name` of the document, which is an object, or of the
// document itself where `name` is "", in their order. Returns the document without them: an empty array or
// object stands in their place. It only finds where a value begins and ends; strict parsing (core/json.h) of
// what it returns and of each part accepts what strict parsing of the whole document accepts, except that a
// key may stand twice in that object. Throws Error(input) "SOURCE: ..." where the text is cut off or values
// do not follow each other as in JSON, and what `read` and `take` throw.
std::string split_json(const ReadBytes& read, std::string_view name, const std::string& source,
                       const TakePart& take);

}  // namespace aqbench
