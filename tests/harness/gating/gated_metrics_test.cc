#include "harness/gating/gated_metrics.h"

#include <gtest/gtest.h>

namespace aqbench {
namespace {

TEST(DefaultTolerance, ByKindOfMetric) {
  const auto of = [](const char* name, const char* unit, Better better, double value) {
    return default_tolerance(name, {value, unit, better, ""});
  };
  const auto relative = [](double share) { return Tolerance{Tolerance::Kind::relative, share}; };
  const auto absolute = [](double amount) { return Tolerance{Tolerance::Kind::absolute, amount}; };
  EXPECT_EQ(of("accuracy_mean_mm", "mm", Better::lower, 0.8), relative(0.05));
  EXPECT_EQ(of("completeness_mean_mm", "mm", Better::lower, 3), relative(0.05));
  EXPECT_EQ(of("normal_mean_deg", "deg", Better::lower, 3), relative(0.05));
  EXPECT_EQ(of("bias_mean_mm", "mm", Better::equal, 0.01), absolute(0.1));
  EXPECT_EQ(of("precision_2mm_pct", "%", Better::higher, 95), absolute(1));
  EXPECT_EQ(of("completeness_2mm_pct", "%", Better::higher, 20), absolute(1));
  EXPECT_EQ(of("completeness_0.5mm_pct", "%", Better::higher, 0.35), relative(0.05));
  EXPECT_EQ(of("point_density_pct", "%", Better::equal, 150), relative(0.05));
  EXPECT_EQ(of("points", "points", Better::equal, 2850), absolute(0));
  EXPECT_EQ(of("mesh_nonmanifold_edges", "1", Better::lower, 0), absolute(0));
  EXPECT_EQ(of("mesh_area_ratio", "1", Better::equal, 1.01), absolute(0.02));
  // No share of nothing is a tolerance.
  EXPECT_EQ(of("accuracy_mean_mm", "mm", Better::lower, 0), absolute(0.01));
  EXPECT_EQ(of("point_density_pct", "%", Better::equal, 0), absolute(0.1));
  EXPECT_EQ(of("normal_mean_deg", "deg", Better::lower, 0), absolute(0.1));
}

}  // namespace
}  // namespace aqbench
