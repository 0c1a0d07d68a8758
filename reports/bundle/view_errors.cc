#include "reports/bundle/view_errors.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "harness/viewing/cloud_view.h"

namespace aqbench {
namespace {

constexpr int kLargestCode = 127;

// Returns the error whose code would be this number, were it not rounded.
double error_at(double code) {
  return kViewError_mm * code * code / static_cast<double>(kLargestCode * kLargestCode);
}

// Returns what |error| can be: the largest code stands for all that is larger, too.
ErrorRange size_of(std::int8_t code) {
  const int size = std::abs(static_cast<int>(code));
  return {error_at(std::max(size - 0.5, 0.0)),
          size >= kLargestCode ? std::numeric_limits<double>::infinity() : error_at(size + 0.5)};
}

ErrorRange error_of(std::int8_t code) {
  const auto [low, high] = size_of(code);
  if (code == 0) return {-high, high};
  return code > 0 ? ErrorRange{low, high} : ErrorRange{-high, -low};
}

ErrorRange square_of(std::int8_t code) {
  const auto [low, high] = size_of(code);
  return {low * low, high * high};
}

template <class RangeOf>
ErrorRange mean_by(std::span<const std::int8_t> codes, const RangeOf& range_of) {
  ErrorRange sum;
  for (const std::int8_t code : codes) {
    const ErrorRange range = range_of(code);
    sum.low += range.low;
    sum.high += range.high;
  }
  const auto count = static_cast<double>(codes.size());
  return {sum.low / count, sum.high / count};
}

// Between two bounds of which the lower may be -infinity, the upper infinity: so is then what lies between.
double between(double below, double above, double share) {
  if (share == 0 || below == above) return below;
  if (!std::isfinite(below)) return below;
  return std::isfinite(above) ? below + share * (above - below) : above;
}

template <class RangeOf>
ErrorRange percentile_by(std::span<const std::int8_t> sorted, double q, const RangeOf& range_of) {
  const double rank = q * static_cast<double>(sorted.size() - 1);
  const auto place = static_cast<std::size_t>(rank);
  const ErrorRange below = range_of(sorted[place]),
                   above = range_of(sorted[std::min(place + 1, sorted.size() - 1)]);
  const double share = rank - static_cast<double>(place);
  return {between(below.low, above.low, share), between(below.high, above.high, share)};
}

}  // namespace

ErrorRanges::ErrorRanges(std::span<const std::int8_t> codes)
    : sorted_(codes.begin(), codes.end()), sizes_(sorted_) {
  std::ranges::sort(sorted_);
  for (std::int8_t& code : sizes_)
    code = static_cast<std::int8_t>(std::min(std::abs(static_cast<int>(code)), kLargestCode));
  std::ranges::sort(sizes_);
}

ErrorRange ErrorRanges::mean() const { return mean_by(sorted_, error_of); }
ErrorRange ErrorRanges::median() const { return percentile_by(sorted_, 0.5, error_of); }
ErrorRange ErrorRanges::mean_of_sizes() const { return mean_by(sizes_, size_of); }

ErrorRange ErrorRanges::root_mean_square() const {
  const ErrorRange squares = mean_by(sizes_, square_of);
  return {std::sqrt(squares.low), std::sqrt(squares.high)};
}

ErrorRange ErrorRanges::percentile_of_sizes(double q) const { return percentile_by(sizes_, q, size_of); }

ErrorRange ErrorRanges::share_within_pct(double tolerance_mm) const {
  const auto share_pct = [&](const auto& is_within) {
    return 100 * static_cast<double>(std::ranges::count_if(sizes_, is_within)) /
           static_cast<double>(sizes_.size());
  };
  return {share_pct([&](std::int8_t code) { return size_of(code).high <= tolerance_mm; }),
          share_pct([&](std::int8_t code) { return size_of(code).low <= tolerance_mm; })};
}

}  // namespace aqbench
