// `aqbench eval --protocol` against conformance/cases.json, whose values are computed apart from the program.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using EvalProtocol = Folder;

const std::filesystem::path kConformance = AQBENCH_SOURCE_DIR "/conformance";

ProgramResult run_in_data(const Arguments& arguments) {
  return run_program(arguments, {.working_dir = kConformance / "data"});
}

// Holds every value of a case against what the program prints; returns how many there were.
std::size_t check_case(const json& expected) {
  const std::string file = expected.at("file").get<std::string>(),
                    protocol = expected.at("protocol").get<std::string>();
  Arguments arguments = words("eval {} --protocol {} --json", file, protocol);
  for (const json& option : expected.at("options")) arguments.push_back(option.get<std::string>());
  const ProgramResult run = run_in_data(arguments);
  EXPECT_EQ(run.exit_code, 0) << file << " " << protocol << ": " << run.err;
  if (run.exit_code != 0) return 0;
  std::map<std::pair<std::string, double>, json> got;
  const json printed = json::parse(run.out);
  EXPECT_EQ(printed.at("inputs").at("file"), file);
  EXPECT_EQ(printed.at("inputs").at("metres_per_unit"), 1.0);
  for (const json& value : printed.at("protocols").at(0).at("values"))
    got[{value.at("name").get<std::string>(), value.value("threshold", 0.0)}] = value.at("value");
  const json tolerance = expected.at("tolerance");
  for (const json& value : expected.at("values")) {
    const std::string name = value.at("name").get<std::string>();
    const json found = got[{name, value.value("threshold", 0.0)}];
    EXPECT_TRUE(found.is_number() && value.at("value").is_number()) << file << " " << protocol << " " << name;
    if (!found.is_number() || !value.at("value").is_number()) continue;
    const double truth = value.at("value").get<double>();
    EXPECT_NEAR(found.get<double>(), truth,
                tolerance.value("absolute", 0.0) + tolerance.value("relative", 0.0) * std::abs(truth))
        << file << " " << protocol << " " << name;
  }
  return expected.at("values").size();
}

TEST_F(EvalProtocol, GivesTheValuesOfTheOracle) {
  std::map<std::string, std::size_t> compared;
  const json document = json_file(kConformance / "cases.json");
  for (const json& expected : document.at("cases")) {
    const std::string name = expected.at("file").get<std::string>();
    const bool cloud = name.ends_with(".ply");
    if (cloud && name != "duplicates.ply" && name != "layers.ply") continue;  // `make conformance` does all
    compared[expected.at("protocol").get<std::string>()] += check_case(expected);
  }
  for (const char* protocol :
       {"eth3d", "tanks-and-temples", "scannet-mesh", "dtu", "normals", "depth", "poses"})
    EXPECT_GT(compared[protocol], 0U) << protocol;
}

TEST_F(EvalProtocol, AllInOneTable) {
  const auto run =
      succeeded(run_in_data({"eval", "sparse.ply", "--truth", "truth.ply", "--protocol", "all"}));
  for (const char* text : {"aqbench ", "eth3d ", "tanks-and-temples ", "dtu ", "scannet-mesh ", "normals "})
    EXPECT_THAT(run.out, HasSubstr(text)) << text;
  EXPECT_THAT(run.out, HasSubstr("n/a"));  // eth3d: no scanner is known
}

TEST_F(EvalProtocol, PrintsTheLinesOfEth3d) {
  EXPECT_THAT(succeeded(run_in_data({"eval", "sparse.ply", "--truth", "scans.mlp", "--protocol", "eth3d",
                                     "--thresholds", "10mm,20mm"}))
                  .out,
              HasSubstr("\nTolerances: 0.01 0.02\nCompletenesses: 0."));
}

TEST_F(EvalProtocol, ExplainsAndFindsTheProtocol) {
  const Arguments cloud = words("eval sparse.ply --truth truth.ply --scanner 0,0,1 --json");
  const json first =
      document_of(run_in_data(with(cloud, words("--explain eth3d,tanks-and-temples --thresholds 5mm"))))
          .at("explanations")
          .at(0);
  double sum = 0;
  for (const json& effect : first.at("effects")) sum += effect.at("in_order").get<double>();
  EXPECT_NEAR(sum, first.at("b").get<double>() - first.at("a").get<double>(), 1e-12);
  const json found = document_of(
      run_in_data(with(cloud, {"--which-protocol", std::to_string(first.at("b").get<double>())})));
  EXPECT_EQ(found.at("candidates").at(0).at("protocol"), "tanks-and-temples") << found;
}

