#pragma once
// Places on a grid in the order in which neighbours in space are neighbours (Morton, 1966).

#include <array>
#include <cstdint>

namespace aqbench {

// Return the 63 bits of three coordinates of 21 bits each, the lowest of x first, and those coordinates.
inline std::uint64_t morton_encode(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  const auto spread = [](std::uint64_t bits) {
    bits &= 0x1fffff;
    bits = (bits | bits << 32) & 0x1f00000000ffff;
    bits = (bits | bits << 16) & 0x1f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
  };
  return spread(x) | spread(y) << 1 | spread(z) << 2;
}

inline std::array<std::uint32_t, 3> morton_decode(std::uint64_t code) {
  const auto gather = [](std::uint64_t bits) {
    bits &= 0x1249249249249249;
    bits = (bits | bits >> 2) & 0x10c30c30c30c30c3;
    bits = (bits | bits >> 4) & 0x100f00f00f00f00f;
    bits = (bits | bits >> 8) & 0x1f0000ff0000ff;
    bits = (bits | bits >> 16) & 0x1f00000000ffff;
    return static_cast<std::uint32_t>((bits | bits >> 32) & 0x1fffff);
  };
  return {gather(code), gather(code >> 1), gather(code >> 2)};
}

}  // namespace aqbench
