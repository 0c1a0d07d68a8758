// `aqbench eval --explain` and `--which-protocol` of files that are no clouds.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class EvalFamilies : public Folder {
 protected:
  // Twenty cameras on a helix that turn about z; the first of the estimate is turned by `wrong` radians.
  void write_poses(const char* name, double wrong) const {
    std::ofstream file(dir_ / name);
    for (int i = 0; i < 20; ++i) {
      const double half = 0.35 * i + (i == 0 ? wrong / 2 : 0), angle = 0.7 * i;
      file << fmt::format("{} {} {} {} 0 0 {} {}\n", i, std::cos(angle), std::sin(angle), 0.1 * i * i,
                          std::sin(half), std::cos(half));
    }
  }

  void write_array(const char* name, const char* shape, std::span<const float> values) const {
    std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", shape);
    header.resize(117, ' ');
    std::ofstream file(dir_ / name, std::ios::binary);
    file << std::string("\x93NUMPY\x01\0v\0", 10) << header << '\n';
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size_bytes()));
  }

  void write_depths(const char* name, double scale, double shift) const {
    std::vector<float> values;
    for (int i = 0; i < 120; ++i) values.push_back(static_cast<float>(scale * (2 + 0.03 * i) + shift));
    write_array(name, "10, 12", values);
  }

  void write_points(const char* name, double bend) const {
    std::vector<float> values;
    for (int i = 0; i < 120; ++i)
      for (const double coordinate : {0.1 * (i % 12), 0.1 * (i / 12), 2 + bend * (i % 3)})
        values.push_back(static_cast<float>(coordinate));
    write_array(name, "1, 10, 12, 3", values);
  }

  void write_image(const char* name, float value) const {
    write_array(name, "12, 12, 3", std::vector<float>(12 * 12 * 3, value));
  }
};

// 19 of 190 pairs have the wrong camera; Depth-Anything-3's pairs all pass through it.
TEST_F(EvalFamilies, OneKnobIsWhyTheAreasOfTwoPapersDiffer) {
  write_poses("truth.txt", 0);
  write_poses("estimate.txt", 1.5);
  const json explained =
      document_of(run("eval estimate.txt --truth truth.txt --explain vggt,da3 --json")).at("explanations");
  json area;
  for (const json& number : explained)
    if (number.at("number") == "auc" && number.at("threshold") == 30) area = number;
  ASSERT_FALSE(area.is_null()) << explained;
  EXPECT_NEAR(area.at("a").get<double>(), 0.9, 1e-12);
  EXPECT_LT(area.at("b").get<double>(), 0.6);
  ASSERT_EQ(area.at("effects").size(), 1U);
  EXPECT_EQ(area.at("effects").at(0).at("knob"), "relative");
  EXPECT_NEAR(area.at("effects").at(0).at("alone").get<double>(),
              area.at("b").get<double>() - area.at("a").get<double>(), 1e-12);
  for (const json& number : explained) EXPECT_NE(number.at("number"), "ate_rmse") << "no knob changes it";
  const json found = document_of(run(words(fmt::format(
      "eval estimate.txt --truth truth.txt --which-protocol {:.6f} --json", area.at("b").get<double>()))));
  EXPECT_EQ(found.at("candidates").at(0).at("protocol"), "da3");
  EXPECT_EQ(found.at("candidates").at(0).at("threshold_deg"), 30);
  // COLMAP's rules are four knobs away: together they make the difference.
  const json colmap = document_of(run("eval estimate.txt --truth truth.txt --explain poses,vggt --json"));
  for (const json& number : colmap.at("explanations")) {
    double sum = 0;
    for (const json& effect : number.at("effects")) sum += effect.at("in_order").get<double>();
    EXPECT_NEAR(sum, number.at("b").get<double>() - number.at("a").get<double>(), 1e-12) << number;
  }
}

