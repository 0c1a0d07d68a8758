#include "metrics/protocols/numpy_draws.h"

#include <algorithm>
#include <array>
#include <bit>

namespace aqbench {
namespace {

std::uint32_t hashed(std::uint32_t value, std::uint32_t& constant, std::uint32_t factor) {
  value ^= constant;
  constant *= factor;
  value *= constant;
  return value ^ (value >> 16);
}

// numpy.random.SeedSequence(seed).generate_state(4, uint64).
std::array<std::uint64_t, 4> seed_sequence(std::uint32_t seed) {
  constexpr std::uint32_t kFactorA = 0x931e8875, kFactorB = 0x58f38ded;
  std::array<std::uint32_t, 4> pool{};
  std::uint32_t constant = 0x43b0d7e5;
  for (std::size_t i = 0; i < pool.size(); ++i) pool[i] = hashed(i == 0 ? seed : 0, constant, kFactorA);
  for (std::size_t from = 0; from < pool.size(); ++from)
    for (std::size_t to = 0; to < pool.size(); ++to) {
      if (from == to) continue;
      const std::uint32_t mixed =
          0xca01f9ddU * pool[to] - 0x4973f715U * hashed(pool[from], constant, kFactorA);
      pool[to] = mixed ^ (mixed >> 16);
    }
  std::array<std::uint64_t, 4> words{};
  constant = 0x8b51f9dd;
  for (std::size_t i = 0; i < 8; ++i)
    words[i / 2] |= std::uint64_t{hashed(pool[i % 4], constant, kFactorB)} << (32 * (i % 2));
  return words;
}

constexpr Uint128 kFactor = (Uint128{2549297995355413924ULL} << 64) | 4865540595714422341ULL;

}  // namespace

NumpyDraws::NumpyDraws(std::uint32_t seed) {
  const auto words = seed_sequence(seed);
  increment_ = (((Uint128{words[2]} << 64) | words[3]) << 1) | 1;
  state_ = increment_ + ((Uint128{words[0]} << 64) | words[1]);
  state_ = state_ * kFactor + increment_;
}

std::uint64_t NumpyDraws::next64() {
  state_ = state_ * kFactor + increment_;
  const auto folded = static_cast<std::uint64_t>(state_ >> 64) ^ static_cast<std::uint64_t>(state_);
  return std::rotr(folded, static_cast<int>(state_ >> 122));
}

std::uint32_t NumpyDraws::next32() {
  if (has_half_) {
    has_half_ = false;
    return half_;
  }
  const std::uint64_t whole = next64();
  has_half_ = true;
  half_ = static_cast<std::uint32_t>(whole >> 32);
  return static_cast<std::uint32_t>(whole);
}

// Lemire, "Fast random integer generation in an interval", ACM TOMACS 2019.
std::uint64_t NumpyDraws::below(std::uint64_t last) {
  if (last == 0) return 0;
  const auto range = static_cast<std::uint32_t>(last + 1);
  std::uint64_t product = std::uint64_t{next32()} * range;
  if (static_cast<std::uint32_t>(product) < range) {
    const std::uint32_t least = (0xffffffffU - static_cast<std::uint32_t>(last)) % range;
    while (static_cast<std::uint32_t>(product) < least) product = std::uint64_t{next32()} * range;
  }
  return product >> 32;
}

std::vector<std::uint64_t> NumpyDraws::choice(std::uint64_t size, std::uint64_t count) {
  std::vector<std::uint64_t> drawn;  // Floyd's algorithm, then Fisher and Yates's
  for (std::uint64_t j = size - count; j < size; ++j) {
    const std::uint64_t value = below(j);
    drawn.push_back(std::ranges::find(drawn, value) == drawn.end() ? value : j);
  }
  for (std::size_t i = drawn.size(); i-- > 1;) std::swap(drawn[i], drawn[below(i)]);
  return drawn;
}

}  // namespace aqbench
