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

class OwnRigFile : public Folder {
 protected:
  OwnRigFile() {
    ::setenv("AQBENCH_CACHE_DIR", (dir_ / "cache").c_str(), 1);
    succeeded(run("render undulating --rig arc6 --width 320 --mesh-pitch-mm 50 --out named"));
  }
  ~OwnRigFile() override { ::unsetenv("AQBENCH_CACHE_DIR"); }

  static constexpr const char* kSweep =
      "sweep --scene undulating --rig named/calibration.json --set rig.place=file --method plane_sweep:fast "
      "--out own";
};

TEST_F(OwnRigFile, TheCalibrationOfADatasetGivesItsBytesAgain) {
  succeeded(run(
      "render undulating --rig named/calibration.json --set rig.place=file --mesh-pitch-mm 50 --out own"));
  for (const char* file : {"images/cam00/000000.png", "images/cam05/000000.png", "truth/cam03/depth.npy"})
    EXPECT_EQ(read_file(dir_ / "own" / file), read_file(dir_ / "named" / file)) << file;
}

TEST_F(OwnRigFile, ASweepRecordsAndChecksIt) {
  succeeded(run(kSweep));
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
  succeeded(run(with(words(kSweep), words("--axis perturb.camera_rotation_deg=0,0.1"))));
  const json results = json::parse(read_file(only_bundle(dir_ / "own") / "results.json"));
  ASSERT_EQ(results.at("records").size(), 2u);
  const auto rmse = [&](int i) {
    return results.at("records").at(i).at("metrics").at("accuracy_rmse_mm").at("value").get<double>();
  };
  EXPECT_GT(rmse(1), 1.1 * rmse(0));
}

}  // namespace
}  // namespace aqbench::testing
