#include "reports/html/pictures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aqbench {
namespace {

TEST(ReportPictures, ListsWhatIsOneAndLeavesOutTheRest) {
  const auto pictures = parse_picture_list(
      "file,kind,camera,unit,low,high,every_px,filled_pct,beyond_pct\ndepth.png,depth,cam00,m,0.2,0.3,2,80,\n"
      "../../x.png,depth,c,m,0,1,1,1,1\n/etc/x.png,depth,c,m,0,1,1,1,1\n.x.png,depth,c,m,0,1,1,1,1\n"
      "x.svg,depth,c,m,0,1,1,1,1\nx.png,depth,c,m,nan,1,1,1,1\nx.png,depth,c,m,0,1,1e9,1,1\n"
      "x.png,depth,c,m,,1,1,1,1\nx.png,depth,c,m,0,1,1,1\nx.png,depth,c,m,0,1y,1,1,1\n");
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_EQ(pictures[0].file, "depth.png");
  EXPECT_EQ(pictures[0].camera, "cam00");
  EXPECT_EQ(pictures[0].high, 0.3);
  EXPECT_EQ(pictures[0].every_px, 2);
  EXPECT_TRUE(std::isnan(pictures[0].beyond_pct));
}

TEST(ReportTiles, ReadsWhatIsOneAndLeavesOutTheRest) {
  const auto tiles = parse_tiles_csv(
      "column,row,..\n0,1,0,0,3,-1.5,0.1,50,9,9\n2,0,0,0,0,,,,9,9\n1e9,0,0,0,1,1,1,1,9,9\n"
      "-1,0,0,0,1,1,1,1,9,9\n0,0,0,0,1,x,1,1,9,9\n0,0,0,0,1,1,1,1,9,9,1\n0,0\n"
      "0,0,0,0,1,1,1,1,0,9\n0,0,0,0,1,1,1,1,,9\n");
  ASSERT_EQ(tiles.size(), 2u);
  EXPECT_EQ(tiles[0].row, 1);
  EXPECT_EQ(tiles[0].signed_mean_mm, -1.5);
  EXPECT_TRUE(std::isnan(tiles[1].completeness_pct));
}

}  // namespace
}  // namespace aqbench
