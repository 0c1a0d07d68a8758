#include "core/random.h"

#include <cmath>
#include <numbers>

namespace aqbench {
namespace {

void philox_round(std::array<std::uint32_t, 4>& c, const std::array<std::uint32_t, 2>& k) {
  const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c[0];
  const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c[2];
  c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
       static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
}

std::array<std::uint32_t, 4> draw(RandomKey key, std::uint64_t index, std::uint32_t slot) {
  return philox4x32({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), slot,
                     static_cast<std::uint32_t>(key.stream)},
                    {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)});
}

double to_unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 11;
  return static_cast<double>(bits) * 0x1.0p-53;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    philox_round(counter, key);
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

double uniform01(RandomKey key, std::uint64_t index, std::uint32_t slot) {
  const auto bits = draw(key, index, slot);
  return to_unit(bits[0], bits[1]);
}

std::array<double, 2> uniform01_pair(RandomKey key, std::uint64_t index, std::uint32_t slot) {
  const auto bits = draw(key, index, slot);
  return {to_unit(bits[0], bits[1]), to_unit(bits[2], bits[3])};
}

std::array<double, 2> normal_pair(RandomKey key, std::uint64_t index, std::uint32_t slot) {
  const auto [u, v] = uniform01_pair(key, index, slot);
  const double radius = std::sqrt(-2.0 * std::log1p(-u));  // 1 - u is in (0, 1], so the logarithm is finite
  const double angle = 2.0 * std::numbers::pi * v;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace aqbench
