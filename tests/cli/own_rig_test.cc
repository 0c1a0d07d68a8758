// A rig of one's own, as a user gives it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/sha256.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class OwnRigFile : public Folder {
 protected:
  OwnRigFile() {
    ::setenv("AQBENCH_CACHE_DIR", (dir_ / "cache").c_str(), 1);
    succeeded(run("render undulating --rig arc6 --width 320 --mesh-pitch-mm 50 --out named"));
  }
  ~OwnRigFile() override { ::unsetenv("AQBENCH_CACHE_DIR"); }

  static constexpr const char* kSweep =
      "sweep --scene undulating --rig named/calibration.json --set rig.place=file --out own";
};

TEST_F(OwnRigFile, TheCalibrationOfADatasetGivesItsBytesAgain) {
  succeeded(run(
      "render undulating --rig named/calibration.json --set rig.place=file --mesh-pitch-mm 50 --out own"));
  for (const char* file : {"images/cam00/000000.png", "images/cam05/000000.png", "truth/cam03/depth.npy"})
    EXPECT_EQ(read_file(dir_ / "own" / file), read_file(dir_ / "named" / file)) << file;
}

TEST_F(OwnRigFile, ASweepRecordsAndChecksIt) {
  succeeded(run(with(words(kSweep), words("--method sparse"))));
  const std::filesystem::path bundle = only_bundle(dir_ / "own");
  const json results = json::parse(read_file(bundle / "results.json"));
  const json& record = results.at("records").at(0);
  EXPECT_EQ(record.at("options").at("rig.sha256"), sha256_file_hex(dir_ / "named/calibration.json"));
  EXPECT_THAT(record.at("case"), HasSubstr("/rig=named/calibration.json"));
  succeeded(run({"verify", bundle.string()}));
  std::filesystem::rename(dir_ / "named", dir_ / "moved");
  EXPECT_THAT(succeeded(run({"verify", bundle.string()})).out,
              HasSubstr("not planned again: rig named/calibration.json is not here"));
}

TEST_F(OwnRigFile, ErrorsOfSingleCamerasAreAnAxis) {
  succeeded(
      run(with(words(kSweep), words("--method plane_sweep:fast --axis perturb.camera_rotation_deg=0,0.1"))));
  const json results = json::parse(read_file(only_bundle(dir_ / "own") / "results.json"));
  ASSERT_EQ(results.at("records").size(), 2u);
  const auto rmse = [&](int i) {
    return results.at("records").at(i).at("metrics").at("accuracy_rmse_mm").at("value").get<double>();
  };
  EXPECT_GT(rmse(1), 1.1 * rmse(0));
}

// Camera cam05 is turned by half a turn about its x axis: it looks up.
TEST_F(OwnRigFile, ACameraThatSeesNothingIsNamedBySweepAndEval) {
  json rig = json::parse(read_file(dir_ / "named/calibration.json"));
  json& pose = rig["cameras"]["cam05"]["extrinsics"];
  for (const int row : {1, 2}) {
    for (json& value : pose["R"][row]) value = -value.get<double>();
    pose["t"][row] = -pose["t"][row].get<double>();
  }
  write("blind.json", rig.dump());
  write("run.sh", shell_plane("$1/cloud.ply", "1.178"));
  write("aqbench.json",
        R"({"version": 1, "methods": [{"name": "mine", "command": "/bin/sh run.sh {output}"}]})");
  const std::string told = "camera cam05: sees nothing of the scene";
  const auto swept =
      run("sweep --scene undulating --rig blind.json --set rig.place=file --method mine --out own");
  EXPECT_THAT(succeeded(swept).err, HasSubstr("aqbench: warning: undulating: " + told));
  EXPECT_THAT(swept.err, Not(HasSubstr("camera cam04")));
  const auto scored = run("eval named/truth/surface.ply --truth named/truth/surface.ply --rig blind.json");
  EXPECT_THAT(scored.err, HasSubstr("aqbench: warning: " + told));
  EXPECT_THAT(scored.err, Not(HasSubstr("camera cam04")));
}

