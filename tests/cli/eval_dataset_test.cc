// `aqbench eval` with a rendered dataset: depth maps, and what the cameras see.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/files.h"
#include "scenes/images/image_file.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class EvalDataset : public Folder {
 protected:
  EvalDataset() {
    succeeded(
        run("render undulating --rig single_pair --width 48 --imaging textureless --set "
            "undulating.amplitude_m=0.004 --out d"));
  }

  // The true depths of a camera changed value by value, as another file.
  template <class Change>
  std::string changed_depths(const std::string& name, Change change) const {
    std::string bytes = read_file(dataset_ + "/truth/cam00/depth.npy");
    std::size_t at = 10 + static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    for (; at < bytes.size(); at += sizeof(float)) {
      float depth = 0;
      std::memcpy(&depth, bytes.data() + at, sizeof depth);
      depth = change(depth);
      std::memcpy(bytes.data() + at, &depth, sizeof depth);
    }
    write(name, bytes);
    return dir_ / name;
  }

  std::string dataset_ = dir_ / "d";
};

TEST_F(EvalDataset, DepthMapsAreScoredAlongTheRay) {
  const std::string shifted = changed_depths("shifted.npy", [](float depth) { return depth + 0.0015f; });
  const json all = document_of(run("eval --depth {} --camera cam00 --dataset {} --json", shifted, dataset_));
  const json& metrics = all.at("records").at(0).at("metrics");
  EXPECT_NEAR(metrics.at("depth_mae_mm").at("value").get<double>(), 1.5, 1e-4);
  EXPECT_EQ(metrics.at("depth_fill_rate_pct").at("value"), 100);
  EXPECT_EQ(metrics.at("depth_bad_1mm_pct").at("value"), 100);
  EXPECT_EQ(metrics.at("depth_bad_2mm_pct").at("value"), 0);
  EXPECT_THAT(all.at("run").at("effective").at("depth").get<std::string>(),
              HasSubstr("along the refracted ray"));
  EXPECT_EQ(all.at("records").at(0).at("options").at("undulating.amplitude_m"), 0.004);
  const std::string millimetres = changed_depths("mm.npy", [](float depth) { return 1000 * depth; });
  expect_mistake(run("eval --depth {} --camera cam00 --dataset {}", millimetres, dataset_),
                 "1000 times the true ones; see --unit");
  const auto scaled =
      run({"eval", "--depth", millimetres, "--camera", "cam00", "--dataset", dataset_, "--unit", "mm"});
  EXPECT_EQ(scaled.err, "");
  EXPECT_THAT(scaled.out, HasSubstr("undistorted camera"));
}

TEST_F(EvalDataset, UnusableDepthMapsAreOneLineAndExitTwo) {
  const std::string good = changed_depths("good.npy", [](float depth) { return depth; });
  write("bad.npy", "no numpy file");
  write("small.npy", std::string("\x93NUMPY\x01\x00\x3e\x00", 10) +
                         "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }  \n" +
                         std::string(8, '\0'));
  const auto refused = [&](const std::string& file, const std::string& camera, const std::string& dataset,
                           const char* why) {
    expect_refused(run("eval --depth {} --camera {} --dataset {}", file, camera, dataset), why);
  };
  refused("bad.npy", "cam00", dataset_, "bad.npy");
  refused("small.npy", "cam00", dataset_, "1 x 2 values, but camera cam00 has 36 rows x 48");
  refused(good, "cam7", dataset_, "cam00");
  refused(good, "cam00", "none", "none/calibration.json");
  std::filesystem::remove(dataset_ + "/truth/cam01/depth.npy");
  refused(good, "cam01", dataset_, "truth/cam01/depth.npy");
}

