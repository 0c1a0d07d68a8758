#include "core/resources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

namespace aqbench {
namespace {

TEST(Resources, SeesTheMemoryOfThisProcess) {
  const std::uint64_t before = resident_bytes(::getpid());
  EXPECT_GT(before, 0u);
  const std::vector<char> held(64 << 20, 'x');
  EXPECT_EQ(held.back(), 'x');
  EXPECT_GE(resident_bytes(::getpid()), before + (48 << 20));
  EXPECT_GE(resident_tree_bytes(::getpid()), resident_bytes(::getpid()) / 2);
  EXPECT_GE(resident_peak_bytes(), std::int64_t{48} << 20);
  EXPECT_EQ(resident_bytes(-1), 0u);
}

TEST(Resources, LimitsAreAboveZeroWhereThereAreAny) {
  EXPECT_GT(cgroup_quota_processors().value_or(1), 0);
  EXPECT_GT(cgroup_memory_limit_bytes().value_or(1), 0u);
}

}  // namespace
}  // namespace aqbench
