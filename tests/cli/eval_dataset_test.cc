// `aqbench eval` with a rendered dataset: depth maps, and what the cameras see.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/cli/program.h"
#include <gmock/gmock.h>
#include "tests/cli/eval_support.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

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
  const json all = document_of(
      run_program({"eval", "--depth", shifted, "--camera", "cam00", "--dataset", dataset_, "--json"}));
  const json& metrics = all.at("records").at(0).at("metrics");
  EXPECT_NEAR(metrics.at("depth_mae_mm").at("value").get<double>(), 1.5, 1e-4);
  EXPECT_EQ(metrics.at("depth_fill_rate_pct").at("value"), 100);
  EXPECT_EQ(metrics.at("depth_bad_1mm_pct").at("value"), 100);
  EXPECT_EQ(metrics.at("depth_bad_2mm_pct").at("value"), 0);
  EXPECT_THAT(all.at("run").at("effective").at("depth").get<std::string>(),
              HasSubstr("along the refracted ray"));
  EXPECT_EQ(all.at("records").at(0).at("options").at("undulating.amplitude_m"), 0.004);
  const std::string millimetres = changed_depths("mm.npy", [](float depth) { return 1000 * depth; });
  const auto refused =
      run_program({"eval", "--depth", millimetres, "--camera", "cam00", "--dataset", dataset_});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("1000 times the true ones; see --unit"));
  const auto scaled = run_program(
      {"eval", "--depth", millimetres, "--camera", "cam00", "--dataset", dataset_, "--unit", "mm"});
  EXPECT_EQ(scaled.err, "");
  EXPECT_THAT(scaled.out, HasSubstr("undistorted camera"));
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
    expect_refused(result, why);
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
    const ProgramResult result = run_program(with({"eval", cloud, "--dataset", dataset_, "--json"}, more));
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
    const ProgramResult result = run_program(with({"eval", cloud}, more));
    expect_refused(result, why);
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
  const json all = document_of(
      run_program({"eval", (dir_ / "half.xyz").string(), "--dataset", dataset_, "--views", views, "--json"}));
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
  EXPECT_THAT(without.err, HasSubstr("has no true surface; give --truth FILE"));
  std::ofstream(dataset_ + "/truth/truth.json")
      << R"({"surface": {"file": "surface.ply", "unit": "m", "thresholds_mm": [1, 50]}})";
  const json metrics = document_of(run_program({"eval", cloud, "--dataset", dataset_, "--json"}))
                           .at("records")
                           .at(0)
                           .at("metrics");
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
  EXPECT_THAT(unknown.err, HasSubstr("no such folder; unknown dataset 'tnak'; did you mean tank?"));
  EXPECT_EQ(run_program({"eval", cloud, "--dataset", "tank", "--frame", "7"}, here).exit_code, 2);
}

// ---- `aqbench eval --charuco` on corners that are 1, 2 and 3 mm off. ----

class EvalCharuco : public ::testing::Test {
 protected:
  EvalCharuco() {
    std::ofstream(dir_ / "board.xyz") << "0 0 1100\n40 0 1100\n80 0 1100\n";
    std::ofstream(dir_ / "detected.xyz") << "1 0 1100\n40 -2 1100\n80 0 1103\n";
    std::ofstream(dir_ / "two.xyz") << "0 0 1100\n40 0 1100\n";
    std::ofstream(dir_ / "empty.xyz") << "# no corner\n";
  }
  ProgramResult run(const std::string& detected, const Arguments& more) const {
    return run_program(with({"eval", "--charuco", (dir_ / detected).string(), "--unit", "mm"}, more));
  }
  std::string board() const { return (dir_ / "board.xyz").string(); }

  TemporaryDir dir_;
};

TEST_F(EvalCharuco, OneTwoAndThreeMillimetresHaveTheMeanTwo) {
  const ProgramResult result = run("detected.xyz", {"--board", board(), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto distances = nlohmann::json::parse(result.out);
  EXPECT_EQ(distances.at("corners"), 3);
  EXPECT_NEAR(distances.at("error_mm").at(2).get<double>(), 3, 1e-9);
  EXPECT_NEAR(distances.at("mean_mm").get<double>(), 2, 1e-9);
  EXPECT_NEAR(distances.at("median_mm").get<double>(), 2, 1e-9);
  EXPECT_NEAR(distances.at("max_mm").get<double>(), 3, 1e-9);
  EXPECT_NEAR(distances.at("rmse_mm").get<double>(), std::sqrt(14.0 / 3), 1e-9);
}

TEST_F(EvalCharuco, ShowsEachCornerAndTheSummary) {
  const ProgramResult result = run("detected.xyz", {"--board", board()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* word : {"corner", "mean", "median", "max", "rmse"})
    EXPECT_THAT(result.out, HasSubstr(word));
}

TEST_F(EvalCharuco, NamesOfFilesDoNotSteerTheTerminal) {
  const std::string odd = "odd\x1b[31m.xyz";
  std::filesystem::copy_file(dir_ / "detected.xyz", dir_ / odd);
  const ProgramResult result = run(odd, {"--board", board()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << result.out;
}

TEST_F(EvalCharuco, BadInputIsOneLineAndExitTwo) {
  for (const auto& result : {run("two.xyz", {"--board", board()}), run("empty.xyz", {"--board", board()}),
                             run("missing.xyz", {"--board", board()}), run("detected.xyz", {}),
                             run("detected.xyz", {"--board", board(), "--scene", "flat_plane"})}) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace aqbench::testing
