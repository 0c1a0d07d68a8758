// `aqbench eval --protocol` against conformance/cases.json, whose values are computed apart from the program.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;

const std::filesystem::path kConformance = AQBENCH_SOURCE_DIR "/conformance";

ProgramResult run_in_data(const Arguments& arguments) {
  ProgramOptions options;
  options.working_dir = kConformance / "data";
  return run_program(arguments, options);
}

// Holds every value of a case against what the program prints; returns how many there were.
std::size_t check_case(const json& expected) {
  const std::string file = expected.at("file"), protocol = expected.at("protocol");
  Arguments arguments = {"eval", file, "--protocol", protocol, "--json"};
  for (const std::string option : expected.at("options")) arguments.push_back(option);
  const ProgramResult run = run_in_data(arguments);
  EXPECT_EQ(run.exit_code, 0) << file << " " << protocol << ": " << run.err;
  if (run.exit_code != 0) return 0;
  std::map<std::pair<std::string, double>, json> got;
  const json printed = json::parse(run.out);
  for (const json& value : printed.at("protocols").at(0).at("values"))
    got[{value.at("name"), value.value("threshold", 0.0)}] = value.at("value");
  const json tolerance = expected.at("tolerance");
  for (const json& value : expected.at("values")) {
    const std::string name = value.at("name");
    const json found = got[{name, value.value("threshold", 0.0)}];
    EXPECT_TRUE(found.is_number() && value.at("value").is_number()) << file << " " << protocol << " " << name;
    if (!found.is_number() || !value.at("value").is_number()) continue;
    const double truth = value.at("value");
    EXPECT_NEAR(found.get<double>(), truth,
                tolerance.value("absolute", 0.0) + tolerance.value("relative", 0.0) * std::abs(truth))
        << file << " " << protocol << " " << name;
  }
  return expected.at("values").size();
}

TEST(EvalProtocol, GivesTheValuesOfTheOracle) {
  std::ifstream file(kConformance / "cases.json");
  std::map<std::string, std::size_t> compared;
  const json document = json::parse(file);
  for (const json& expected : document.at("cases")) {
    const std::string name = expected.at("file");
    const bool cloud = name.ends_with(".ply");
    if (cloud && name != "duplicates.ply" && name != "layers.ply") continue;  // `make conformance` does all
    compared[expected.at("protocol")] += check_case(expected);
  }
  for (const char* protocol :
       {"eth3d", "tanks-and-temples", "scannet-mesh", "dtu", "normals", "depth", "poses"})
    EXPECT_GT(compared[protocol], 0U) << protocol;
}

TEST(EvalProtocol, AllInOneTable) {
  const ProgramResult run = run_in_data({"eval", "sparse.ply", "--truth", "truth.ply", "--protocol", "all"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* text : {"aqbench ", "eth3d ", "tanks-and-temples ", "dtu ", "scannet-mesh ", "normals "})
    EXPECT_NE(run.out.find(text), std::string::npos) << text;
  EXPECT_NE(run.out.find("n/a"), std::string::npos);  // eth3d: no scanner is known
}

TEST(EvalProtocol, PrintsTheLinesOfEth3d) {
  const ProgramResult run = run_in_data(
      {"eval", "sparse.ply", "--truth", "scans.mlp", "--protocol", "eth3d", "--thresholds", "10mm,20mm"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("\nTolerances: 0.01 0.02\nCompletenesses: 0."), std::string::npos) << run.out;
}

TEST(EvalProtocol, ExplainsAndFindsTheProtocol) {
  const Arguments cloud = {"eval", "sparse.ply", "--truth", "truth.ply", "--scanner", "0,0,1", "--json"};
  Arguments explain = cloud, which = cloud;
  explain.insert(explain.end(), {"--explain", "eth3d,tanks-and-temples", "--thresholds", "5mm"});
  const ProgramResult explained = run_in_data(explain);
  ASSERT_EQ(explained.exit_code, 0) << explained.err;
  const json first = json::parse(explained.out).at("explanations").at(0);
  double sum = 0;
  for (const json& effect : first.at("effects")) sum += effect.at("in_order").get<double>();
  EXPECT_NEAR(sum, first.at("b").get<double>() - first.at("a").get<double>(), 1e-12);
  which.insert(which.end(), {"--which-protocol", std::to_string(first.at("b").get<double>())});
  const ProgramResult found = run_in_data(which);
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_EQ(json::parse(found.out).at("candidates").at(0).at("protocol"), "tanks-and-temples") << found.out;
}

TEST(EvalProtocol, WrongFlagsAreNamed) {
  const auto refused = [](Arguments more, const char* said) {
    Arguments arguments = {"eval", "sparse.ply", "--truth", "truth.ply"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult run = run_in_data(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
  };
  refused({"--protocol", "eth3"}, "eth3d");
  refused({"--protocol", "dtu", "--knob", "voxel=1"}, "voxel_m");
  refused({"--protocol", "dtu", "--knob", "voxel_m=x"}, "voxel_m");
  refused({"--protocol", "dtu", "--mask", "mask.npy"}, "--mask-box");
  refused({"--protocol", "dtu", "--explain", "dtu,eth3d"}, "give one of them");
  refused({"--explain", "dtu"}, "--explain");
  refused({"--which-protocol", "much"}, "--which-protocol");
  refused({"--knob", "voxel_m=1"}, "--knob");
}

}  // namespace
}  // namespace aqbench::testing
