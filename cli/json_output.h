#pragma once
// JSON on standard output.

#include <string_view>

namespace aqbench::cli {

// Prints a JSON text. The control characters that JSON allows as they are (U+007F to U+009F) are written as
// \u00XX, which means the same and steers no terminal.
void print_json(std::string_view text);

}  // namespace aqbench::cli
