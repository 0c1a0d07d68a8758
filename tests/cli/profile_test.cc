// `aqbench profile` and what it leaves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/files.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Profile : public Folder {
 protected:
  std::string out(const char* name = "out") const { return (dir_ / name).string(); }

  Json profile(const Arguments& arguments, const char* name = "out") {
    return Json::parse(
        succeeded(run_program(with({"profile", "--json", "--out", out(name)}, arguments))).out);
  }
};

double self_sum_ms(const Json& record, std::size_t run) {
  double sum = 0;
  for (const Json& stage : record.at("stages"))
    if (!stage.contains("other_thread")) sum += stage.at("self_ms").at(run).get<double>();
  return sum;
}

// Many points, so that the run is long beside what lies outside of its stages.
const Arguments kLongRun = words("roma_like --set roma_like.points=300000");

TEST_F(Profile, StagesAddUpAndTheTraceIsWhole) {
  const Json results = profile(with(kLongRun, words("--trace --sampler in-process")));
  const Json& record = results.at("records").at(0);
  EXPECT_EQ(record.at("case"), "flat_plane/roma_like/seed=42");
  const Json& details = results.at("run").at("effective").at("profile").at(0);
  const std::size_t shown = details.at("shown").get<std::size_t>();
  EXPECT_EQ(record.at("stages").at(0).at("wall_ms").size(), 3U);
  EXPECT_NEAR(self_sum_ms(record, shown), details.at("total_ms").get<double>(),
              0.02 * details.at("total_ms").get<double>());
  EXPECT_NEAR(record.at("metrics").at("unattributed_pct").at("value").get<double>(), 0, 2);
  EXPECT_GT(details.at("overhead_ratio").get<double>(), 0);
  for (const Json& stage : record.at("stages")) {
    EXPECT_TRUE(stage.at("net_bytes").is_number_integer());
    EXPECT_GT(stage.at("cpu_ms").at(shown).get<double>(), 0);
  }
  const auto bundle = only_bundle(out());
  const auto folder = bundle / "profile" / "flat_plane__roma_like__seed=42";
  EXPECT_FALSE(read_file(folder / "stacks.folded").empty());
  const Json trace = Json::parse(read_file(folder / "trace.json"));
  double outer_end = 0;
  std::size_t events = 0;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    ++events;
    if (event.at("name") == "simulation")
      outer_end = event.at("ts").get<double>() + event.at("dur").get<double>();
  }
  EXPECT_EQ(events, record.at("stages").size());
  for (const Json& event : trace.at("traceEvents"))
    if (event.at("ph") == "X") {
      EXPECT_LE(event.at("ts").get<double>() + event.at("dur").get<double>(), outer_end + 1e-3);
    }
  succeeded(run_program({"verify", bundle}));
}

TEST_F(Profile, AnInjectedSleepComesFirst) {
  const Json results =
      profile(words("flat_plane/roma_like/points=300 --inject flat_plane/roma_like:noise=80ms --repetitions "
                    "1 --sampler none --no-plain"));
  const Json& details = results.at("run").at("effective").at("profile").at(0);
  EXPECT_EQ(details.at("bottlenecks").at(0).at("stage"), "noise");
  EXPECT_GE(details.at("bottlenecks").at(0).at("self_ms").get<double>(), 80);
  EXPECT_GT(details.at("bottlenecks").at(0).at("share").get<double>(), 0.5);
  EXPECT_TRUE(details.at("overhead_ratio").is_null());
}

// Samples by the innermost function that is our own: what it calls in the system's libraries counts for it.
std::map<std::string, int> samples_by_own_function(const std::string& folded) {
  std::map<std::string, int> samples;
  std::istringstream lines(folded);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t own = line.rfind(";aqbench::"), count = line.rfind(' ');
    if (own == std::string::npos) continue;
    const std::size_t end = std::min(line.find(';', own + 1), count);
    samples[line.substr(own + 1, end - own - 1)] += std::stoi(line.substr(count));
  }
  return samples;
}

// The planted wait is 4 x the rest of a run that is shorter than the kernel's tick: runs that fell into step
// with the tick had a fifth to three fifths of the samples in it. One thread, or others share the rest.
TEST_F(Profile, APlantedHotFunctionIsTheWidestByItsName) {
  profile({"roma_like", "--inject", "noise=+400%", "--repetitions", "1", "--no-plain", "--sampler",
           "in-process", "--threads", "1"});
  const auto folder =
      std::filesystem::path(only_bundle(out())) / "profile" / "flat_plane__roma_like__seed=42";
  const auto samples = samples_by_own_function(read_file(folder / "stacks.folded"));
  ASSERT_FALSE(samples.empty());
  const auto widest = std::ranges::max_element(samples, {}, [](const auto& entry) { return entry.second; });
  EXPECT_THAT(widest->first, HasSubstr("wait_busily"));
  int all = 0;
  for (const auto& [name, count] : samples) all += count;
  EXPECT_GT(widest->second, 0.65 * all);
  EXPECT_THAT(read_file(only_bundle(out()) / "report.html"), HasSubstr("aqbench::wait_busily("));
}

