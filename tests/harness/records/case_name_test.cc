#include "harness/records/case_name.h"

#include <gtest/gtest.h>

namespace aqbench {
namespace {

TEST(CaseName, HasASeedThatCanBeLeftOutAndChanged) {
  EXPECT_EQ(seed_in_name("undulating/roma_like/seed=43/batch=8"), "43");
  EXPECT_EQ(seed_in_name("absorption/variant=fused/seed=7"), "7");
  EXPECT_EQ(seed_in_name("a/my_seed=1"), "");
  EXPECT_EQ(name_without_seed("undulating/roma_like/seed=43/batch=8"), "undulating/roma_like/batch=8");
  EXPECT_EQ(name_without_seed("undulating/roma_like/seed=43"), "undulating/roma_like");
  EXPECT_EQ(name_without_seed("case0"), "case0");
  EXPECT_EQ(name_with_seed("a/b/seed=43/batch=8", "44"), "a/b/seed=44/batch=8");
  EXPECT_EQ(name_with_seed("a/b/seed=43", "44"), "a/b/seed=44");
  EXPECT_EQ(name_with_seed("a/b", "44"), "a/b") << "it has none";
}

TEST(CaseName, HasAMethodThatCanBeLeftOut) {
  EXPECT_EQ(name_without_method("flat_plane/sparse/seed=42"), "flat_plane/seed=42");
  EXPECT_EQ(name_without_method("flat_plane/sparse:fast/seed=42/width=160"), "flat_plane/seed=42/width=160");
  EXPECT_EQ(name_without_method("flat_plane/sparse"), "flat_plane/sparse");
  EXPECT_EQ(name_without_method("case0"), "case0");
}

TEST(CaseName, IsMeantByTheStepsThatTablesShowOrByWildcards) {
  const char* const name = "step/sparse:fast/seed=42/rig=arc6/sparse.window=5";
  for (const char* const given :
       {name, "step/sparse:fast", "sparse:fast/window=5", "rig=arc6", "step/*window=5"})
    EXPECT_TRUE(means_case(given, name)) << given;
  for (const char* const given : {"step/sparse", "sparse:fast/step", "indow=5", "window=6", "step/*window"})
    EXPECT_FALSE(means_case(given, name)) << given;
}

}  // namespace
}  // namespace aqbench
