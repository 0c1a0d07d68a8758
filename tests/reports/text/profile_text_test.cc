#include "reports/text/profile_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "core/json_members.h"
#include "core/text.h"
#include "harness/records/profile_details.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

StageRecord stage(const std::string& name, const std::string& parent, double wall_ms, double self_ms) {
  StageRecord record;
  record.name = name;
  record.parent = parent;
  record.calls = 2;
  record.wall_ms = {9999, wall_ms};
  record.self_ms = {9999, self_ms};
  record.cpu_ms = {9999, 2 * wall_ms};
  record.net_bytes = 8294400;
  record.peak_bytes = 3 << 20;
  return record;
}

// The second run is the one that is shown.
ProfiledCase example() {
  ProfiledCase profile;
  profile.record.case_name = "scene/method";
  profile.record.stages = {stage("pipeline", "", 90, 10), stage("depth", "pipeline", 60, 45),
                           stage("extract", "depth", 15, 15), stage("fusion", "pipeline", 20, 20)};
  profile.record.timing.cold_ms = 250;
  profile.details.profiled_ms = {9999, 100};
  profile.details.plain_ms = {98, 98};
  profile.details.shown = 1;
  profile.details.sampler = "in-process";
  profile.stacks = {{"stage depth;work;planted_hot_function", 900}, {"stage depth;work;malloc", 100}};
  profile.hotspots = find_hotspots(profile.stacks, "method");
  return profile;
}

TEST(ProfileText, BottlenecksAreSelfTimesOfTheTrueTotal) {
  const auto top = bottlenecks(example());
  ASSERT_EQ(top.size(), 3U);
  EXPECT_EQ(top[0].stage, "depth");
  EXPECT_DOUBLE_EQ(top[0].share, 0.45) << "without what is nested in it";
  EXPECT_EQ(top[1].stage, "fusion");
  EXPECT_EQ(top[2].stage, "extract");
  EXPECT_DOUBLE_EQ(unattributed_ms(example()), 10);
}

TEST(ProfileText, AMissingSampleIsRefusedAndNoZero) {
  const TemporaryDirectory bundle;
  ProfiledCase profile = example();
  const auto read = [&] { return read_profiled_case(bundle.path(), profile.record); };
  const std::string details = profile_file(profile.record.case_name, kProfileDetailsFile);
  std::filesystem::create_directories((bundle / details).parent_path());
  bundle.file(details, compact_json(JsonOf<ProfileDetails>::write(profile.details)));
  EXPECT_DOUBLE_EQ(unattributed_ms(read()), 10);
  profile.record.stages[1].self_ms.pop_back();
  EXPECT_THAT(error_of(ErrorKind::input, read),
              HasSubstr("profiled_ms: 2 runs, but stage depth of case scene/method has 1 of them"));
}

TEST(ProfileText, StagesOfOtherThreadsAreShownAndNotAdded) {
  ProfiledCase profile = example();
  profile.record.stages.push_back(stage("loader", "", 95, 95));
  profile.record.stages.back().other_thread = true;
  EXPECT_DOUBLE_EQ(unattributed_ms(profile), 10);
  EXPECT_EQ(bottlenecks(profile)[0].stage, "depth");
  EXPECT_THAT(terminal_of(profile_section(profile)), HasSubstr("loader *"));
}

TEST(ProfileText, TheTableShowsTreeSharesAndMemoryInHundredColumns) {
  const std::string text = terminal_of(profile_section(example()));
  EXPECT_THAT(text, HasSubstr("\n    extract "));
  EXPECT_THAT(text, HasSubstr("7.91")) << "8294400 bytes in units of 2^20";
  for (const char* const part : {"unattributed", "1.  45.0 %   50.0 %  depth (45.0 ms)",
                                 "90.0 %  planted_hot_function", "warning: allocation takes 10 %"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("9999")));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 100U) << line;
}

TEST(ProfileText, AStageThatHoldsItselfEndsTheTree) {
  ProfiledCase profile = example();
  profile.record.stages = {stage("a", "", 50, 20), stage("a", "a", 30, 30), stage("b", "a", 1, 1)};
  EXPECT_THAT(terminal_of(profile_section(profile)), HasSubstr("unattributed"));
}

}  // namespace
}  // namespace aqbench
