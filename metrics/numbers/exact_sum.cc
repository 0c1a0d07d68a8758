#include "metrics/numbers/exact_sum.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/multiversion.h"

namespace aqbench {
namespace {

constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52U) - 1;
constexpr std::uint32_t kNotFinite = 0x7ff;

// A double as mantissa x 2^(shift - 1074).
struct Parts {
  std::uint64_t mantissa;
  int shift;
};

constexpr std::size_t kBatch = 512;
constexpr int kMaxExponent = 900;  // with which no constant below overflows and no part is subnormal

std::uint32_t exponent_of(std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 52U) & kNotFinite; }

Parts parts_of(std::uint64_t bits) {
  const std::uint32_t exponent = exponent_of(bits);
  if (exponent == 0) return {bits & kMantissa, 0};
  return {(bits & kMantissa) | (kMantissa + 1), static_cast<int>(exponent) - 1};
}

// Values side by side, as many as the widest registers hold.
using Lanes = double __attribute__((vector_size(64)));
constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(double);

// Calls body(lanes) for all values; 0 stands behind the last.
template <class Body>
AQBENCH_INLINE void for_each_lanes(const double* values, std::size_t count, const Body& body) {
  for (; count >= kLanes; values += kLanes, count -= kLanes) {
    Lanes lanes;
    std::memcpy(&lanes, values, sizeof lanes);
    body(lanes);
  }
  Lanes last{};
  for (std::size_t i = 0; i < count; ++i) last[i] = values[i];
  body(last);
}

// The largest and the smallest size of values that are not 0, and whether all are finite.
struct Sizes {
  double largest = 0, smallest = std::numeric_limits<double>::infinity();
  bool finite = true;
};

AQBENCH_MULTIVERSION
Sizes sizes_of(const double* values, std::size_t count) {
  const Lanes infinity = Lanes{} + std::numeric_limits<double>::infinity();
  Lanes largest{}, smallest = infinity, unlike{};
  for_each_lanes(values, count, [&](const Lanes& value) {
    const Lanes size = value < 0.0 ? -value : value;
    const Lanes size_if_any = size > 0.0 ? size : infinity;
    largest = size > largest ? size : largest;
    smallest = size_if_any < smallest ? size_if_any : smallest;
    unlike += value - value;  // 0, or NaN for good
  });
  Sizes sizes;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sizes.largest = std::max(sizes.largest, largest[lane]);
    sizes.smallest = std::min(sizes.smallest, smallest[lane]);
    sizes.finite = sizes.finite && unlike[lane] == 0;
  }
  return sizes;
}

// Returns the exact sums of the high, middle and low parts of at most 512 values below 2^(E + 1), E =
// exponent, none of them below 2^(E - 81) but 0: multiples of 2^(E - 43), of 2^(E - 88), and what is left,
// which is a multiple of 2^(E - 133). 512 of each have room in the 53 bits of a double. Adding 1.5 x 2^(k +
// 52) and taking it away rounds to multiples of 2^k (Demmel and Nguyen, "Parallel Reproducible Summation",
// 2015).
AQBENCH_MULTIVERSION
std::array<double, 3> sums_of_parts(const double* values, std::size_t count, int exponent) {
  const double to_high = std::ldexp(1.5, exponent + 9), to_middle = std::ldexp(1.5, exponent - 36);
  Lanes high{}, middle{}, low{};
  for_each_lanes(values, count, [&](const Lanes& value) {
    const Lanes high_part = (value + to_high) - to_high;
    const Lanes rest = value - high_part;
    const Lanes middle_part = (rest + to_middle) - to_middle;
    high += high_part;
    middle += middle_part;
    low += rest - middle_part;
  });
  std::array<double, 3> sums{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sums[0] += high[lane];
    sums[1] += middle[lane];
    sums[2] += low[lane];
  }
  return sums;
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

// Values within 2^81 of the largest are cut into three parts that are added up without rounding.
void ExactSum::add(std::span<const double> values) {
  for (; !values.empty(); values = values.subspan(std::min(kBatch, values.size()))) {
    const std::span<const double> batch = values.first(std::min(kBatch, values.size()));
    const Sizes sizes = sizes_of(batch.data(), batch.size());
    if (sizes.largest == 0 && sizes.finite) continue;
    const int exponent = sizes.finite ? std::ilogb(sizes.largest) : 0;
    if (!sizes.finite || std::abs(exponent) > kMaxExponent ||
        sizes.smallest < std::ldexp(1.0, exponent - 81)) {
      for (const double value : batch) add(value);
      continue;
    }
    for (const double part : sums_of_parts(batch.data(), batch.size(), exponent)) add(part);
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
