#pragma once
// The JSON type used everywhere: object keys keep the order in which they were written.

#include <nlohmann/json_fwd.hpp>

namespace aqbench {
using Json = nlohmann::ordered_json;
}  // namespace aqbench
