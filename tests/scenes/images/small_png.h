#pragma once
// A PNG of 2 x 2 counts of 16 bits: 1, 256, 1000, 65535.

#include <string>
#include <string_view>

namespace aqbench {

// Returns the bytes of the file (made by zlib's level 6, no filter).
inline std::string small_png() {
  constexpr std::string_view kHex =
      "89504e470d0a1a0a0000000d4948445200000002000000021000000000074d8ebb0000001249444154789c6360"
      "60646460607ef1ff3f0005da02ecd1e2212b0000000049454e44ae426082";
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i < kHex.size(); i += 2)
    bytes.push_back(static_cast<char>(digit(kHex[i]) * 16 + digit(kHex[i + 1])));
  return bytes;
}

}  // namespace aqbench
