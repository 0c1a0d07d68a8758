#include "metrics/metric_words.h"

#include <gtest/gtest.h>

namespace aqbench {
namespace {

TEST(MetricWords, AreThoseOfTheHeadlineAtAnyTolerance) {
  EXPECT_EQ(metric_words("accuracy_mean_mm"), "mean error");
  EXPECT_EQ(metric_words("completeness_2mm_pct"), "completeness at 2 mm");
  EXPECT_EQ(metric_words("precision_0.5mm_pct"), "precision at 0.5 mm");
  EXPECT_EQ(metric_words("points_per_mm2"), "points per mm²");
  EXPECT_EQ(metric_words("depth_bad_2mm_pct"), "depth_bad_2mm_pct");
  EXPECT_EQ(metric_words("wall time"), "wall time");
}

}  // namespace
}  // namespace aqbench
