#include "metrics/numbers/exact_sum.h"

#include <bit>
#include <cmath>
#include <limits>

namespace aqbench {
namespace {

__extension__ using SignedWide = __int128;
constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52U) - 1;
constexpr std::uint32_t kNotFinite = 0x7ff;

// A double as mantissa x 2^(shift - 1074).
struct Parts {
  std::uint64_t mantissa;
  int shift;
};

std::uint32_t exponent_of(std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 52U) & kNotFinite; }

Parts parts_of(std::uint64_t bits) {
  const std::uint32_t exponent = exponent_of(bits);
  if (exponent == 0) return {bits & kMantissa, 0};
  return {(bits & kMantissa) | (kMantissa + 1), static_cast<int>(exponent) - 1};
}

}  // namespace

// Adds or subtracts magnitude x 2^(power - 1074), power >= 0.
void ExactSum::add_wide(Wide magnitude, int power, bool negative) {
  constexpr std::uint64_t kLow = 0xffffffff;
  auto digit = static_cast<std::size_t>(power / 32);
  const int shift = power % 32;
  for (; magnitude != 0; magnitude >>= 32U, ++digit) {
    const std::uint64_t wide = (static_cast<std::uint64_t>(magnitude) & kLow) << shift;
    const auto low = static_cast<std::int64_t>(wide & kLow), high = static_cast<std::int64_t>(wide >> 32U);
    digits_[digit] += negative ? -low : low;
    digits_[digit + 1] += negative ? -high : high;
  }
  if (++adds_ >= kAddsBeforeCarry) carry();
}

void ExactSum::carry() {
  for (std::size_t i = 0; i + 1 < kDigits; ++i) {
    const std::int64_t over = digits_[i] >> 32;
    digits_[i] -= over * (std::int64_t{1} << 32);
    digits_[i + 1] += over;
  }
  adds_ = 0;
}

void ExactSum::add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if (exponent_of(bits) == kNotFinite) finite_ = false;
  if (!finite_) return;
  const Parts parts = parts_of(bits);
  add_wide(parts.mantissa, parts.shift, (bits >> 63U) != 0);
}

// Values of similar size are first added up in 128 bits: the largest has its last bit 62 bits above the
// lowest, and 512 of them have room above. Those that are too small for that go the way of a single value.
void ExactSum::add(std::span<const double> values) {
  constexpr std::size_t kBatch = 512;
  constexpr int kBelow = 62;
  for (; !values.empty(); values = values.subspan(std::min(kBatch, values.size()))) {
    const std::span<const double> batch = values.first(std::min(kBatch, values.size()));
    std::uint32_t largest = 0;
    for (const double value : batch)
      largest = std::max(largest, exponent_of(std::bit_cast<std::uint64_t>(value)));
    const int lowest = static_cast<int>(largest) - 1 - kBelow;
    if (lowest < 0 || largest == kNotFinite) {
      for (const double value : batch) add(value);
      continue;
    }
    SignedWide sum = 0;
    for (const double value : batch) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      const Parts parts = parts_of(bits);
      const int shift = parts.shift - lowest;
      if (shift < 0) {
        add(value);
        continue;
      }
      const SignedWide term = static_cast<SignedWide>(parts.mantissa) << shift;
      sum += (bits >> 63U) != 0 ? -term : term;
    }
    add_wide(static_cast<Wide>(sum < 0 ? -sum : sum), lowest, sum < 0);
  }
}

void ExactSum::add(const ExactSum& other) {
  carry();
  ExactSum carried = other;
  carried.carry();
  for (std::size_t i = 0; i < kDigits; ++i) digits_[i] += carried.digits_[i];
  finite_ = finite_ && other.finite_;
  adds_ = 1;
}

double ExactSum::value() const {
  if (!finite_) return std::numeric_limits<double>::quiet_NaN();
  ExactSum sum = *this;
  sum.carry();
  const bool negative = sum.digits_.back() < 0;  // all others are from 0 to 2^32 - 1
  if (negative) {
    for (std::int64_t& digit : sum.digits_) digit = -digit;
    sum.carry();
  }
  std::size_t top = kDigits;
  while (top > 0 && sum.digits_[top - 1] == 0) --top;
  if (top == 0) return 0;
  // The three highest digits have at least 65 bits. What is below them decides between two halves alone.
  Wide highest = 0;
  const std::size_t last = top >= 3 ? top - 3 : 0;
  for (std::size_t i = top; i-- > last;)
    highest = highest << 32U | static_cast<std::uint64_t>(sum.digits_[i]);
  for (std::size_t i = 0; i < last; ++i)
    if (sum.digits_[i] != 0) highest |= 1U;
  const double size = std::ldexp(static_cast<double>(highest), static_cast<int>(32 * last) - 1074);
  return negative ? -size : size;
}

}  // namespace aqbench
