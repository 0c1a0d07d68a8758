// aqbench run, as a user runs it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;

class Run : public Folder {
 protected:
  Run() {
    succeeded(Folder::run("render flat_plane --rig single_pair --width 48 --mesh-pitch-mm 50 --out data"));
  }

  ProgramResult run(const Arguments& more, const ProgramOptions& options = {}) const {
    return run_program(with(words("run external --dataset {} --out {}", dir_ / "data", dir_ / "out"), more),
                       options);
  }
  std::string command(const std::string& body) const {
    write("script.sh", body);
    return "external.command=/bin/sh " + (dir_ / "script.sh").string() + " {dataset} {output}";
  }
};

const std::string kOnePoint = shell_cloud("$2/cloud.ply", {"0 0 1.180"});

TEST_F(Run, WritesTheCloudAndPrintsTheStages) {
  const json shown = document_of(run({"--json", "--set", command(kOnePoint)}));
  const json& record = shown.at("records").at(0);
  EXPECT_EQ(record["method"], "external");
  EXPECT_NEAR(record["metrics"]["accuracy_mean_mm"]["value"].get<double>(), 2, 1e-4);
  EXPECT_EQ(record["stages"][1]["name"], "external_command");
  EXPECT_FALSE(record["isolation"].get<std::string>().empty());
  EXPECT_EQ(record["dataset_sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(json_file(dir_ / "out/result.json"), shown);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "out/cloud.ply"));
  expect_mistake(run({"--set", command("true")}), "not empty");
}

TEST_F(Run, TheFolderAppearsWithAllItsFiles) {
  bool seen_without_result = false;
  ProgramOptions watching;
  watching.interrupt_when = [&] {
    seen_without_result = seen_without_result || (std::filesystem::exists(dir_ / "out") &&
                                                  !std::filesystem::exists(dir_ / "out/result.json"));
    return std::filesystem::exists(dir_ / "out/result.json");
  };
  run({"--set", command(kOnePoint)}, watching);
  EXPECT_FALSE(seen_without_result);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "out/result.json"));
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos) << entry.path();
}

// One camera's image is missing: no method runs, whatever it looks at.
TEST_F(Run, ACameraWithoutAnImageIsNamed) {
  std::filesystem::remove(dir_ / "data/images/cam01/000000.png");
  expect_mistake(run({"--set", command("touch " + (dir_ / "ran").string())}),
                 "camera 'cam01': no PNG, JPEG or TIFF file in images/cam01/");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "ran"));
}

// Two frames, and a scan that the project file declares.
TEST_F(Run, ARecordingIsRunByFrameAndScoredByTheProjectsTruth) {
  for (const std::string camera : {"cam00", "cam01"})
    std::filesystem::copy(dir_ / ("data/images/" + camera + "/000000.png"),
                          dir_ / ("data/images/" + camera + "/000001.png"));
  std::filesystem::rename(dir_ / "data/truth/surface.ply", dir_ / "scan.ply");
  std::filesystem::remove_all(dir_ / "data/truth");
  write("aqbench.json", R"({"version": 1, "datasets": {"tank": {"directory": "data",
      "truth": {"surface": {"file": "scan.ply", "unit": "m"}}}}})");
  const std::string cloud = command("ls $1/images/cam00\n" + kOnePoint);
  const json shown =
      document_of(run(words("--json --set {} --frame 1 --project {}", cloud, dir_ / "aqbench.json")));
  EXPECT_EQ(shown.at("run").at("effective").at("frame"), 1);
  EXPECT_NEAR(shown.at("records").at(0).at("metrics").at("accuracy_mean_mm").at("value").get<double>(), 2,
              1e-3);
  std::filesystem::remove_all(dir_ / "out");
  const auto too_far = run(words("--set {} --frame 2", cloud));
  expect_mistake(too_far, "--frame 2: ");
  EXPECT_NE(too_far.err.find("has frames 0 to 1"), std::string::npos) << too_far.err;
}

TEST_F(Run, AFailureIsExitCode3WithItsReason) {
  const auto failed = exits(run({"--set", command("echo no licence >&2; exit 5")}), 3);
  EXPECT_NE(failed.err.find("exit code 5; it said: no licence"), std::string::npos) << failed.err;
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
  const auto slow = exits(run(words("--set {} --timeout 1 --json", command("sleep 30"))), 3);
  EXPECT_EQ(json::parse(slow.out).at("records").at(0).at("status"), "timeout");
}

TEST_F(Run, MistakesAreUsageErrors) {
  const auto expect_error = [&](const Arguments& more, const char* why) { expect_mistake(run(more), why); };
  expect_error({"--depth-range", "0.1"}, "--depth-range '0.1': expected LO:HI");
  expect_error({"--depth-range", "0.3:0.1"}, "LO < HI");
  expect_error({"--depth-range", "0.1:0.3"}, "not supported by method external");
  expect_error({"--set", "external.comand=x"}, "did you mean command");
  expect_error({"--threads", "0"}, "--threads 0");
  expect_mistake(run_line("run sparse --out {}", dir_ / "out"), "--dataset is missing");
}

}  // namespace
}  // namespace aqbench::testing
