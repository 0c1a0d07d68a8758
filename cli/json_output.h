#pragma once
// JSON on standard output.

#include <string_view>

namespace aqbench::cli {

// Prints a JSON text. Control characters that JSON allows unescaped (U+007F to U+009F) are written as \u00XX,
// so that they cannot steer a terminal.
void print_json(std::string_view text);

}  // namespace aqbench::cli
