#include "harness/records/profile_details.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aqbench {
namespace {

TEST(ProfileDetails, ReadBackTheSame) {
  ProfileDetails details;
  details.profiled_ms = {9999, 100};
  details.plain_ms = {98, 98};
  details.shown = 1;
  details.sampler = "in-process";
  EXPECT_EQ(to_json(profile_details_from_json(to_json(details), "x")).dump(), to_json(details).dump());
  EXPECT_NEAR(overhead_ratio(details), (9999.0 + 100) / 2 / 98, 1e-12);
  EXPECT_LT(overhead_ratio({}), 0);
}

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
