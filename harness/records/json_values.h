#pragma once
// Conversion of small values to JSON, and its text.

#include <cstddef>
#include <string>

#include "core/json.h"

namespace aqbench {

// Returns the text, or null for the empty one.
Json text_json(const std::string& text);

// Returns the JSON indented by one blank per level, as if nested `level` levels deep, without the indent of
// its first line.
std::string indented_json(const Json& json, std::size_t level = 0);

}  // namespace aqbench
