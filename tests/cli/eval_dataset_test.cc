// `aqbench eval` with a rendered dataset: depth maps, and what the cameras see.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;

class EvalDataset : public ::testing::Test {
 protected:
  EvalDataset() {
    dataset_ = (dir_ / "d").string();
    const auto rendered =
        run_program({"render", "undulating", "--rig", "single_pair", "--width", "48", "--imaging",
                     "textureless", "--set", "undulating.amplitude_m=0.004", "--out", dataset_});
    EXPECT_EQ(rendered.exit_code, 0) << rendered.err;
  }

  // The true depths of a camera changed value by value, as another file.
  template <class Change>
  std::string changed_depths(const std::string& name, Change change) const {
    std::ifstream file(dataset_ + "/truth/cam00/depth.npy", std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    std::size_t at = 10 + static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    for (; at < bytes.size(); at += sizeof(float)) {
      float depth = 0;
      std::memcpy(&depth, bytes.data() + at, sizeof depth);
      depth = change(depth);
      std::memcpy(bytes.data() + at, &depth, sizeof depth);
    }
    const std::string path = (dir_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  TemporaryDir dir_;
  std::string dataset_;
};

TEST_F(EvalDataset, DepthMapsAreScoredAlongTheRay) {
  const std::string shifted = changed_depths("shifted.npy", [](float depth) { return depth + 0.0015f; });
  const auto result =
      run_program({"eval", "--depth", shifted, "--camera", "cam00", "--dataset", dataset_, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json all = json::parse(result.out);
  const json& metrics = all.at("records").at(0).at("metrics");
  EXPECT_NEAR(metrics.at("depth_mae_mm").at("value").get<double>(), 1.5, 1e-4);
  EXPECT_EQ(metrics.at("depth_fill_rate_pct").at("value"), 100);
  EXPECT_EQ(metrics.at("depth_bad_1mm_pct").at("value"), 100);
  EXPECT_EQ(metrics.at("depth_bad_2mm_pct").at("value"), 0);
  EXPECT_NE(all.at("run").at("effective").at("depth").get<std::string>().find("along the refracted ray"),
            std::string::npos);
  EXPECT_EQ(all.at("records").at(0).at("options").at("undulating.amplitude_m"), 0.004);
  const std::string millimetres = changed_depths("mm.npy", [](float depth) { return 1000 * depth; });
  const auto refused =
      run_program({"eval", "--depth", millimetres, "--camera", "cam00", "--dataset", dataset_});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("1000 times the true ones; see --unit"), std::string::npos) << refused.err;
  const auto scaled = run_program(
      {"eval", "--depth", millimetres, "--camera", "cam00", "--dataset", dataset_, "--unit", "mm"});
  EXPECT_EQ(scaled.err, "");
  EXPECT_NE(scaled.out.find("undistorted camera"), std::string::npos) << scaled.out;
}

TEST_F(EvalDataset, UnusableDepthMapsAreOneLineAndExitTwo) {
  const std::string good = changed_depths("good.npy", [](float depth) { return depth; });
  std::ofstream(dir_ / "bad.npy") << "no numpy file";
  std::ofstream(dir_ / "small.npy", std::ios::binary)
      << std::string("\x93NUMPY\x01\x00\x3e\x00", 10)
      << "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }  \n"
      << std::string(8, '\0');
  const auto refused = [&](const std::string& file, const std::string& camera, const std::string& dataset,
                           const char* why) {
    const auto result = run_program({"eval", "--depth", file, "--camera", camera, "--dataset", dataset});
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  };
  refused((dir_ / "bad.npy").string(), "cam00", dataset_, "bad.npy");
  refused((dir_ / "small.npy").string(), "cam00", dataset_,
          "1 x 2 values, but camera cam00 has 36 rows x 48");
  refused(good, "cam7", dataset_, "cam00");
  refused(good, "cam00", (dir_ / "none").string(), "none/calibration.json");
  std::filesystem::remove(dataset_ + "/truth/cam01/depth.npy");
  refused(good, "cam01", dataset_, "truth/cam01/depth.npy");
}

// The vertices of a true plane lie on what its depth maps say.
TEST_F(EvalDataset, DepthMapsAreTruthForClouds) {
  dataset_ = (dir_ / "plane").string();
  const auto rendered = run_program({"render", "flat_plane", "--rig", "single_pair", "--width", "48",
                                     "--imaging", "textureless", "--out", dataset_});
  ASSERT_EQ(rendered.exit_code, 0) << rendered.err;
  const std::string cloud = dataset_ + "/truth/surface.ply", depths = dataset_ + "/truth/cam00/depth.npy";
  const auto score = [&](const std::vector<std::string>& more) {
    Arguments command = {"eval", cloud, "--dataset", dataset_, "--json"};
    command.insert(command.end(), more.begin(), more.end());
    const ProgramResult result = run_program(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out);
  };
  const auto median_mm = [](const json& document) {
    return document.at("records").at(0).at("metrics").at("accuracy_median_mm").at("value").get<double>();
  };
  const json both = score(
      {"--truth-depth", "cam00=" + depths, "--truth-depth", "cam01=" + dataset_ + "/truth/cam01/depth.npy"});
  EXPECT_LT(median_mm(both), 1e-3);
  EXPECT_EQ(both.at("run").at("effective").at("scoring").at("truth_points"), 2 * 48 * 36);
  const std::string lower = changed_depths("lower.npy", [](float depth) { return 1000 * depth + 3; });
  const json below = score({"--truth-depth", "cam00=" + lower, "--truth-unit", "mm"});
  EXPECT_NEAR(median_mm(below), 3, 0.3);
  const auto refused = [&](const std::vector<std::string>& more, const char* why) {
    Arguments command = {"eval", cloud};
    command.insert(command.end(), more.begin(), more.end());
    const ProgramResult result = run_program(command);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  refused({"--truth-depth", "cam00=" + depths}, "needs --dataset or --rig");
  refused({"--truth-depth", "cam00", "--dataset", dataset_}, "expected CAMERA=FILE");
  refused({"--truth-depth", "cam7=" + depths, "--dataset", dataset_}, "cam7");
  refused({"--truth-depth", "cam00=" + depths, "--rig", "single_pair"}, "48");
  refused({"--truth-depth", "cam00=" + depths, "--dataset", dataset_, "--scene", "flat_plane"},
          "give one of");
  refused({"--truth-depth", "cam00=d.pfm", "--dataset", dataset_}, "--depth-along");
  refused({"--scene", "undulating", "--depth-along", "z"}, "--truth-depth");
}

TEST_F(EvalDataset, CompletenessCountsWhatTwoCamerasSee) {
  // Half of the true surface, from the dataset itself.
  std::ofstream cloud(dir_ / "half.xyz");
  for (double x = -0.2495; x < 0; x += 0.001)
    for (double y = -0.1495; y < 0.15; y += 0.001)
      cloud << x << ' ' << y << ' '
            << 1.178 + 0.004 * (std::sin(2 * std::numbers::pi * x / 0.05) +
                                std::sin(2 * std::numbers::pi * y / 0.065))
            << '\n';
  cloud.close();
  const std::string views = (dir_ / "views.csv").string();
  const auto result =
      run_program({"eval", (dir_ / "half.xyz").string(), "--dataset", dataset_, "--views", views, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json all = json::parse(result.out);
  const json& metrics = all.at("records").at(0).at("metrics");
  EXPECT_NEAR(metrics.at("completeness_seen2_2mm_pct").at("value").get<double>(), 50, 3);
  const json& rows = all.at("run").at("effective").at("completeness_by_views");
  ASSERT_EQ(rows.size(), 3u);  // 0, 1, 2 cameras
  double share = 0;
  for (const json& row : rows) share += row.at("surface_pct").get<double>();
  EXPECT_NEAR(share, 100, 1e-9);
  EXPECT_NEAR(rows[2].at("completeness_2mm_pct").get<double>(),
              metrics.at("completeness_seen2_2mm_pct").at("value").get<double>(), 1e-9);
  std::ifstream csv(views);
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "views,surface_pct,completeness_2mm_pct");
  const auto by_rig = run_program({"eval", (dir_ / "half.xyz").string(), "--scene", "undulating", "--set",
                                   "undulating.amplitude_m=0.004", "--rig", "single_pair", "--set",
                                   "single_pair.width=48", "--set", "single_pair.height=36", "--json"});
  ASSERT_EQ(by_rig.exit_code, 0) << by_rig.err;
  EXPECT_EQ(json::parse(by_rig.out).at("records").at(0).at("metrics").dump(), metrics.dump());
  EXPECT_EQ(run_program({"eval", (dir_ / "half.xyz").string(), "--scene", "undulating", "--views", views})
                .exit_code,
            2);
}

// The rendered dataset as a lab has one: a calibration, images, and a scan of the surface.
TEST_F(EvalDataset, ARecordingIsScoredWithItsTruthByFolderAndByName) {
  namespace fs = std::filesystem;
  fs::remove(dataset_ + "/truth/scene.json");
  const std::string cloud = (dir_ / "cloud.ply").string();
  fs::copy_file(dataset_ + "/truth/surface.ply", cloud);
  const auto without = run_program({"eval", cloud, "--dataset", dataset_});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.err.find("has no true surface; give --truth FILE"), std::string::npos) << without.err;
  std::ofstream(dataset_ + "/truth/truth.json")
      << R"({"surface": {"file": "surface.ply", "unit": "m", "thresholds_mm": [1, 50]}})";
  const auto by_folder = run_program({"eval", cloud, "--dataset", dataset_, "--json"});
  ASSERT_EQ(by_folder.exit_code, 0) << by_folder.err;
  const json metrics = json::parse(by_folder.out).at("records").at(0).at("metrics");
  EXPECT_LT(metrics.at("accuracy_rmse_mm").at("value").get<double>(), 1e-9);
  EXPECT_TRUE(metrics.contains("precision_50mm_pct")) << "the thresholds that the truth declares";
  std::ofstream((dir_ / "aqbench.json").string())
      << R"({"version": 1, "datasets": {"tank": {"directory": "d"}}})";
  ProgramOptions here;
  here.working_dir = dir_.path();
  const auto by_name = run_program({"eval", cloud, "--dataset", "tank", "--json"}, here);
  ASSERT_EQ(by_name.exit_code, 0) << by_name.err;
  EXPECT_EQ(json::parse(by_name.out).at("records").at(0).at("metrics"), metrics);
  const auto unknown = run_program({"eval", cloud, "--dataset", "tnak"}, here);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("no such folder; unknown dataset 'tnak'; did you mean tank?"), std::string::npos)
      << unknown.err;
  EXPECT_EQ(run_program({"eval", cloud, "--dataset", "tank", "--frame", "7"}, here).exit_code, 2);
}

}  // namespace
}  // namespace aqbench::testing
