#include "reports/tables/view_errors.h"

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
ErrorRange size_of(int code) {
  const int size = std::abs(code);
  return {error_at(std::max(size - 0.5, 0.0)),
          size >= kLargestCode ? std::numeric_limits<double>::infinity() : error_at(size + 0.5)};
}

ErrorRange error_of(int code) {
  const auto [low, high] = size_of(code);
  if (code == 0) return {-high, high};
  return code > 0 ? ErrorRange{low, high} : ErrorRange{-high, -low};
}

ErrorRange square_of(int code) {
  const auto [low, high] = size_of(code);
  return {low * low, high * high};
}

template <class RangeOf>
ErrorRange mean_by(const ErrorRanges::Counts& counts, std::size_t points, const RangeOf& range_of) {
  ErrorRange sum;
  for (std::size_t i = 0; i < counts.of.size(); ++i) {
    if (counts.of[i] == 0) continue;
    const ErrorRange range = range_of(counts.first + static_cast<int>(i));
    sum.low += static_cast<double>(counts.of[i]) * range.low;
    sum.high += static_cast<double>(counts.of[i]) * range.high;
  }
  return {sum.low / static_cast<double>(points), sum.high / static_cast<double>(points)};
}

// Between two bounds of which the lower may be -infinity, the upper infinity: so is then what lies between.
double between(double below, double above, double share) {
  if (share == 0 || below == above) return below;
  if (!std::isfinite(below)) return below;
  return std::isfinite(above) ? below + share * (above - below) : above;
}

template <class RangeOf>
ErrorRange percentile_by(const ErrorRanges::Counts& counts, std::size_t points, double q,
                         const RangeOf& range_of) {
  const double rank = q * static_cast<double>(points - 1);
  const auto place = static_cast<std::size_t>(rank);
  const ErrorRange below = range_of(counts.code_at(place)),
                   above = range_of(counts.code_at(std::min(place + 1, points - 1)));
  const double share = rank - static_cast<double>(place);
  return {between(below.low, above.low, share), between(below.high, above.high, share)};
}

}  // namespace

int ErrorRanges::Counts::code_at(std::size_t place) const {
  std::size_t i = 0;
  for (; i + 1 < of.size() && of[i] <= place; ++i) place -= of[i];
  return first + static_cast<int>(i);
}

ErrorRanges::ErrorRanges(std::span<const std::int8_t> codes)
    : points_(codes.size()), codes_{.first = std::numeric_limits<std::int8_t>::min()} {
  for (const std::int8_t code : codes) {
    ++codes_.of[static_cast<std::size_t>(code - codes_.first)];
    ++sizes_.of[static_cast<std::size_t>(std::min(std::abs(static_cast<int>(code)), kLargestCode))];
  }
}

ErrorRange ErrorRanges::mean() const { return mean_by(codes_, points_, error_of); }
ErrorRange ErrorRanges::median() const { return percentile_by(codes_, points_, 0.5, error_of); }
ErrorRange ErrorRanges::mean_of_sizes() const { return mean_by(sizes_, points_, size_of); }

ErrorRange ErrorRanges::root_mean_square() const {
  const ErrorRange squares = mean_by(sizes_, points_, square_of);
  return {std::sqrt(squares.low), std::sqrt(squares.high)};
}

ErrorRange ErrorRanges::percentile_of_sizes(double q) const {
  return percentile_by(sizes_, points_, q, size_of);
}

ErrorRange ErrorRanges::share_within_pct(double tolerance_mm) const {
  std::size_t surely = 0, perhaps = 0;
  for (int code = 0; code <= kLargestCode; ++code) {
    const std::size_t here = sizes_.of[static_cast<std::size_t>(code)];
    if (size_of(code).high <= tolerance_mm) surely += here;
    if (size_of(code).low <= tolerance_mm) perhaps += here;
  }
  const auto share_pct = [&](std::size_t count) {
    return 100 * static_cast<double>(count) / static_cast<double>(points_);
  };
  return {share_pct(surely), share_pct(perhaps)};
}

}  // namespace aqbench