TEST_F(EvalFamilies, AFitThatDidNotConvergeIsSaid) {
  write_depths("truth.npy", 1, 0);
  write_depths("depths.npy", 1 / 1.6, -1.2 / 1.6);
  const std::string out =
      succeeded(run("eval depths.npy --truth truth.npy --explain video-depth-shift,video-depth:align=lad"))
          .out;
  EXPECT_THAT(out, HasSubstr("(scale&shift) did not converge: abs_rel 0."));
  EXPECT_THAT(out, HasSubstr("the optimum (align=lad) is 0.000"));
  EXPECT_THAT(succeeded(run("eval depths.npy --truth truth.npy --which-protocol 100%")).out,
              HasSubstr("eigen"));
}

// Each file has the truth of its scene; what --json prints is a results.json like any other.
TEST_F(EvalFamilies, APatternIsABundleOfMethodsAndScenes) {
  for (const char* const folder : {"data", "results/near", "results/far"})
    std::filesystem::create_directories(dir_ / folder);
  for (const char* const scene : {"a", "b"}) {
    write_depths(fmt::format("data/{}.npy", scene).c_str(), *scene == 'a' ? 1 : 2, 0);
    write_depths(fmt::format("results/near/{}.npy", scene).c_str(), *scene == 'a' ? 1.01 : 2.02, 0);
    write_depths(fmt::format("results/far/{}.npy", scene).c_str(), *scene == 'a' ? 1.1 : 2.2, 0);
  }
  const std::string asked = "eval results/{method}/{scene}.npy --truth data/{scene}.npy --protocol depth";
  const ProgramResult shown = succeeded(run(with(words(asked), {"--out", "bundle"})));
  EXPECT_THAT(shown.out, HasSubstr("b/far"));
  const json records = json_file(dir_ / "bundle/results.json").at("records");
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records.at(1).at("case"), "a/near/seed=42");
  EXPECT_NEAR(records.at(1).at("metrics").at("depth_abs_rel").at("value").get<double>(), 0.01, 1e-6);
  EXPECT_NEAR(records.at(2).at("metrics").at("depth_abs_rel").at("value").get<double>(), 0.1, 1e-6);
  const ProgramResult printed = succeeded(run(with(words(asked), {"--json"})));
  write("printed.json", printed.out);
  EXPECT_EQ(document_of(printed).at("protocols").at(1).at("case"), "b/far/seed=42");
  succeeded(run("accept bundle --baseline baseline.json"));
  succeeded(run("gate printed.json --baseline baseline.json"));
  for (const char* const scene : {"a", "b"})
    write_depths(fmt::format("results/near/{}.npy", scene).c_str(), *scene == 'a' ? 1.05 : 2.1, 0);
  write("worse.json", succeeded(run(with(words(asked), {"--json"}))).out);
  EXPECT_EQ(run("gate worse.json --baseline baseline.json").exit_code, 1);
  for (const int seed : {1, 2}) write_depths(fmt::format("seeds_{}.npy", seed).c_str(), 1 + 0.01 * seed, 0);
  succeeded(run("eval seeds_{seed}.npy --truth data/a.npy --protocol depth --out seeds"));
  const json second = json_file(dir_ / "seeds/results.json").at("records").at(1);
  EXPECT_EQ(second.at("case"), "a/given/seed=2");
  EXPECT_EQ(second.at("axes").at("seed"), 2);
  expect_mistake(run("eval nothing/*.npy --truth data/a.npy --protocol depth"),
                 "nothing/*.npy: no file matches");
}

