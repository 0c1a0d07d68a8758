#pragma once
// The ranges that follow from the errors of a cloud view (harness/viewing/cloud_view.h): the errors are
// rounded to codes, so that each lies between two bounds, and so does every value that is computed from them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace aqbench {

// The least and the largest that a value can be; infinite where nothing bounds it.
struct ErrorRange {
  double low = 0, high = 0;
};

// The errors of all points of a view. Ranges are in millimetres, those of shares in percent.
class ErrorRanges {
 public:
  // Takes the codes of error_code(), at least one.
  explicit ErrorRanges(std::span<const std::int8_t> codes);

  // Return the range of the mean and of the median error, and of mean and root mean square of |error|.
  ErrorRange mean() const;
  ErrorRange median() const;
  ErrorRange mean_of_sizes() const;
  ErrorRange root_mean_square() const;
  // Returns the range of the percentile q (0 to 1) of |error|, linear between the ranks around q (n - 1).
  ErrorRange percentile_of_sizes(double q) const;
  // Returns the range of the share of points whose |error| is at most `tolerance_mm`.
  ErrorRange share_within_pct(double tolerance_mm) const;

  // The number of points with each code, the least code first.
  struct Counts {
    int first = 0;
    std::array<std::size_t, 256> of = {};

    // Returns the code of rank `place` from 0.
    int code_at(std::size_t place) const;
  };

 private:
  std::size_t points_ = 0;
  Counts codes_, sizes_;
};

}  // namespace aqbench
