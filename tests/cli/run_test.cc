// aqbench run, as a user runs it.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;

class Run : public ::testing::Test {
 protected:
  Run() {
    const auto rendered = run_program({"render", "flat_plane", "--rig", "single_pair", "--width", "48",
                                       "--mesh-pitch-mm", "50", "--out", (dir_ / "data").string()});
    EXPECT_EQ(rendered.exit_code, 0) << rendered.err;
  }

  ProgramResult run(const Arguments& more) const {
    Arguments all{"run", "external", "--dataset", (dir_ / "data").string(), "--out", (dir_ / "out").string()};
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all);
  }
  std::string command(const std::string& body) const {
    std::ofstream(dir_ / "script.sh") << body;
    return "external.command=/bin/sh " + (dir_ / "script.sh").string() + " {dataset} {output}";
  }

  TemporaryDir dir_;
};

TEST_F(Run, WritesTheCloudAndPrintsTheStages) {
  const auto result =
      run({"--json", "--set",
           command("printf 'ply\\nformat ascii 1.0\\nelement vertex 1\\nproperty float x\\n"
                   "property float y\\nproperty float z\\nend_header\\n0 0 1.180\\n' > $2/cloud.ply")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json shown = json::parse(result.out);
  const json& record = shown.at("records").at(0);
  EXPECT_EQ(record["method"], "external");
  EXPECT_NEAR(record["metrics"]["accuracy_mean_mm"]["value"].get<double>(), 2, 1e-4);
  EXPECT_EQ(record["stages"][1]["name"], "external_command");
  EXPECT_FALSE(record["isolation"].get<std::string>().empty());
  EXPECT_EQ(record["dataset_sha256"].get<std::string>().size(), 64U);
  std::ifstream file(dir_ / "out/result.json");
  EXPECT_EQ(json::parse(file), shown);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "out/cloud.ply"));
  const auto again = run({"--set", command("true")});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("not empty"), std::string::npos) << again.err;
}

TEST_F(Run, TheFolderAppearsWithAllItsFiles) {
  bool seen_without_result = false;
  ProgramOptions watching;
  watching.interrupt_when = [&] {
    seen_without_result = seen_without_result || (std::filesystem::exists(dir_ / "out") &&
                                                  !std::filesystem::exists(dir_ / "out/result.json"));
    return std::filesystem::exists(dir_ / "out/result.json");
  };
  run_program(
      {"run", "external", "--dataset", (dir_ / "data").string(), "--out", (dir_ / "out").string(), "--set",
       command("printf 'ply\\nformat ascii 1.0\\nelement vertex 1\\nproperty float x\\n"
               "property float y\\nproperty float z\\nend_header\\n0 0 1.180\\n' > $2/cloud.ply")},
      watching);
  EXPECT_FALSE(seen_without_result);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "out/result.json"));
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos) << entry.path();
}

// One camera's image is missing: no method runs, whatever it looks at.
TEST_F(Run, ACameraWithoutAnImageIsNamed) {
  std::filesystem::remove(dir_ / "data/images/cam01/000000.png");
  const auto refused = run({"--set", command("touch " + (dir_ / "ran").string())});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("camera 'cam01': no PNG, JPEG or TIFF file in images/cam01/"), std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(dir_ / "ran"));
}

// Two frames, and a scan that the project file declares.
TEST_F(Run, ARecordingIsRunByFrameAndScoredByTheProjectsTruth) {
  for (const std::string camera : {"cam00", "cam01"})
    std::filesystem::copy(dir_ / ("data/images/" + camera + "/000000.png"),
                          dir_ / ("data/images/" + camera + "/000001.png"));
  std::filesystem::rename(dir_ / "data/truth/surface.ply", dir_ / "scan.ply");
  std::filesystem::remove_all(dir_ / "data/truth");
  std::ofstream(dir_ / "aqbench.json") << R"({"version": 1, "datasets": {"tank": {"directory": "data",)"
                                       << R"("truth": {"surface": {"file": "scan.ply", "unit": "m"}}}}})";
  const std::string cloud = command(
      "ls $1/images/cam00; printf 'ply\\nformat ascii 1.0\\nelement vertex 1\\nproperty float x\\n"
      "property float y\\nproperty float z\\nend_header\\n0 0 1.180\\n' > $2/cloud.ply");
  const auto ran =
      run({"--json", "--set", cloud, "--frame", "1", "--project", (dir_ / "aqbench.json").string()});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json shown = json::parse(ran.out);
  EXPECT_EQ(shown.at("run").at("effective").at("frame"), 1);
  EXPECT_NEAR(shown.at("records").at(0).at("metrics").at("accuracy_mean_mm").at("value").get<double>(), 2,
              1e-3);
  std::filesystem::remove_all(dir_ / "out");
  const auto too_far = run({"--set", cloud, "--frame", "2"});
  EXPECT_EQ(too_far.exit_code, 2);
  EXPECT_NE(too_far.err.find("--frame 2: "), std::string::npos) << too_far.err;
  EXPECT_NE(too_far.err.find("has frames 0 to 1"), std::string::npos) << too_far.err;
}

TEST_F(Run, AFailureIsExitCode3WithItsReason) {
  const auto failed = run({"--set", command("echo no licence >&2; exit 5")});
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_NE(failed.err.find("exit code 5; it said: no licence"), std::string::npos) << failed.err;
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
  const auto slow = run({"--set", command("sleep 30"), "--timeout", "1", "--json"});
  EXPECT_EQ(slow.exit_code, 3);
  EXPECT_EQ(json::parse(slow.out).at("records").at(0).at("status"), "timeout");
}

TEST_F(Run, MistakesAreUsageErrors) {
  const auto error = [&](const Arguments& more) {
    const auto result = run(more);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_NE(error({"--depth-range", "0.1"}).find("--depth-range '0.1': expected LO:HI"), std::string::npos);
  EXPECT_NE(error({"--depth-range", "0.3:0.1"}).find("LO < HI"), std::string::npos);
  EXPECT_NE(error({"--depth-range", "0.1:0.3"}).find("not supported by method external"), std::string::npos);
  EXPECT_NE(error({"--set", "external.comand=x"}).find("did you mean command"), std::string::npos);
  EXPECT_NE(error({"--threads", "0"}).find("--threads 0"), std::string::npos);
  const auto missing = run_program({"run", "sparse", "--out", (dir_ / "out").string()});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("--dataset is missing"), std::string::npos) << missing.err;
}

}  // namespace
}  // namespace aqbench::testing