// The row "aqbench" says what `aqbench eval` says, of a mesh with two large triangles and of half a scan.
TEST_F(EvalProtocol, OurRowIsWhatEvalGives) {
  write("mesh.ply",
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
        "0 0 1\n0.4 0 1\n0.4 0.3 1\n0 0.3 1\n3 0 1 2\n3 0 2 3\n");
  std::string scan =
      "ply\nformat ascii 1.0\nelement vertex 2000\nproperty float x\nproperty float y\nproperty float z\n"
      "property float nx\nproperty float ny\nproperty float nz\nend_header\n";
  std::string cloud;
  for (int i = 0; i < 3000; ++i)
    cloud += fmt::format("{} {} {}\n", 0.3 * (i % 60) / 60, 0.3 * (i / 60) / 50, 1 + 0.0005 * (i % 7));
  for (int i = 0; i < 2000; ++i)
    scan += fmt::format("{} {} 1 0 0 -1\n", 0.2 * (i % 50) / 50, 0.3 * (i / 50) / 40);
  write("cloud.xyz", cloud);
  write("scan.ply", scan);
  const auto ours = [&](const Arguments& truth, const char* name) {
    const json printed =
        document_of(run(with({"eval", "cloud.xyz", "--protocol", "aqbench", "--json"}, truth)));
    for (const json& value : printed.at("protocols").at(0).at("values"))
      if (value.at("name") == name && value.value("threshold", 0.002) == 0.002)
        return value.at("value").get<double>();
    return -1.0;
  };
  for (const Arguments& truth :
       {words("--truth mesh.ply"), words("--mesh mesh.ply"), words("--truth scan.ply")}) {
    const json metrics =
        document_of(run(with({"eval", "cloud.xyz", "--json"}, truth))).at("records").at(0).at("metrics");
    EXPECT_NEAR(ours(truth, "accuracy_mean"), 1e-3 * metrics["accuracy_mean_mm"]["value"].get<double>(),
                1e-12);
    EXPECT_NEAR(ours(truth, "recall"), 0.01 * metrics["completeness_2mm_pct"]["value"].get<double>(), 1e-12)
        << truth[1];
  }
  // Normals of a scan are there although it is known where its scanner stood.
  const ProgramResult normals =
      run("eval scan.ply --truth scan.ply --scanner 0,0,0 --protocol normals --json");
  EXPECT_EQ(json::parse(normals.out).at("protocols").at(0).at("values").at(0).at("value"), 1) << normals.out;
}

// Vertices alone give another number than the faces that papers sample.
TEST_F(EvalProtocol, AMeshIsRefusedWhereThePaperSamplesItsFaces) {
  write("mesh.off", "OFF\n4 2 0\n0 0 1\n0.4 0 1\n0.4 0.3 1\n0 0.3 1\n3 0 1 2\n3 0 2 3\n");
  const auto eval = [&](const char* more) {
    return run(with(words("eval mesh.off --truth mesh.off"), words(more)));
  };
  for (const char* asked : {"--protocol dtu", "--protocol tanks-and-temples", "--explain dtu,eth3d",
                            "--explain eth3d,tanks-and-temples:strict=no"}) {
    const ProgramResult refused = eval(asked);
    EXPECT_EQ(refused.exit_code, 2) << asked;
    EXPECT_THAT(refused.err, HasSubstr(": mesh.off is a mesh: score it by ")) << asked;
  }
  for (const char* asked :
       {"--protocol scannet-mesh", "--protocol dtu --knob mesh_cloud=faces --knob thinning_m=0.002",
        "--explain dtu-mesh:thinning_m=0.002,tanks-and-temples-mesh"})
    EXPECT_EQ(eval(asked).exit_code, 0) << asked;
  // The faces are those of the truth, whose samples are closer to each other than 1 mm.
  EXPECT_THAT(succeeded(eval("--protocol dtu-mesh --knob thinning_m=0.002")).out, HasSubstr("dtu-mesh"));
  EXPECT_THAT(
      run(words("eval mesh.off --truth mesh.off --protocol dtu-mesh --knob thinning_m=0.002 --json")).out,
      HasSubstr("\"mesh_cloud\": \"faces\""));
  const ProgramResult all = succeeded(eval("--protocol all --knob thinning_m=0.002"));
  EXPECT_THAT(all.out, HasSubstr("without dtu: it is a mesh"));
  EXPECT_THAT(all.out, ::testing::Not(HasSubstr("\ndtu ")));
  EXPECT_THAT(all.out, HasSubstr("\nscannet-mesh "));
}

TEST_F(EvalProtocol, TrajectoriesHaveUnits) {
  std::string metres, millimetres;
  for (int i = 0; i < 5; ++i) {
    metres += fmt::format("{} {} {} 0 0 0 0 1\n", i, 0.1 * i, 0.01 * i * i);
    millimetres += fmt::format("{} {} {} 0 0 0 0 1\n", i, 100 * i + 3, 10 * i * i);
  }
  write("metres.txt", metres);
  write("millimetres.txt", millimetres);
  const json value = document_of(run("eval millimetres.txt --unit mm --truth metres.txt --protocol poses "
                                     "--knob alignment=none --json"))
                         .at("protocols")
                         .at(0)
                         .at("values")
                         .at(0);
  EXPECT_EQ(value.at("name"), "ate_rmse");
  EXPECT_NEAR(value.at("value").get<double>(), 0.003, 1e-12);
}

