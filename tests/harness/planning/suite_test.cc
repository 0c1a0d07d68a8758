#include "harness/planning/suite.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/planning/plan.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SuiteRegistry, SeedIsTheTwoScenesWithTheTwoSimulatedMatchers) {
  const Suite& seed = suite_registry().front();
  EXPECT_EQ(seed.name, "seed");
  EXPECT_THAT(seed.scenes, ElementsAre("flat_plane", "undulating"));
  EXPECT_THAT(seed.methods, ElementsAre("lightglue_like", "roma_like"));
  EXPECT_THAT(seed.seeds, ElementsAre(42U));
}

TEST(SuiteRegistry, EverySuiteCanBePlanned) {
  for (const Suite& suite : suite_registry()) {
    PlanRequest request;
    request.suite = suite.name;
    EXPECT_FALSE(plan_sweep(request).cases.empty()) << suite.name;
  }
}

std::vector<Case> batching_cases(const std::string& workload, const TimingRequest& timing = {}) {
  PlanRequest request;
  request.suite = "batching";
  request.workloads = {workload};
  request.timing = timing;
  return plan_sweep(request).cases;
}

TEST(SuiteRegistry, BatchingHasTheShapeOfTheSeedsPlaneSweep) {
  std::vector<std::string> names;
  for (const Case& planned : batching_cases("plane_sweep")) {
    names.push_back(planned.name);
    const auto option = [&](const char* name) {
      return to_string(*find_option(planned, std::string("plane_sweep.") + name));
    };
    EXPECT_EQ(option("kernel"), "torch") << "the kernel that batches";
    EXPECT_EQ(option("width") + " x " + option("height"), "640 x 480");
    EXPECT_EQ(option("depths"), "64");
    EXPECT_EQ(option("sources"), "4") << "beside the reference: five cameras";
  }
  EXPECT_THAT(names, ElementsAre("plane_sweep/batch=1/seed=42", "plane_sweep/batch=8/seed=42",
                                 "plane_sweep/batch=16/seed=42"));
}

TEST(SuiteRegistry, BatchingTimesAbsorptionTwoHundredTimesAtBothSizes) {
  std::vector<std::string> names;
  for (const Case& planned : batching_cases("absorption")) {
    names.push_back(planned.name);
    EXPECT_EQ(planned.timing.repetitions, 200);
  }
  EXPECT_THAT(names, ElementsAre("absorption/variant=torch/absorption.size=256/seed=42",
                                 "absorption/variant=torch/absorption.size=512/seed=42",
                                 "absorption/variant=fused/absorption.size=256/seed=42",
                                 "absorption/variant=fused/absorption.size=512/seed=42"));
  EXPECT_EQ(batching_cases("tricubic")[0].timing.repetitions, 10) << "the usual number";
  TimingRequest asked;
  asked.repetitions = 3;
  EXPECT_EQ(batching_cases("absorption", asked)[0].timing.repetitions, 3) << "the request wins";
  asked = {};
  asked.blocks = 2;
  EXPECT_EQ(batching_cases("absorption", asked)[0].timing.repetitions, 200);
  EXPECT_EQ(batching_cases("absorption", asked)[0].timing.blocks, 2);
  asked.max_repetitions = 50;
  EXPECT_EQ(batching_cases("absorption", asked)[0].timing.repetitions, 50);
}

TEST(SuiteRegistry, AFilterLeavesOutTheAxesAndSetsOfWhatItLeavesOut) {
  EXPECT_THAT(batching_cases("tricubic")[0].name, testing::StartsWith("tricubic/variant=torch/batch=1/"));
  PlanRequest request;
  request.suite = "batching";
  request.workloads = {"tricubic"};
  request.axes = {parse_axis("plane_sweep.depths=8,16")};
  EXPECT_THAT(test::error_of(ErrorKind::usage, [&] { plan_sweep(request); }), HasSubstr("plane_sweep"))
      << "what was asked for is not left out in silence";
}

Suite read_text(const std::string& text) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "mine.json";
  std::ofstream(path) << text;
  return read_suite_file(path);
}

TEST(SuiteFile, ReadsEverything) {
  const Suite suite = read_text(R"({"name": "mine", "description": "one line", "scenes": ["undulating"],
      "methods": ["roma_like", "plane_sweep:fast"], "seeds": [42, 43],
      "axes": {"threads": [1, 2], "undulating.amplitude_m": "0.001:0.002:0.001"},
      "set": {"roma_like.points": 5000, "undulating.wavelength_m": 0.06},
      "scoring": {"thresholds_mm": [1, 2.5]}, "rig": "sparse4", "imaging": "clean", "width": 480})");
  EXPECT_EQ(suite.name, "mine");
  EXPECT_EQ(suite.description, "one line");
  EXPECT_THAT(suite.methods, ElementsAre("roma_like", "plane_sweep:fast"));
  EXPECT_THAT(suite.seeds, ElementsAre(42U, 43U));
  ASSERT_EQ(suite.axes.size(), 2U);
  EXPECT_THAT(suite.axes[0].values, ElementsAre("1", "2"));
  EXPECT_THAT(suite.axes[1].values, ElementsAre("0.001", "0.002"));
  ASSERT_EQ(suite.sets.size(), 3U);
  EXPECT_EQ(suite.sets[0].value, "5000");
  EXPECT_EQ(suite.sets[1].value, "0.06");
  EXPECT_EQ(override_text(suite.sets[2]), "scoring.thresholds_mm=1,2.5");
  EXPECT_EQ(suite.images.rig, "sparse4");
  EXPECT_EQ(suite.images.imaging, "clean");
  EXPECT_EQ(suite.images.width_px, 480);
  EXPECT_FALSE(suite.images.height_px);
}

