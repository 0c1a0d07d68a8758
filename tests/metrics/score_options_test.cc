#include "metrics/score_options.h"

#include <gtest/gtest.h>

#include "metrics/registry.h"

namespace aqbench {
namespace {

// A name in a record may hold another size than the registry's.
TEST(MetricDefinition, IsOfTheSizeInTheName) {
  for (const MetricSpec& spec : metric_registry()) EXPECT_EQ(metric_definition(spec.name), spec.definition);
  EXPECT_EQ(metric_definition("tile_50mm_empty_pct"), "50 mm tiles of the patch without a point");
  EXPECT_EQ(metric_definition("tile_0.5mm_worst_abs_bias_mm"),
            "largest |mean signed error| of a 0.5 mm tile of the patch that has points");
  EXPECT_EQ(metric_definition("outlier_ratio_30mm_pct"),
            "scored points with |error| > 30 mm (gross outliers)");
  EXPECT_EQ(metric_definition("completeness_20mm_pct"),
            metric_spec("completeness_{t}mm_pct", 0.020).definition);
  for (const char* unknown : {"", "nothing", "tile_0mm_empty_pct", "tile_50mm_nothing", "nothing_5mm_pct"})
    EXPECT_EQ(metric_definition(unknown), "") << unknown;
}

}  // namespace
}  // namespace aqbench
