#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/profiler/hotspots.h"
#include "scenes/core/files.h"

namespace aqbench {
namespace {

TEST(ProfilingDocs, HaveTheTablesOfTheCode) {
  const std::string docs = read_file(std::string(AQBENCH_SOURCE_DIR) + "/docs/profiling.md");
  EXPECT_THAT(docs, testing::HasSubstr(hotspots_markdown()));
}

}  // namespace
}  // namespace aqbench