TEST(SuiteFile, ReadsBackWhatItWrites) {
  const Suite suite = read_text(R"({"name": "mine", "scenes": ["*"], "methods": ["roma_like"],
      "axes": {"batch": [1, 2]}, "set": {"roma_like.points": 5000}, "imaging": "clean", "height": 9,
      "workloads": ["absorption"], "repetitions": {"absorption": 200}})");
  EXPECT_THAT(suite.repetitions, ElementsAre(testing::Pair("absorption", 200)));
  const Json json = to_json(suite);
  EXPECT_EQ(to_json(suite_from_json(json, "x")).dump(), json.dump());
}

struct RefusedSuite {
  const char* text;
  const char* why;
};
class SuiteFileRefuses : public testing::TestWithParam<RefusedSuite> {};

TEST_P(SuiteFileRefuses, NamingTheFileAndThePath) {
  const std::string message = test::error_of(ErrorKind::input, [] { read_text(GetParam().text); });
  EXPECT_THAT(message, HasSubstr("mine.json"));
  EXPECT_THAT(message, HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Malformed, SuiteFileRefuses,
    testing::Values(
        RefusedSuite{"", "mine.json:1:1: syntax error"}, RefusedSuite{"[]", "expected an object"},
        RefusedSuite{"{}", "'name' is missing"}, RefusedSuite{R"({"name": 3})", "name: expected text"},
        RefusedSuite{R"({"name": "a", "name": "b"})", "duplicate key"},
        RefusedSuite{R"({"name": "a\nb", "scenes": ["s"], "methods": ["m"]})",
                     "name: must be one non-empty line"},
        RefusedSuite{R"({"name": "a", "scenes": [], "methods": ["m"]})", "scenes: is empty"},
        RefusedSuite{R"({"name": "a", "scenes": ["s", 1], "methods": ["m"]})", "scenes[1]: expected text"},
        RefusedSuite{R"({"name": "a", "scenes": ["s"], "methods": ["m"], "width": 0})",
                     "width: must be from 1"},
        RefusedSuite{R"({"name": "a", "scenes": ["s"], "method": ["m"]})", "unknown key 'method'"},
        RefusedSuite{R"({"name": "a", "scenes": ["s"], "methods": ["m"], "seeds": [1, -1]})", "seeds[1]"},
        RefusedSuite{R"({"name": "a", "scenes": ["s"], "methods": ["m"], "seeds": [1, 1]})",
                     "is a duplicate"},
        RefusedSuite{R"({"name": "a", "scenes": ["s"], "methods": ["m"], "axes": {"threads": [1, 1]}})",
                     "axes.threads"},
        RefusedSuite{R"({"name": "a", "scenes": ["s"], "methods": ["m"], "axes": {"threads": true}})",
                     "axes.threads: expected an array"},
        RefusedSuite{R"({"name": "a", "workloads": ["absorption"], "repetitions": {"absorption": 0}})",
                     "repetitions.absorption: must be from 1"},
        RefusedSuite{R"({"name": "a", "scenes": ["s"], "methods": ["m"], "set": {"points": 5}})",
                     "set.points"}));

// Keys and parts are looked up and planned one by one: a megabyte of them took 14 s.
TEST(SuiteFile, BoundsKeysAndParts) {
  const auto message = [](const std::string& text) {
    return test::error_of(ErrorKind::input, [&] { read_text(text); });
  };
  std::string keys, parts;
  for (int i = 0; i < 1001; ++i) {
    keys += fmt::format("{}\"undulating.a{}\": 1", i == 0 ? "" : ",", i);
    parts += fmt::format("{}{{\"scenes\": [\"s\"], \"methods\": [\"m\"]}}", i == 0 ? "" : ",");
  }
  const std::string begin = R"({"name": "a", "scenes": ["s"], "methods": ["m"], )";
  EXPECT_THAT(message(begin + "\"set\": {" + keys + "}}"), HasSubstr("more than 1000 keys"));
  EXPECT_THAT(message(begin + "\"axes\": {" + keys + "}}"), HasSubstr("more than 1000 keys"));
  EXPECT_THAT(message(begin + "\"more\": [" + parts + "]}"), HasSubstr("more: has more than 1000 parts"));
}

TEST(SuiteFile, SaysWhenThereIsNone) {
  EXPECT_THAT(test::error_of(ErrorKind::input, [] { read_suite_file("/nowhere/s.json"); }),
              HasSubstr("/nowhere/s.json"));
}

}  // namespace
}  // namespace aqbench
