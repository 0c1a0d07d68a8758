#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <set>

#include "core/error.h"
#include "reports/content/case_groups.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

std::vector<std::string> axes_in_order(std::vector<std::string> axes, unsigned seed) {
  std::shuffle(axes.begin(), axes.end(), std::mt19937(seed));
  Results results;
  for (const std::string& axis : axes) {
    Record record;
    record.scene = "undulating";
    record.method = "sparse";
    record.case_name = "undulating/sparse/" + axis;
    results.records.push_back(std::move(record));
  }
  std::vector<std::string> order;
  for (const CaseGroup& group : group_cases(results)) order.push_back(group.axes);
  return order;
}

TEST(GroupCases, StandInTheOrderOfTheNumbersInTheirNames) {
  const std::vector<std::string> expected = {"batch=1",       "batch=8",      "batch=16",     "shift_m=-0.01",
                                             "shift_m=-2e-3", "shift_m=1e-4", "shift_m=0.02", "width=320",
                                             "width=480",     "width=480/x",  "width=1200",   "width=wide"};
  for (unsigned seed = 0; seed < 50; ++seed) EXPECT_EQ(axes_in_order(expected, seed), expected);
}

// Numbers that no double holds, zeros with a sign, and numbers beside letters.
TEST(GroupCases, HaveOneOrderWhateverTheOrderOfTheRecords) {
  const std::vector<std::string> axes = {"k=-x",  "k=.5",  "k=0/a",   "k=-0/z",   "n=-1", "n=--1", "n=1",
                                         "n=1.0", "n=01",  "n=1e999", "n=1e-999", "n=2",  "n=10",  "n=x",
                                         "n=",    "n=1x2", "n=1x10",  "n=9e999",  "n=-2", "m"};
  const std::vector<std::string> order = axes_in_order(axes, 0);
  for (unsigned seed = 1; seed < 200; ++seed) ASSERT_EQ(axes_in_order(axes, seed), order);
  const auto place = [&](const char* axis) { return std::ranges::find(order, axis) - order.begin(); };
  EXPECT_LT(place("n=2"), place("n=10"));
  EXPECT_LT(place("n=10"), place("n=1e999"));
  EXPECT_LT(place("n=1x2"), place("n=1x10"));
}

TEST(CaseNames, DropTheAxesThatAllShareAndKeepSceneAndMethod) {
  const ShortNames names =
      shorten_names({"step/plane_sweep:fast/seed=42/rig=arc6/width=480",
                     "step/sparse/seed=42/rig=arc6/width=640", "step/roma_like/seed=42"});
  EXPECT_EQ(names.common, "seed=42 rig=arc6");
  EXPECT_EQ(names.of.at("step/plane_sweep:fast/seed=42/rig=arc6/width=480"),
            "step/plane_sweep:fast/width=480");
  EXPECT_EQ(names.of.at("step/sparse/seed=42/rig=arc6/width=640"), "step/sparse/width=640");
  EXPECT_EQ(names.of.at("step/roma_like/seed=42"), "step/roma_like");
  EXPECT_EQ(shorten_names({"a/b/seed=1", "a/b/seed=2"}).of.at("a/b/seed=2"), "a/b/seed=2");
  EXPECT_EQ(shorten_names({"a/b", "a/c/rig=x/seed=1"}).common, "rig=x");  // without a seed it shares none
  EXPECT_EQ(shorten_names({}).common, "");
  // Two names never become one.
  EXPECT_EQ(shorten_names({"a/b", "a/b/n=2"}).of.at("a/b/n=2"), "a/b/n=2");
}

TEST(CaseNames, ACaseIsFoundByItsWholeItsShortOrAnyNameThatIsItsOwn) {
  const std::vector<std::string> names = {"step/plane_sweep/seed=1/rig=arc6",
                                          "step/plane_sweep/seed=2/rig=arc6", "step/sparse/seed=1/rig=arc6",
                                          "a/b/n=2", "a/b"};
  EXPECT_EQ(case_meant(names, "a/b"), "a/b");  // the whole name before others that begin with it
  EXPECT_EQ(case_meant(names, "step/plane_sweep/seed=2"), names[1]);
  EXPECT_EQ(case_meant(names, "sparse"), names[2]);
  EXPECT_EQ(case_meant({"s/m/rig=x/n=1", "s/m/rig=x/n=1/p=2"}, "s/m"), "s/m/rig=x/n=1");  // as tables show it
  const auto refused = [&](const std::string& given) {
    return error_of(ErrorKind::usage, [&] { case_meant(names, given); });
  };
  EXPECT_EQ(
      refused("step/plane_sweep"),
      "case 'step/plane_sweep': may be step/plane_sweep/seed=1/rig=arc6 or step/plane_sweep/seed=2/rig=arc6");
  EXPECT_NE(refused("step/sparse/seed=3").find("case"), std::string::npos);
  EXPECT_NE(refused("sparse/step").find("sparse/step"), std::string::npos);  // in order
}

TEST(CaseNames, FilesBeginWithALetterAndDiffer) {
  const std::vector<std::string> names = {"step/plane_sweep:fast/seed=42",
                                          "step/plane_sweep.fast/seed=42",
                                          "Step/sparse",
                                          "step/sparse",
                                          "../etc",
                                          "_x",
                                          ""};
  const auto files = readable_file_names(names);
  EXPECT_EQ(readable_file_names({names[0]}).at(names[0]), "step__plane_sweep.fast__seed=42");
  std::set<std::string> distinct;
  for (const auto& [name, file] : files) {
    EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(file.front()))) << file;
    EXPECT_EQ(file.find('/'), std::string::npos);
    std::string low = file;
    for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_TRUE(distinct.insert(low).second) << file;
  }
}

}  // namespace

}  // namespace aqbench
