#include <gtest/gtest.h>

#include "pipeline/opencl/opencl.h"

namespace aqbench::opencl {
namespace {

TEST(OpenClTable, KnowsItsDevicesByTheirNames) {
  for (const char* name : {"opencl", "opencl:0", "opencl:12"}) EXPECT_TRUE(is_opencl(name)) << name;
  for (const char* name : {"cpu", "cuda", "", "opencl:", "opencl:x", "opencl:1x", "opencl0", "opencl:1234"})
    EXPECT_FALSE(is_opencl(name)) << name;
}

TEST(OpenClTable, ConstantsAreExact) {
  EXPECT_EQ(constant_text(0.5), "(0x1p-1)");
  EXPECT_EQ(constant_text(-3), "(-0x1.8p+1)");
  EXPECT_EQ(constant_text(0.1, true), "(0x1.99999ap-4f)");
}

}  // namespace
}  // namespace aqbench::opencl
