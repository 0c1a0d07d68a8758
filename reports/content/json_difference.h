#pragma once
// Where two JSON texts differ.

#include <string>

#include "core/json.h"

namespace aqbench {

// Returns the path of the first value that differs, "decision.cases[0].verdict"; "" where there is none.
// `path` is where both values stand.
std::string first_difference(const Json& a, const Json& b, const std::string& path = "");

}  // namespace aqbench