// The vertices of a true plane lie on what its depth maps say.
TEST_F(EvalDataset, DepthMapsAreTruthForClouds) {
  dataset_ = (dir_ / "plane").string();
  succeeded(run("render flat_plane --rig single_pair --width 48 --imaging textureless --out {}", dataset_));
  const std::string cloud = dataset_ + "/truth/surface.ply", depths = dataset_ + "/truth/cam00/depth.npy";
  const auto score = [&](const std::vector<std::string>& more) {
    return document_of(run(with({"eval", cloud, "--dataset", dataset_, "--json"}, more)));
  };
  const auto median_mm = [](const json& document) {
    return document.at("records").at(0).at("metrics").at("accuracy_median_mm").at("value").get<double>();
  };
  const json both = score(
      {"--truth-depth", "cam00=" + depths, "--truth-depth", "cam01=" + dataset_ + "/truth/cam01/depth.npy"});
  EXPECT_LT(median_mm(both), 1e-3);
  EXPECT_EQ(both.at("run").at("effective").at("scoring").at("truth_points"), 2 * 48 * 36);
  const std::string lower = changed_depths("lower.npy", [](float depth) { return 1000 * depth + 3; });
  const json below = score(words("--truth-depth {} --truth-unit mm", "cam00=" + lower));
  EXPECT_NEAR(median_mm(below), 3, 0.3);
  const auto refused = [&](const std::vector<std::string>& more, const char* why) {
    expect_refused(run(with({"eval", cloud}, more)), why);
  };
  refused({"--truth-depth", "cam00=" + depths}, "needs --dataset or --rig");
  refused(words("--truth-depth cam00 --dataset {}", dataset_), "expected CAMERA=FILE");
  refused({"--truth-depth", "cam7=" + depths, "--dataset", dataset_}, "cam7");
  refused(words("--truth-depth {} --rig single_pair", "cam00=" + depths), "48");
  refused(words("--truth-depth {} --dataset {} --scene flat_plane", "cam00=" + depths, dataset_),
          "give one of");
  refused(words("--truth-depth cam00=d.pfm --dataset {}", dataset_), "--depth-along");
  refused(words("--scene undulating --depth-along z"), "--truth-depth");
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
  const json all = document_of(run("eval half.xyz --dataset d --views views.csv --json"));
  const json& metrics = all.at("records").at(0).at("metrics");
  EXPECT_NEAR(metrics.at("completeness_seen2_2mm_pct").at("value").get<double>(), 50, 3);
  const json& rows = all.at("run").at("effective").at("completeness_by_views");
  ASSERT_EQ(rows.size(), 3u);  // 0, 1, 2 cameras
  double share = 0;
  for (const json& row : rows) share += row.at("surface_pct").get<double>();
  EXPECT_NEAR(share, 100, 1e-9);
  EXPECT_NEAR(rows[2].at("completeness_2mm_pct").get<double>(),
              metrics.at("completeness_seen2_2mm_pct").at("value").get<double>(), 1e-9);
  std::ifstream csv(dir_ / "views.csv");
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "views,surface_pct,completeness_2mm_pct");
  const json by_rig =
      document_of(run("eval half.xyz --scene undulating --set undulating.amplitude_m=0.004 --rig single_pair "
                      "--set single_pair.width=48 --set single_pair.height=36 --json"));
  EXPECT_EQ(by_rig.at("records").at(0).at("metrics").dump(), metrics.dump());
  EXPECT_EQ(run("eval half.xyz --scene undulating --views views.csv").exit_code, 2);
}

// The rendered dataset as a lab has one: a calibration, images, and a scan of the surface.
TEST_F(EvalDataset, ARecordingIsScoredWithItsTruthByFolderAndByName) {
  namespace fs = std::filesystem;
  fs::remove(dataset_ + "/truth/scene.json");
  const std::string cloud = (dir_ / "cloud.ply").string();
  fs::copy_file(dataset_ + "/truth/surface.ply", cloud);
  expect_mistake(run({"eval", cloud, "--dataset", dataset_}), "has no true surface; give --truth FILE");
  write("d/truth/truth.json",
        R"({"surface": {"file": "surface.ply", "unit": "m", "thresholds_mm": [1, 50], "outlier_mm": 30}})");
  const auto metrics_of = [&](const std::string& dataset) {
    return document_of(run("eval {} --dataset {} --outlier 40mm --json", cloud, dataset))
        .at("records")
        .at(0)
        .at("metrics");
  };
  const json metrics = metrics_of(dataset_);
  EXPECT_LT(metrics.at("accuracy_rmse_mm").at("value").get<double>(), 1e-9);
  EXPECT_TRUE(metrics.contains("precision_50mm_pct")) << "the thresholds that the truth declares";
  EXPECT_TRUE(metrics.contains("outlier_ratio_40mm_pct")) << "the user's word holds";
  write("aqbench.json", R"({"version": 1, "datasets": {"tank": {"directory": "d"}}})");
  EXPECT_EQ(metrics_of("tank"), metrics);
  expect_mistake(run("eval {} --dataset tnak", cloud),
                 "no such folder; unknown dataset 'tnak'; did you mean tank?");
  EXPECT_EQ(run("eval {} --dataset tank --frame 7", cloud).exit_code, 2);
}

