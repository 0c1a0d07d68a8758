#include "harness/records/stage_memory.h"

#include <gtest/gtest.h>

namespace aqbench {
namespace {

TEST(TensorMemoryText, IsNotAvailableWhereNothingWasObserved) {
  const auto text = [](std::optional<std::int64_t> net, std::optional<std::int64_t> peak) {
    const TensorMemoryText both = tensor_memory_text(net, peak);
    return both.net + " " + both.peak;
  };
  EXPECT_EQ(text(0, 0), "n/a n/a");
  EXPECT_EQ(text(std::nullopt, std::nullopt), "n/a n/a");
  EXPECT_EQ(text(3 << 19, 2 << 20), "1.50 2.00");
  EXPECT_EQ(text(0, 2 << 20), "0.00 2.00") << "taken and given back within the stage";
  EXPECT_EQ(text(-(2 << 20), 0), "-2.00 0.00") << "given back alone";
}

}  // namespace
}  // namespace aqbench
