#include "reports/content/case_names.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "core/error.h"

namespace aqbench {
namespace {

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
    try {
      return "found " + case_meant(names, given);
    } catch (const Error& error) {
      return std::string(error.what());
    }
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