// Images made smaller, and cameras as they were: what two cameras see would be wrong.
TEST_F(EvalDataset, CamerasOfAnotherImageSizeAreRefused) {
  namespace fs = std::filesystem;
  fs::remove(dataset_ + "/truth/scene.json");
  write("d/truth/truth.json", R"({"surface": {"file": "surface.ply", "unit": "m"}})");
  const std::string cloud = (dir_ / "cloud.ply").string();
  fs::copy_file(dataset_ + "/truth/surface.ply", cloud);
  EXPECT_EQ(run({"eval", cloud, "--dataset", dataset_}).exit_code, 0);
  const std::vector<std::uint16_t> values(24 * 18, 100);
  write("d/images/cam01/000000.png", encode_png(24, 18, 8, values));
  expect_refused(run({"eval", cloud, "--dataset", dataset_}),
                 "cam01/000000.png: is 24 x 18 px, but camera 'cam01' has 48 x 36");
}

// ---- `aqbench eval --charuco` on corners that are 1, 2 and 3 mm off. ----

class EvalCharuco : public Folder {
 protected:
  EvalCharuco() {
    write("board.xyz", "0 0 1100\n40 0 1100\n80 0 1100\n");
    write("detected.xyz", "1 0 1100\n40 -2 1100\n80 0 1103\n");
    write("two.xyz", "0 0 1100\n40 0 1100\n");
    write("empty.xyz", "# no corner\n");
  }
  ProgramResult charuco(const std::string& detected, const char* more = "--board board.xyz") const {
    return run(with(words("eval --charuco {} --unit mm", detected), words(more)));
  }
};

TEST_F(EvalCharuco, OneTwoAndThreeMillimetresHaveTheMeanTwo) {
  const json distances = document_of(charuco("detected.xyz", "--board board.xyz --json"));
  EXPECT_EQ(distances.at("corners"), 3);
  EXPECT_NEAR(distances.at("error_mm").at(2).get<double>(), 3, 1e-9);
  EXPECT_NEAR(distances.at("mean_mm").get<double>(), 2, 1e-9);
  EXPECT_NEAR(distances.at("median_mm").get<double>(), 2, 1e-9);
  EXPECT_NEAR(distances.at("max_mm").get<double>(), 3, 1e-9);
  EXPECT_NEAR(distances.at("rmse_mm").get<double>(), std::sqrt(14.0 / 3), 1e-9);
}

TEST_F(EvalCharuco, ShowsEachCornerAndTheSummary) {
  const auto result = succeeded(charuco("detected.xyz"));
  for (const char* word : {"corner", "mean", "median", "max", "rmse"})
    EXPECT_THAT(result.out, HasSubstr(word));
}

TEST_F(EvalCharuco, NamesOfFilesDoNotSteerTheTerminal) {
  const std::string odd = "odd\x1b[31m.xyz";
  std::filesystem::copy_file(dir_ / "detected.xyz", dir_ / odd);
  const auto result = succeeded(charuco(odd));
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << result.out;
}

TEST_F(EvalCharuco, BadInputIsOneLineAndExitTwo) {
  for (const auto& result :
       {charuco("two.xyz"), charuco("empty.xyz"), charuco("missing.xyz"), charuco("detected.xyz", ""),
        charuco("detected.xyz", "--board board.xyz --scene flat_plane")})
    expect_refused(result, "");
}

}  // namespace
}  // namespace aqbench::testing
