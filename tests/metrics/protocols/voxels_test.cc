#include "metrics/protocols/voxels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/metrics/protocols/clouds.h"

namespace aqbench::test {
namespace {

TEST(Thinning, KeptPointsAreApartAndWhatWentIsNearOne) {
  const std::vector<Vec3> all_m = wavy_points(3000, 0.2, 0.001, 1);
  const double radius_m = 0.004;
  const std::vector<Vec3> kept_m = thin_points(all_m, radius_m, 1);
  ASSERT_GT(kept_m.size(), 100U);
  ASSERT_LT(kept_m.size(), 2500U);
  for (std::size_t i = 0; i < kept_m.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) ASSERT_GT((kept_m[i] - kept_m[j]).norm(), radius_m);
  for (const Vec3& point : all_m) ASSERT_LE(nearest_m(point, kept_m), radius_m);
}

TEST(Thinning, OrderGivenDoesNotMatterAndTheSeedDoes) {
  std::vector<Vec3> all_m = wavy_points(2000, 0.2, 0.001, 2);
  const std::vector<Vec3> kept_m = thin_points(all_m, 0.005, 1);
  std::ranges::reverse(all_m);
  EXPECT_EQ(thin_points(all_m, 0.005, 1), kept_m);
  EXPECT_NE(thin_points(all_m, 0.005, 2), kept_m);
}

TEST(Thinning, TwinsBecomeOne) { EXPECT_EQ(thin_points({{1, 1, 1}, {1, 1, 1}}, 1e-9, 1).size(), 1U); }

}  // namespace
}  // namespace aqbench::test
