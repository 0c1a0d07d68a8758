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

}  // namespace
}  // namespace aqbench
