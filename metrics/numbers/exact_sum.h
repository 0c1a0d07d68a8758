#pragma once
// Sums of doubles that are exact until they are rounded once: the same bits for any order of the terms and
// any number of threads. After Neal, "Fast exact summation using small and large superaccumulators", 2015.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "core/parallel.h"
#include "metrics/numbers/order_statistics.h"

namespace aqbench {

// A sum of at most 2^60 finite doubles, kept exactly.
class ExactSum {
 public:
  // Add one value, many, or all that another sum has got.
  void add(double value);
  void add(std::span<const double> values);
  void add(const ExactSum& other);

  // Returns the sum rounded to the nearest double; NaN if a term was not finite.
  double value() const;

 private:
  // Digit i stands for 2^(32 i - 1074). Digits are signed and may be larger than 2^32 until they are carried.
  static constexpr std::size_t kDigits = 70;
  static constexpr std::uint32_t kAddsBeforeCarry = 1U << 30U;
  __extension__ using Wide = unsigned __int128;
  void add_wide(Wide magnitude, int power, bool negative);
  void carry();

  std::array<std::int64_t, kDigits> digits_{};
  std::uint32_t adds_ = 0;  // since the last carry
  bool finite_ = true;
};

// Adds to K sums what values_at(i) gives as std::array<double, K> for i = 0 to count - 1. Uses parallel_for.
template <std::size_t K, class ValuesAt>
void add_to_sums(std::array<ExactSum, K>& totals, std::size_t count, const ValuesAt& values_at) {
  constexpr std::size_t kBuffer = 512;
  std::mutex mutex;
  parallel_for(count, kSumGrain, [&](std::size_t begin, std::size_t end) {
    std::array<ExactSum, K> sums;
    std::array<std::array<double, kBuffer>, K> buffer;
    for (std::size_t first = begin; first < end; first += kBuffer) {
      const std::size_t length = std::min(kBuffer, end - first);
      for (std::size_t i = 0; i < length; ++i) {
        const std::array<double, K> values = values_at(first + i);
        for (std::size_t k = 0; k < K; ++k) buffer[k][i] = values[k];
      }
      for (std::size_t k = 0; k < K; ++k) sums[k].add(std::span<const double>(buffer[k].data(), length));
    }
    const std::lock_guard lock(mutex);
    for (std::size_t k = 0; k < K; ++k) totals[k].add(sums[k]);
  });
}

// Returns the sums, rounded.
template <std::size_t K>
std::array<double, K> rounded(const std::array<ExactSum, K>& sums) {
  std::array<double, K> values{};
  for (std::size_t k = 0; k < K; ++k) values[k] = sums[k].value();
  return values;
}

// Returns the K exact sums, rounded, of what add_to_sums() adds.
template <std::size_t K, class ValuesAt>
std::array<double, K> exact_sums(std::size_t count, const ValuesAt& values_at) {
  std::array<ExactSum, K> totals;
  add_to_sums<K>(totals, count, values_at);
  return rounded(totals);
}

// Returns one such sum, of value_at(i).
template <class ValueAt>
double exact_sum(std::size_t count, const ValueAt& value_at) {
  return exact_sums<1>(count, [&](std::size_t i) { return std::array<double, 1>{value_at(i)}; })[0];
}

}  // namespace aqbench
