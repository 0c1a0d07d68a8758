#include "scenes/core/printable.h"

namespace aqbench {

std::string printable(std::string_view text, std::size_t max_size) {
  std::string result;
  for (const char character : text.substr(0, max_size)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte < 0x7f) {
      result += character;
    } else {
      result += "\\x";
      result += "0123456789abcdef"[byte >> 4];
      result += "0123456789abcdef"[byte & 15];
    }
  }
  return text.size() > max_size ? result + "..." : result;
}

}  // namespace aqbench
