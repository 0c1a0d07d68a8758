#include "metrics/tiles.h"

#include <gtest/gtest.h>

namespace aqbench {
namespace {

TEST(Views, SharesAndCompletenessByTheNumberOfCameras) {
  Completeness completeness;
  completeness.samples.positions_m.resize(5);
  completeness.samples.weights = {1, 2, 3, 2, 2};
  completeness.distance_m = {0.001, 0.002, 0.0021, 0.5, 0};
  const std::vector<int> views = {0, 1, 1, 3, 3};
  const auto rows = completeness_by_views(completeness, views);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_DOUBLE_EQ(rows[0].surface_pct, 10);
  EXPECT_DOUBLE_EQ(*rows[0].completeness_pct, 100);
  EXPECT_DOUBLE_EQ(rows[1].surface_pct, 50);
  EXPECT_DOUBLE_EQ(*rows[1].completeness_pct, 40);  // 2 mm counts, 2.1 mm does not
  EXPECT_DOUBLE_EQ(rows[2].surface_pct, 0);
  EXPECT_FALSE(rows[2].completeness_pct);
  EXPECT_DOUBLE_EQ(*rows[3].completeness_pct, 50);
  EXPECT_EQ(views_to_csv(rows), "views,surface_pct,completeness_2mm_pct\n0,10,100\n1,50,40\n2,0,\n3,40,50\n");
  EXPECT_TRUE(completeness_by_views({}, {}).empty());
}

}  // namespace
}  // namespace aqbench