TEST_F(Profile, ARealMethodIsProfiledWithTheImagesAskedFor) {
  const Json results = profile(
      words("sparse --scene undulating --rig ring12 --width 200 --repetitions 1 --no-plain --sampler none"));
  const Json& record = results.at("records").at(0);
  EXPECT_EQ(record.at("case"), "undulating/sparse/seed=42/width=200");
  EXPECT_THAT(record.at("stages"), Not(IsEmpty()));
}

// A sampler within aqbench would see it wait for the program.
TEST_F(Profile, OfAProgramThatIsDeclaredTheProgramIsSampled) {
  write("aqbench.json", R"({"version": 1, "methods": [
      {"name": "busy", "command": "/bin/sh busy.sh {output}"}]})");
  write("busy.sh",
        "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done\n" + shell_cloud("$1/cloud.ply", {"0 0 1.178"}));
  const Arguments of_project = words("busy --project {} --repetitions 1", dir_ / "aqbench.json");
  const Json results = profile(of_project);
  const Json& details = results.at("run").at("effective").at("profile").at(0);
  const auto bundle = only_bundle(out());
  const bool may =
      run_line("profile roma_like --sampler perf --repetitions 1 --out {}", out("perf")).exit_code == 0;
  if (may) {
    EXPECT_EQ(details.at("sampler"), "perf") << details.at("sampler_note");
    // The shell's own work, or the kernel's for it, is nearly all that there is.
    const std::string stacks = read_file(bundle / "profile/flat_plane__busy__seed=42/stacks.folded");
    EXPECT_THAT(stacks, ::testing::AnyOf(HasSubstr("sh]"), HasSubstr("eval"), HasSubstr("[dash]")));
  } else {
    EXPECT_EQ(details.at("sampler"), "none");
    EXPECT_THAT(
        details.at("sampler_note").get<std::string>(),
        HasSubstr("only perf can sample the program, which is another process: perf cannot sample here"));
  }
  expect_mistake(run_program(with(words("profile --sampler in-process"), of_project)),
                 "cannot see the program of method busy");
}

TEST_F(Profile, OfANameThatIsBothAMethodAndAWorkloadTheSceneSaysWhich) {
  // Images that small leave no sparse points: what was tried is all that matters here.
  EXPECT_THAT(exits(run_line("profile plane_sweep --scene flat_plane --width 32 --out {}", out()), 3).out,
              HasSubstr("flat_plane/plane_sweep/seed=42/width=32: failed"));
}

// The figures at full size follow from the same counts: tests/pipeline/workloads/synthetic_profile_test.cc.
TEST_F(Profile, AWorkloadsStagesHaveTheMemoryOfTheirTensors) {
  const Json results = profile(
      words("synthetic_profile --repetitions 1 --no-plain --sampler none --set synthetic_profile.width=128 "
            "--set synthetic_profile.height=72 --set synthetic_profile.depths=16"));
  const Json& record = results.at("records").at(0);
  EXPECT_EQ(record.at("workload"), "synthetic_profile");
  const double plane = 128.0 * 72 * 4;
  std::map<std::string, double> net;
  for (const Json& stage : record.at("stages"))
    net[stage.at("name").get<std::string>()] = stage.at("net_bytes").get<double>();
  EXPECT_EQ(net["undistortion"], 24 * plane);
  EXPECT_EQ(net["sparse_matching"], 2000.0 * (8 + 1024 + 16));
  EXPECT_EQ(net["depth_estimation"], (4 + 16 + 1) * plane);
  EXPECT_EQ(net["extract_depth"], plane);
  EXPECT_EQ(net["fusion"], 4 * plane);
}

TEST_F(Profile, TwoProfilesAreCompared) {
  const Arguments quick = words("roma_like --repetitions 1 --no-plain --sampler in-process");
  profile(quick, "before");
  profile(with(quick, {"--inject", "noise=50ms"}), "after");
  EXPECT_THAT(succeeded(run_program({"compare", only_bundle(out("before")), only_bundle(out("after"))})).out,
              ::testing::ContainsRegex("per call\n[ ms]+\n[- ]+\nflat_plane/roma_like +noise"));
}

TEST_F(Profile, FailuresAreRecordsAndBadInputIsOneLine) {
  EXPECT_THAT(exits(run_line("profile roma_like --inject noise=throw --out {}", out()), 3).out,
              HasSubstr("injected failure in stage 'noise'"));
  for (const char* const wrong : {"roma_lik", "", "roma_like --repetitions 0", "roma_like --sampler magic",
                                  "flat_plane/roma_like --scene undulating"})
    expect_refused(run_program(with({"profile", "--out", out("none")}, words(wrong))), "");
  EXPECT_FALSE(std::filesystem::exists(out("none")));
}

}  // namespace
}  // namespace aqbench::testing
