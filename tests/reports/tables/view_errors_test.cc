#include "reports/tables/view_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/quantiles.h"
#include "harness/viewing/cloud_view.h"

namespace aqbench {
namespace {

void expect_inside(const ErrorRange& range, double value, const char* what) {
  EXPECT_LE(range.low, value + 1e-12) << what;
  EXPECT_GE(range.high, value - 1e-12) << what;
}

// Whatever the errors, what follows from them lies in the ranges of their codes, and no range is empty.
TEST(ViewErrors, HoldWhatFollowsFromTheErrorsThatTheirCodesStandFor) {
  for (const double scale_mm : {0.0, 0.01, 1.0, 7.0, 60.0})
    for (const int count : {1, 2, 3, 10, 21, 200}) {
      std::vector<double> errors_mm, sizes_mm;
      std::vector<std::int8_t> codes;
      double sum = 0, sum_of_sizes = 0, sum_of_squares = 0;
      for (int i = 0; i < count; ++i) {
        const double error = scale_mm * std::sin(2.4 * i) * (i + 1) / count;
        errors_mm.push_back(error);
        sizes_mm.push_back(std::abs(error));
        codes.push_back(error_code(error));
        sum += error;
        sum_of_sizes += std::abs(error);
        sum_of_squares += error * error;
      }
      std::ranges::sort(errors_mm);
      std::ranges::sort(sizes_mm);
      const ErrorRanges ranges(codes);
      expect_inside(ranges.mean(), sum / count, "mean");
      expect_inside(ranges.mean_of_sizes(), sum_of_sizes / count, "mean of sizes");
      expect_inside(ranges.root_mean_square(), std::sqrt(sum_of_squares / count), "rmse");
      expect_inside(ranges.median(), quantile_of_sorted(errors_mm, 0.5), "median");
      for (const double q : {0.0, 0.5, 0.9, 0.95, 1.0}) {
        expect_inside(ranges.percentile_of_sizes(q), quantile_of_sorted(sizes_mm, q), "percentile");
        EXPECT_FALSE(std::isnan(ranges.percentile_of_sizes(q).high));
      }
      for (const double tolerance_mm : {0.5, 2.0, 20.0}) {
        const auto within = std::ranges::upper_bound(sizes_mm, tolerance_mm) - sizes_mm.begin();
        expect_inside(ranges.share_within_pct(tolerance_mm), 100.0 * static_cast<double>(within) / count,
                      "share");
      }
    }
}

// 1 mm has the code 28, which holds 0.937 to 1.007 mm.
TEST(ViewErrors, AreAsNarrowAsTheCodes) {
  const ErrorRanges one(std::vector<std::int8_t>(3, error_code(1)));
  EXPECT_NEAR(one.mean().low, 0.9378, 1e-4);
  EXPECT_NEAR(one.mean().high, 1.0072, 1e-4);
  EXPECT_EQ(one.share_within_pct(0.9).high, 0);
  EXPECT_EQ(one.share_within_pct(1.1).low, 100);
  const ErrorRanges far(std::vector<std::int8_t>{0, 127});
  EXPECT_TRUE(std::isinf(far.percentile_of_sizes(0.5).high));
  EXPECT_NEAR(far.percentile_of_sizes(0.5).low, 0.5 * 20 * std::pow(126.5 / 127, 2), 1e-9);
}

}  // namespace
}  // namespace aqbench
