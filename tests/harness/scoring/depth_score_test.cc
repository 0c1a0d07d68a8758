#include "harness/scoring/depth_score.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace aqbench {
namespace {

std::vector<CameraDepthScore> scores_of(const std::vector<std::optional<double>>& maes) {
  std::vector<CameraDepthScore> scores;
  for (const auto& mae : maes)
    scores.push_back({"cam" + std::to_string(scores.size()),
                      {{"depth_mae_mm", {mae, "mm", Better::lower, mae ? "" : "no pixel has a depth"}},
                       {"depth_fill_rate_pct", {mae ? 50.0 : 0.0, "%", Better::higher, ""}}}});
  return scores;
}

// A method that maps one camera of six does not report that camera's error as its own.
TEST(MedianOverCameras, NeedsAValueOfMoreThanHalf) {
  const std::optional<double> none;
  for (const auto& maes : {std::vector<std::optional<double>>{none, none, 1.5, none, none, none},
                           {1.0, none, 2.0, none, 3.0, none}}) {
    const MetricSet medians = median_over_cameras(scores_of(maes));
    EXPECT_FALSE(medians[0].second.value.has_value());
    EXPECT_TRUE(medians[0].second.reason.starts_with("only ")) << medians[0].second.reason;
    EXPECT_LE(*medians[1].second.value, 25) << "the fill rate counts every camera";
  }
  EXPECT_EQ(median_over_cameras(scores_of({none, none, 1.5, none, none, none}))[0].second.reason,
            "only 1 of 6 cameras have a value");
  const MetricSet most = median_over_cameras(scores_of({1.0, none, 2.0, 4.0, 3.0, none}));
  EXPECT_EQ(*most[0].second.value, 2.5);
  EXPECT_EQ(most[0].second.reason, "");
  const MetricSet nobody = median_over_cameras(scores_of({none, none}));
  EXPECT_EQ(nobody[0].second.reason, "no pixel has a depth");
  EXPECT_TRUE(median_over_cameras({}).empty());
}

}  // namespace
}  // namespace aqbench