// One protocol of each family: a bundle whose values a gate reads, a table for a paper, the same bytes again.
TEST_F(EvalFamilies, EachFamilyLeavesABundleThatGatesAndTablesRead) {
  write_depths("t.npy", 1, 0);
  write_depths("p.npy", 1.02, 0);
  write_points("tp.npy", 0);
  write_points("pp.npy", 0.01);
  write_image("ti.npy", 0.5F);
  write_image("pi.npy", 0.6F);
  write_poses("t.txt", 0);
  write_poses("p.txt", 0.1);
  const std::string table = "dataset,scene,image,rotation_matrix,translation_vector\n";
  std::string of_truth = table, of_model = table;
  for (int i = 0; i < 5; ++i) {
    of_truth += fmt::format("d,s,{}.png,1;0;0;0;1;0;0;0;1,{};{};{}\n", i, i, i * i, i % 2);
    of_model += fmt::format("d,m,{}.png,1;0;0;0;1;0;0;0;1,{};{};{}\n", i, 2 * i, 2 * i * i, 2 * (i % 2));
  }
  write("t.csv", of_truth);
  write("p.csv", of_model);
  struct Case {
    const char *protocol, *truth, *file, *metric;
  };
  for (const Case& one : {Case{"robustmvd", "t.npy", "p.npy", "robustmvd_abs_rel"},
                          {"point-maps-normed", "tp.npy", "pp.npy", "point_maps_normed_abs_rel"},
                          {"images-3dgs", "ti.npy", "pi.npy", "images_3dgs_psnr"},
                          {"da3", "t.txt", "p.txt", "da3_auc_30deg"},
                          {"imc-2025", "t.csv", "p.csv", "imc_2025_score"}}) {
    const std::string bundle = std::string("b_") + one.protocol, baseline = bundle + ".json";
    const Arguments asked = words("eval {} --truth {} --protocol {}", one.file, one.truth, one.protocol);
    succeeded(run(with(asked, {"--out", bundle})));
    const json record = json_file(dir_ / bundle / "results.json").at("records").at(0);
    EXPECT_TRUE(record.at("metrics").at(one.metric).at("value").is_number()) << record;
    const ProgramResult printed = run(with(asked, {"--json"}));
    EXPECT_EQ(document_of(printed).at("records").at(0), record);
    write("printed.json", printed.out);
    succeeded(run("accept {} --baseline {}", bundle, baseline));
    succeeded(run("gate printed.json --baseline {}", baseline));
    EXPECT_THAT(succeeded(run("export {} --latex", bundle)).out, HasSubstr("tabular"));
  }
}

TEST_F(EvalFamilies, TwoFamiliesAndUnknownKnobsAreRefused) {
  write_poses("truth.txt", 0);
  expect_mistake(run("eval truth.txt --truth truth.txt --explain vggt,depth"),
                 "--explain: vggt and depth do not score the same files");
  expect_mistake(run("eval truth.txt --truth truth.txt --explain vggt,da3:curve=round"),
                 "knob curve: 'round'");
  expect_mistake(run("eval truth.txt --truth truth.txt --explain vggt,da3 --knob garg_crop=no"),
                 "unknown knob 'garg_crop'");
}

