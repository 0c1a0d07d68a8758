#include "core/processes/gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace aqbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GpuBytesOf, SumsTheLinesOfTheseProcesses) {
  constexpr std::uint64_t kMib = 1 << 20;
  EXPECT_EQ(gpu_bytes_of("12, 100\n13, 50\n14, 7\n12, 1\n", {12, 13}), 151 * kMib);
  EXPECT_EQ(gpu_bytes_of("pid, used_gpu_memory [MiB]\r\n12, 1024 MiB\r\n", {12}), 1024 * kMib);
  EXPECT_EQ(gpu_bytes_of("12, 0\n", {12}), 0);
  for (const char* const nothing : {"", "\n", "120, 5\n", "12, [N/A]\n", "12\n", "No devices were found\n"})
    EXPECT_EQ(gpu_bytes_of(nothing, {12}), std::nullopt) << nothing;
}

TEST(VisibleGpus, AreThoseOfTheVariableAsCudaReadsIt) {
  const auto visible = [](const char* text) {
    ::setenv("CUDA_VISIBLE_DEVICES", text, 1);
    const auto gpus = visible_gpus();
    ::unsetenv("CUDA_VISIBLE_DEVICES");
    return gpus;
  };
  EXPECT_THAT(visible("2, 0"), ElementsAre("2", "0"));
  EXPECT_THAT(visible("GPU-8f2,MIG-1"), ElementsAre("GPU-8f2", "MIG-1"));
  EXPECT_THAT(visible("1,-1,2"), ElementsAre("1"));  // nothing after an invalid one
  EXPECT_THAT(visible(""), IsEmpty());
  EXPECT_THAT(visible("NoDevFiles"), IsEmpty());
}

}  // namespace
}  // namespace aqbench