// The best pinhole at 1 m of a flat port of 25 and 10 mm has fx 1991.371 of 1600 px (an independent program);
// images stay those through the port.
TEST_F(OwnRigFile, ADeclaredMethodGetsPinholesThatFitAtADistance) {
  write("run.sh", "cat $1/calibration.json\n" + shell_plane("$2/cloud.ply", "1.178"));
  write("aqbench.json", R"({"version": 1, "methods": [
    {"name": "bent", "command": "/bin/sh run.sh {dataset} {output}"},
    {"name": "straight", "command": "/bin/sh run.sh {dataset} {output}", "refraction": {"pinhole_at_m": 1.0}}]})");
  succeeded(
      run("sweep --scene flat_plane --rig port_stereo --width 200 --imaging clean --method bent "
          "--method straight --out own"));
  const std::filesystem::path bundle = only_bundle(dir_ / "own");
  const auto camera_of = [&](const std::string& method) {
    for (const auto& log : std::filesystem::directory_iterator(bundle / "logs"))
      if (log.path().filename().string().find("__" + method + "__") != std::string::npos) {
        const std::string text = read_file(log.path());
        return json::parse(text.substr(text.find('{'))).at("cameras").at("cam00");
      }
    return json();
  };
  const json bent = camera_of("bent"), straight = camera_of("straight");
  const auto fx = [](const json& camera) {
    return camera.at("intrinsics").at("K").at(0).at(0).get<double>();
  };
  EXPECT_TRUE(bent.contains("port"));
  EXPECT_NEAR(fx(bent), 1504.6 / 8, 1e-9);
  EXPECT_FALSE(straight.contains("port"));
  EXPECT_NEAR(fx(straight), 1991.371 / 8, 0.02);
  for (const json& record : json::parse(read_file(bundle / "results.json")).at("records"))
    if (record.at("method") == "straight") {
      EXPECT_EQ(record.at("options").at("straight.refraction"), "pinhole_at_m=1");
    }
}

// Named in the project file of a folder above, and given wherever a rig is.
TEST_F(OwnRigFile, AProjectNamesRigs) {
  std::filesystem::create_directories(dir_ / "calib/far");
  std::filesystem::copy_file(dir_ / "named/calibration.json", dir_ / "calib/tank5.json");
  std::filesystem::copy_file(dir_ / "named/calibration.json", dir_ / "calib/far/calibration.json");
  const auto project = [&](const char* rigs) {
    write("aqbench.json", std::string(R"({"version": 1, "rigs": )") + rigs +
                              R"(, "suites": [{"name": "ours", "scenes": ["undulating"], "methods": )"
                              R"(["sparse"], "rig": "far", "set": {"rig.place": "file"}}]})");
  };
  project(R"({"tank5": "calib/tank5.json", "far": "calib/far"})");
  where_ = dir_ / "calib";  // paths are relative to the project file
  EXPECT_THAT(succeeded(run("list rigs")).out, HasSubstr("tank5"));
  EXPECT_THAT(succeeded(run(words("completion --line {}", "aqbench render --rig tan"))).out,
              HasSubstr("tank5"));
  succeeded(run("render undulating --rig tank5 --set rig.place=file --mesh-pitch-mm 50 --out ../own"));
  EXPECT_EQ(read_file(dir_ / "own/images/cam02/000000.png"),
            read_file(dir_ / "named/images/cam02/000000.png"));
  EXPECT_THAT(exits(run("render undulating --rig tank6 --out ../no"), 2).err,
              HasSubstr("unknown rig 'tank6'; did you mean tank5?"));
  succeeded(run("eval --calibration tank5 --truth far --volume -0.1,-0.1,1.1,0.1,0.1,1.2"));

  succeeded(
      run("sweep --scene undulating --method plane_sweep:fast --axis rig=tank5,arc6 --set "
          "imaging.noise_sigma=0 --dry-run"));
  succeeded(run("sweep --suite ours --out ../swept"));
  const std::filesystem::path bundle = only_bundle(dir_ / "swept");
  const json record = json_file(bundle / "results.json").at("records").at(0);
  EXPECT_THAT(record.at("case"), HasSubstr("/rig=far"));
  EXPECT_EQ(record.at("options").at("rig.sha256"), sha256_file_hex(dir_ / "calib/tank5.json"));
  where_ = dir_.path();
  succeeded(run({"verify", bundle.string()}));
  succeeded(run({"replay", bundle.string(), "--all"}));

  project(R"({"arc6": "calib/tank5.json"})");
  EXPECT_THAT(exits(run("list rigs"), 2).err, HasSubstr("rigs.arc6: 'arc6' is the name of a rig of aqbench"));
  project(R"({"a/b": "calib/tank5.json"})");
  EXPECT_THAT(exits(run("list rigs"), 2).err, HasSubstr("the name must be plain ASCII"));
  project(R"({"tank5": "calib/absent.json", "far": "calib/far"})");
  EXPECT_THAT(exits(run("render undulating --rig tank5 --out no"), 2).err, HasSubstr("calib/absent.json"));
}

}  // namespace
}  // namespace aqbench::testing