// Two cameras at (-0.1, 0, 0) and (0.1, 0, 0) that look along z; a focal length 1 % too long puts points 1 %
// farther away.
TEST_F(EvalFamilies, CalibrationsAreScoredLikeAllElse) {
  const auto write_rig = [&](const std::string& name, double focal_px) {
    const std::string line = "PINHOLE 2000 1600 {0} {0} 1000 800\n";
    write(name + "/cameras.txt", "1 " + fmt::format(fmt::runtime(line), focal_px));
    write(name + "/images.txt", "1 1 0 0 0 0.1 0 0 1 left.png\n\n2 1 0 0 0 -0.1 0 0 1 right.png\n\n");
  };
  for (const char* const name : {"truth", "made/a/seed1", "made/b/seed1"})
    std::filesystem::create_directories(dir_ / name);
  write_rig("truth", 1500);
  write_rig("made/a/seed1", 1515);
  write_rig("made/b/seed1", 1500);
  const std::string box = " --volume -0.02,-0.02,0.999,0.02,0.02,1.001";
  const json document =
      document_of(run(words("eval --calibration made/a/seed1 --truth truth/ --json" + box)));
  const json& record = document.at("records").at(0);
  EXPECT_EQ(record.at("case"), "truth/given/seed=42");
  const json& metrics = record.at("metrics");
  EXPECT_NEAR(metrics.at("calibration_bias_z_mm").at("value").get<double>(), 10, 1e-6);
  EXPECT_EQ(metrics.at("calibration_bias_z_mm").at("better"), "equal");
  EXPECT_NEAR(metrics.at("calibration_rms_mm").at("value").get<double>(), 10, 1e-3);
  EXPECT_EQ(metrics.at("calibration_rms_mm").at("better"), "lower");
  EXPECT_EQ(metrics.at("calibration_points").at("value"), 1331);
  EXPECT_EQ(record.at("options").at("calibration.volume"), box.substr(10));
  // A pattern, into a bundle that gates and compares.
  const std::string pattern = "eval --calibration made/{method}/seed{seed} --truth truth";
  EXPECT_EQ(run(words(pattern + box + " --out first")).exit_code, 0);
  const json first = json_file(dir_ / "first/results.json").at("records");
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first.at(1).at("case"), "truth/b/seed=1");
  EXPECT_EQ(run("accept first --baseline accepted.json").exit_code, 0);
  EXPECT_EQ(run(words(pattern + box + " --out again")).exit_code, 0);
  EXPECT_EQ(run("gate again --baseline accepted.json").exit_code, 0);
  write_rig("made/b/seed1", 1530);
  EXPECT_EQ(run(words(pattern + box + " --out second")).exit_code, 0);
  EXPECT_EQ(run("gate second --baseline accepted.json").exit_code, 1);
  for (const char* const reader : {"report second --out page.html", "compare first second",
                                   "export second --csv", "trend first again second", "verify second"})
    EXPECT_THAT(run(reader).exit_code, ::testing::AnyOf(0, 1)) << reader << run(reader).err;
  // Calibmar's pair has no names: its cameras are taken in their order.
  const std::string lens =
      "model: PINHOLE\nparameters: [1500, 1500, 1000, 800]\nnon_svp_model: NONE\nnon_svp_parameters: "
      "[]\nwidth: 2000\nheight: 1600\n";
  write("stereo.yaml", lens);
  write("stereo_stereo.yaml", lens +
                                  "cam_to_world_rotation_rowmajor: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"
                                  "cam_to_world_translation: [0.2, 0, 0]\n");
  const json pair = document_of(run(words("eval --calibration stereo.yaml --truth truth --json" + box)));
  const json& of_pair = pair.at("records").at(0).at("metrics");
  EXPECT_NEAR(of_pair.at("calibration_bias_x_mm").at("value").get<double>(), 100, 1e-9);
  EXPECT_LT(of_pair.at("calibration_aligned_max_mm").at("value").get<double>(), 1e-9);
  EXPECT_THAT(pair.at("notes").dump(), HasSubstr("camera stereo is taken as left, by their order"));
  for (const char* const ending : {".yaml", "_stereo.yaml"})
    std::filesystem::copy_file(dir_ / (std::string("stereo") + ending),
                               dir_ / (std::string("true") + ending));
  const json same = document_of(run(words("eval --calibration stereo.yaml --truth true.yaml --json" + box)));
  EXPECT_LT(same.at("records").at(0).at("metrics").at("calibration_max_mm").at("value").get<double>(), 1e-9);
  expect_mistake(run("eval --calibration made/a/seed1 --truth truth --volume 0,0,1,0,0,2"),
                 "knob volume: '0,0,1,0,0,2': expected X0,Y0,Z0,X1,Y1,Z1 in metres");
  expect_mistake(run(words("eval truth --calibration made/a/seed1 --truth truth" + box)),
                 "stands in the place of CLOUD");
  expect_mistake(run(words("eval --calibration made/a/seed1 --truth truth --unit mm" + box)), "--unit");
  expect_mistake(run("eval made/a/seed1 --protocol calibration --truth truth"), "--volume is missing");
}

}  // namespace
}  // namespace aqbench::testing
