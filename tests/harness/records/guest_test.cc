#include "harness/records/guest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json_members.h"

namespace aqbench {
namespace {

using testing::ElementsAre;

const std::string kOne(64, '1'), kTwo(64, '2');

TEST(Guest, IsReadBackAsItWasWritten) {
  for (const Guest& guest :
       {Guest{{{"run.py", kOne}, {"gone.bin", ""}}, "venv .venv", "abc", true}, Guest{}}) {
    const Json json = JsonOf<Guest>::write(guest);
    EXPECT_EQ(JsonOf<Guest>::write(from_json<Guest>(JsonPlace(json, "f"))), json);
  }
}

TEST(Guest, DifferencesNameTheFiles) {
  const Guest before{{{"run.py", kOne}, {"weights/", kOne}}, "", "abc", false};
  Guest now = before;
  now.commit = "def";
  EXPECT_TRUE(guest_differences(before, now).empty()) << "the same files ran";
  now.files[0].second = kTwo;
  EXPECT_THAT(guest_differences(before, now), ElementsAre("run.py is 222222222222, was 111111111111"));
  now = before;
  now.files.pop_back();
  now.runs_in = "conda /env";
  EXPECT_THAT(guest_differences(before, now),
              ElementsAre("weights/ is absent, was 111111111111", "runs_in is conda /env, was none"));
}

TEST(Guest, ACommitIsShortAndSaysWhetherFilesHadChanged) {
  EXPECT_EQ(commit_text({{}, "", std::string(40, 'a'), true}), "aaaaaaaaaaaa, changed");
  EXPECT_EQ(commit_text({{}, "", std::string(40, 'a'), false}), "aaaaaaaaaaaa");
  EXPECT_EQ(commit_text({}), "");
}

}  // namespace
}  // namespace aqbench
