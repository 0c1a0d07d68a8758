#pragma once
// JSON as it is shown on a terminal.

#include <string>
#include <string_view>

namespace aqbench {

// Returns a JSON text whose control characters that JSON allows unescaped (U+007F to U+009F) are written as
// \u00XX, so that they cannot steer a terminal.
std::string shown_json(std::string_view text);

}  // namespace aqbench