// Poses a metre apart of which the estimate is 1 % too long: a path of 10 m is 10 poses, and 0.1 m off.
TEST_F(EvalProtocol, RelativeErrorsOverAPath) {
  std::string truth =
      "#timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z "
      "[]\n";
  std::string estimate;
  for (int i = 0; i <= 40; ++i) {
    truth += fmt::format("{}838555648,{},0,0,1,0,0,0\n", 1403636580 + i, i);
    estimate += fmt::format("{}.838555648 {} 0 0 0 0 0 1\n", 1403636580 + i, 1.01 * i);
  }
  write("truth.csv", truth);
  write("estimate.txt", estimate);
  const json protocol =
      document_of(run("eval estimate.txt --truth truth.csv --protocol poses --rpe-delta 10m "
                      "--knob alignment=none --json"))
          .at("protocols")
          .at(0);
  EXPECT_EQ(protocol.at("knobs").at("rpe_delta"), "10m");
  for (const json& value : protocol.at("values"))
    if (value.at("name") == "rpe_translation_mean") {
      EXPECT_NEAR(value.at("value").get<double>(), 0.1, 1e-9);
    }
}

// Far from the origin 32 bits have steps of 0.5 m: files and protocols say so, and 64 bits are right.
TEST_F(EvalProtocol, WhatRoundingTo32BitsCostsIsSaid) {
  std::string truth, cloud;
  for (int i = 0; i < 900; ++i) {
    const std::string place =
        fmt::format("{:.6f} {:.6f}", 500000.003 + 0.02 * (i % 30), 4500000.007 + 0.02 * (i / 30));
    truth += place + " 0\n";
    cloud += place + " 0.004\n";
  }
  write("truth.xyz", truth);
  write("cloud.xyz", cloud);
  const Arguments command =
      words("eval cloud.xyz --truth truth.xyz --scanner 500000,4500000,10 --protocol eth3d --json");
  const std::string note = document_of(run(command)).at("notes").dump();
  EXPECT_THAT(note, HasSubstr("eth3d computes in 32 bits: at coordinates of 4.5e+06 m"));
  const json exact = document_of(run(with(command, {"--knob", "single_precision=no"})));
  EXPECT_EQ(exact.at("notes").size(), 0U);
  for (const json& value : exact.at("protocols").at(0).at("values"))
    if (value.at("name") == "completeness_mean") {
      EXPECT_NEAR(value.at("value").get<double>(), 0.004, 1e-9);
    }
}

// What the layout of DTU finds by itself is also found by flags.
TEST_F(EvalProtocol, FilesOfDtuAreReadAsFlags) {
  const std::string dtu = AQBENCH_SOURCE_DIR "/conformance/layouts/dtu/";
  const std::string scan = dtu + "Points/stl/stl007_total.ply", mask = dtu + "ObsMask/ObsMask7_10.mat";
  const auto values = [&](const Arguments& more) {
    const json found =
        document_of(run_in_data(with({"eval", scan, "--unit", "mm", "--protocol", "dtu", "--json"}, more)))
            .at("protocols")
            .at(0);
    EXPECT_GT(found.at("counts").at("outside_mask"), 0);
    EXPECT_GT(found.at("counts").at("truth_below_plane"), 0);
    return found;
  };
  EXPECT_EQ(
      values({"--dataset", dtu + "scan7"}).at("values"),
      values(words("--truth {} --truth-unit mm --mask {} --plane {}", scan, mask, dtu + "ObsMask/Plane7.mat"))
          .at("values"));
}

TEST_F(EvalProtocol, WrongFlagsAreNamed) {
  const auto refused = [](Arguments more, const char* said) {
    expect_mistake(run_in_data(with({"eval", "sparse.ply", "--truth", "truth.ply"}, more)), said);
  };
  refused({"--protocol", "eth3"}, "eth3d");
  refused(words("--protocol dtu --knob voxel=1"), "voxel_m");
  refused(words("--protocol dtu --knob voxel_m=x"), "voxel_m");
  refused(words("--protocol dtu --mask mask.npy"), "--mask-box");
  refused(words("--protocol dtu --mask mask.png"), "masks of images belong into");
  refused(words("--protocol dtu --explain dtu,eth3d"), "give one of --protocol or --explain");
  refused({"--explain", "dtu"}, "--explain");
  refused({"--which-protocol", "much"}, "--which-protocol");
  refused({"--knob", "voxel_m=1"}, "--knob");
  // What would be read and then not be heeded.
  refused(words("--protocol dtu --outlier 1mm"), "--outlier: only with CLOUD alone (this is eval --protocol");
  refused(words("--protocol dtu --confidence c.npy"), "--confidence");
  refused(words("--protocol dtu --rpe-delta 10m"),
          "--rpe-delta: only with --protocol poses (this is eval --protocol");
  refused(words("--protocol poses --rpe-delta 10mm"), "knob rpe_delta: '10mm': expected frames");
  refused(words("--protocol dtu --max-distance 1mm"), "--max-distance");
  refused(words("--protocol depth --crop z:0,1"), "--crop");
  refused(words("--which-protocol 0.3 --knob voxel_m=1"),
          "(this is eval --which-protocol, which ignores it)");
}

}  // namespace
}  // namespace aqbench::testing
