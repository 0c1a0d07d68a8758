// Protocols of other benchmarks inside a run: metrics of the record like all others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/files.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ProtocolRun : public UserFolder {
 protected:
  json sweep_roma(const std::string& out, const Arguments& more) {
    return sweep(out, with(words("--scene undulating --method roma_like"), more));
  }
};

TEST_F(ProtocolRun, TheirNumbersAreThoseOfEvalAndChangeNoOther) {
  const json with = sweep_roma(
      "with", words("--protocol dtu --protocol tanks-and-temples:thresholds_m=0.002 --protocol aqbench"));
  EXPECT_THAT(swept_.out, HasSubstr("dtu overall [mm] "));
  EXPECT_EQ(run({"verify", bundle_}).exit_code, 0);
  EXPECT_EQ(run({"replay", bundle_, "--all"}).exit_code, 0);
  EXPECT_THAT(read_file(bundle_ / "summary.md"), HasSubstr("| dtu overall [mm] |"));
  EXPECT_THAT(read_file(bundle_ / "report.html"), HasSubstr("numbers of protocols"));
  const json& record = with["records"][0];
  const json& metrics = record["metrics"];
  EXPECT_EQ(record["defaults"]["protocols.names"], "dtu tanks-and-temples aqbench");
  EXPECT_EQ(record["options"]["protocols.tanks-and-temples.thresholds_m"], "0.002");
  EXPECT_THAT(with["run"]["effective"]["definitions"]["dtu_overall_mm"].get<std::string>(),
              HasSubstr("drop_from_m=0.02"));
  EXPECT_NEAR(metrics["aqbench_precision_2mm_pct"]["value"].get<double>(),
              metrics["precision_2mm_pct"]["value"].get<double>(), 1e-9);
  EXPECT_NEAR(metrics["aqbench_recall_2mm_pct"]["value"].get<double>(),
              metrics["completeness_2mm_pct"]["value"].get<double>(), 0.05);
  const json without = sweep_roma("without", {});
  for (const auto& [name, metric] : without["records"][0]["metrics"].items())
    EXPECT_EQ(metrics[name], metric);
  EXPECT_EQ(record["output_sha256"], without["records"][0]["output_sha256"]);
}

TEST_F(ProtocolRun, ACloudOfAProgramScoresAsInEval) {
  std::ofstream cloud(dir_ / "cloud.ply");
  cloud << "ply\nformat ascii 1.0\nelement vertex 2500\nproperty float x\nproperty float y\nproperty float "
           "z\nend_header\n";
  for (int i = 0; i < 2500; ++i)
    cloud << (i % 50 - 25) * 0.011 << ' ' << (i / 50 - 25) * 0.007 << ' ' << 1.177 + (i % 7) * 0.0005 << '\n';
  cloud.close();
  const json results = sweep(
      "out", words("--scene flat_plane --method external --set {} --protocol tanks-and-temples --protocol "
                   "dtu:cull=both",
                   "external.command=/bin/cp cloud.ply {output}"));
  const json& metrics = results["records"][0]["metrics"];
  const auto shown = [&](const Arguments& protocol) {
    return document_of(run(with(words("eval cloud.ply --scene flat_plane --json"), protocol)));
  };
  const auto number = [](const json& document, const std::string& name) {
    for (const json& value : document["protocols"][0]["values"])
      if (value["name"] == name) return value["value"].get<double>();
    return -1.0;
  };
  const json tanks = shown({"--protocol", "tanks-and-temples"});
  EXPECT_NEAR(metrics["tanks_and_temples_f_score_5mm_pct"]["value"].get<double>(),
              100 * number(tanks, "f_score"), 1e-9)
      << tanks.dump();
  const json dtu = shown(words("--protocol dtu --knob cull=both --rig ring12"));
  EXPECT_NEAR(metrics["dtu_overall_mm"]["value"].get<double>(), 1000 * number(dtu, "overall"), 1e-9)
      << dtu.dump();
  EXPECT_GT(number(dtu, "overall"), 0);
}

TEST_F(ProtocolRun, AMeshIsRefusedWhereThePaperSamplesItsFaces) {
  write(
      "cloud.ply",
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 2\nproperty list uchar int vertex_indices\nend_header\n-0.2 -0.1 1.178\n0.2 -0.1 1.178\n"
      "0.2 0.1 1.178\n-0.2 0.1 1.178\n3 0 1 2\n3 0 2 3\n");
  const Arguments mesh =
      words("--scene flat_plane --method external --set {}", "external.command=/bin/cp cloud.ply {output}");
  for (const char* protocol : {"dtu", "tanks-and-temples"}) {
    const json refused = sweep(protocol, with(mesh, {"--protocol", protocol}), 3);
    EXPECT_THAT(refused["records"][0]["reason"].get<std::string>(),
                HasSubstr(": its output is a mesh: score it by "));
  }
  const json scored = sweep("mesh", with(mesh, {"--protocol", "dtu-mesh:thinning_m=0.002"}));
  EXPECT_LT(scored["records"][0]["metrics"]["dtu_mesh_accuracy_mean_mm"]["value"].get<double>(), 0.5);
  EXPECT_EQ(sweep("out", with(mesh, {"--protocol", "scannet-mesh"}))["records"][0]["status"], "ok");
}

TEST_F(ProtocolRun, TheyAreGatedAndComparedLikeOtherMetrics) {
  sweep_roma("first", {"--protocol", "dtu"});
  ASSERT_EQ(run({"accept", bundle_, "--baseline", dir_ / "base.json"}).exit_code, 0);
  EXPECT_THAT(read_file(dir_ / "base.json"), HasSubstr("\"dtu_overall_mm\": {\"value\""));
  sweep_roma("second", words("--protocol dtu --threads 1"));
  EXPECT_EQ(run({"gate", bundle_, "--baseline", dir_ / "base.json"}).exit_code, 0);
  sweep_roma("third", words("--protocol dtu --set roma_like.noise_sigma_m=0.003"));
  EXPECT_NE(run({"gate", bundle_, "--baseline", dir_ / "base.json"}).exit_code, 0);
  EXPECT_THAT(run("sweep --scene undulating --method roma_like --protocol dtuu").err,
              HasSubstr("unknown protocol 'dtuu'; did you mean dtu"));
  EXPECT_THAT(run("sweep --scene undulating --method roma_like --axis protocols.names=dtu,eth3d").err,
              HasSubstr("all cases have one value"));
}

TEST_F(ProtocolRun, ASuiteNamesThem) {
  write(
      "suite.json",
      R"({"name": "s", "scenes": ["flat_plane"], "methods": ["roma_like"], "protocols": ["eth3d", "dtu"]})");
  const json results = sweep("out", {"--suite-file", "suite.json"});
  const json& metrics = results["records"][0]["metrics"];
  EXPECT_TRUE(metrics["eth3d_precision_20mm_pct"]["value"].is_null());
  EXPECT_THAT(metrics["eth3d_precision_20mm_pct"]["reason"].get<std::string>(), HasSubstr("scanners"));
  EXPECT_TRUE(metrics["dtu_overall_mm"]["value"].is_number());
}

}  // namespace
}  // namespace aqbench::testing
