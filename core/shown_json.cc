#include "core/shown_json.h"

#include <fmt/format.h>

#include <cstddef>

namespace aqbench {

std::string shown_json(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0x7F)
      safe += "\\u007f";
    else if (byte == 0xC2 && next >= 0x80 && next <= 0x9F)  // U+0080 to U+009F in UTF-8
      safe += fmt::format("\\u{:04x}", text[++i] & 0xFF);
    else
      safe += text[i];
  }
  return safe;
}

}  // namespace aqbench
