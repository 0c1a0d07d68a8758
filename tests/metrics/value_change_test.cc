#include "metrics/value_change.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aqbench {
namespace {

TEST(ValueChange, HasTheSignOfTheDifferenceAndTheWordOfTheDirection) {
  EXPECT_EQ(worsening("accuracy_mean_mm", Better::lower, 1, 2), 1);
  EXPECT_EQ(worsening("precision_2mm_pct", Better::higher, 1, 2), -1);
  EXPECT_EQ(worsening("accuracy_mean_mm", Better::lower, 2, 2), 0);
  EXPECT_EQ(worsening("accuracy_mean_mm", Better::lower, 1, std::nan("")), 0);
  EXPECT_EQ(change_text("mm", Better::lower, 2, 2.1), "+5 %");
  EXPECT_EQ(change_text("mm", Better::higher, -2, -1.9), "+5 %");  // upwards, though the quotient fell
  EXPECT_EQ(change_text("mm", Better::lower, 0.767, 4.4), "5.7 x");
  EXPECT_EQ(change_text("mm", Better::lower, 0.02, 5.76), "288 x");
  EXPECT_EQ(change_text("mm", Better::lower, 0, 0.25), "+0.25");
  EXPECT_STREQ(change_word(1), "worse");
  EXPECT_STREQ(change_word(-1), "better");
}

// Also of a small one, of one that at least doubled, and of one that was 0.
TEST(ValueChange, OfAPercentageIsInPoints) {
  EXPECT_EQ(change_text("%", Better::higher, 96, 38.4), "-57.6 points");
  EXPECT_EQ(change_text("%", Better::lower, 0.5, 4), "+3.5 points");
  EXPECT_EQ(change_text("%", Better::lower, 0, 1), "+1 point");
  EXPECT_EQ(change_text("%", Better::equal, 100, 99), "-1 point");
}

// By distance from the ideal, by hand: |-4.40| - |-0.02| = 4.38, |0.50 - 1| - |0.98 - 1| = 0.48, and
// |102 - 100| - |97 - 100| = -1.
TEST(ValueChange, OfDirectionEqualIsTheDistanceFromTheIdeal) {
  EXPECT_NEAR(*worse_by("bias_mean_mm", Better::equal, -0.02, -4.40), 4.38, 1e-12);
  EXPECT_EQ(worsening("bias_mean_mm", Better::equal, -4.40, 0.02), -1);
  EXPECT_EQ(worsening("bias_median_mm", Better::equal, 3, -3), 0);
  EXPECT_NEAR(*worse_by("mesh_area_ratio", Better::equal, 0.98, 0.50), 0.48, 1e-12);
  EXPECT_EQ(worsening("mesh_area_ratio", Better::equal, 1.6, 1.1), -1);
  EXPECT_NEAR(*worse_by("charuco_scale_pct", Better::equal, 97, 102), -1, 1e-12);
  EXPECT_EQ(change_text("mm", Better::equal, -0.2, -0.3), "-0.1");
  EXPECT_EQ(change_text("mm", Better::equal, -0.2, 0.3), "+0.5");
}

TEST(ValueChange, WithoutAnIdealIsNeitherWorseNorBetter) {
  for (const char* const name : {"points", "mesh_components", "holes_not_visible_pct", "absorbed_energy"}) {
    EXPECT_FALSE(worse_by(name, Better::equal, 3, 4)) << name;
    EXPECT_EQ(worsening(name, Better::equal, 3, 4), 0) << name;
  }
  EXPECT_STREQ(change_word(0), "other");
}

TEST(IsRanked, NothingIsBestByAgreementAlone) {
  for (const char* const name : {"photometric_zncc_median", "photometric_agree_pct",
                                 "photometric_coverage_pct", "reprojection_median_px", "charuco_scale_pct"})
    EXPECT_FALSE(is_ranked(name)) << name;
  for (const char* const name : {"accuracy_mean_mm", "fscore_2mm_pct", "control_rms_mm", "wall time"})
    EXPECT_TRUE(is_ranked(name)) << name;
}

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
