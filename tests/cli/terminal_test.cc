// Text from files never steers the terminal.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "harness/records/sealed_line.h"
#include "harness/running/journal.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using Json = nlohmann::ordered_json;

// "\033[2J" clears a screen; U+009B does what "\033[" does; "\r" hides what stands before it.
constexpr const char* kSteering = "a\u001b[2J\u009b2J\rb\u007f";

class Terminal : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const Json& value) const {
    std::ofstream(dir_ / name) << value.dump() << "\n";
    return (dir_ / name).string();
  }
  // Runs the program and looks for control characters in what it says.
  ProgramResult run(const Arguments& arguments) const {
    const ProgramResult result = run_program(arguments);
    for (const std::string& text : {result.out, result.err})
      for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if ((byte >= 0x20 || byte == '\n') && byte != 0x7F && !c1) continue;
        ADD_FAILURE() << arguments[0] << " " << arguments[1] << ": byte " << int{byte} << " in\n" << text;
        break;
      }
    return result;
  }
  TemporaryDir dir_;
};

TEST_F(Terminal, OfSuitesAndBaselines) {
  const std::string wrong =
      file("suite.json", {{"name", kSteering}, {"methods", {"roma_like"}}, {kSteering, 1}});
  EXPECT_EQ(run({"sweep", "--suite-file", wrong}).exit_code, 2);
  const std::string scene =
      file("scene.json", {{"name", "own"}, {"methods", {"roma_like"}}, {"scenes", {kSteering}}});
  EXPECT_EQ(run({"sweep", "--suite-file", scene}).exit_code, 2);
  const std::string own = file("own.json", {{"name", kSteering},
                                            {"methods", {"roma_like"}},
                                            {"scenes", {"flat_plane"}},
                                            {"set", {{"roma_like.points", 500}}}});
  run({"sweep", "--suite-file", own, "--dry-run"});
  run({"sweep", "--suite-file", own, "--json", "--out", (dir_ / "out").string()});
  const Json metric = {{"value", 1}, {"better", "lower"}, {"tolerance", {{"relative", 0.1}}}};
  const Json one_case = {{"options", {{kSteering, kSteering}}}, {"metrics", {{kSteering, metric}}}};
  const Json baseline = {{"schema_version", 1},
                         {"suite", kSteering},
                         {"accepted_from",
                          {{"bundle", kSteering},
                           {"results_sha256", std::string(64, 'a')},
                           {"root_digest", std::string(64, 'a')},
                           {"commit", kSteering}}},
                         {"cases", {{kSteering, one_case}, {"flat_plane/roma_like/seed=42", one_case}}}};
  const auto swept =
      run({"sweep", "--scene", "flat_plane", "--method", "roma_like", "--set", "roma_like.points=500",
           "--baseline", file("baseline.json", baseline), "--gate", "--out", (dir_ / "b").string()});
  EXPECT_EQ(swept.exit_code, 4) << swept.err;
  const auto bundle = only_bundle(dir_ / "b");
  run({"verify", bundle});
  run({"gate", bundle, "--baseline", file("baseline.json", baseline), "--all", "--github"});
  EXPECT_EQ(run({"accept", bundle, "--baseline", file("baseline.json", baseline)}).exit_code, 4);
  Json broken = baseline;
  broken["cases"][kSteering]["metrics"][kSteering]["better"] = kSteering;
  EXPECT_EQ(run({"gate", bundle, "--baseline", file("broken.json", broken)}).exit_code, 2);
}

TEST_F(Terminal, OfJournalsPairsSamplesAndScenes) {
  const auto bundle = dir_ / "bundle";
  std::filesystem::create_directories(bundle / (std::string("x") + kSteering));
  std::ofstream(bundle / "journal.jsonl") << Json{{"journal", kSteering}, {kSteering, 1}}.dump() << "\n";
  std::ofstream(bundle / "results.json") << Json{{kSteering, 1}}.dump() << "\n";
  std::ofstream(bundle / "sha256.txt") << kSteering << "\n";
  EXPECT_EQ(run({"verify", bundle}).exit_code, 1);
  EXPECT_NE(run({"sweep", "--resume", bundle}).exit_code, 0);
  EXPECT_NE(run({"ab", "--resume", bundle}).exit_code, 0);
  EXPECT_NE(run({"report", bundle}).exit_code, 0);
  EXPECT_NE(run({"replay", bundle, "--all"}).exit_code, 0);
  const Json cases = {{{"case", kSteering}, {"tau", nullptr}}};
  const Json header = {{"journal", "aqbench"},
                       {"schema_version", kJournalSchemaVersion},
                       {"comparison", Json::object()},
                       {"programs", {kSteering, kSteering}},
                       {"run", {{"id", kSteering}, {"suite", nullptr}, {"started_utc", kSteering}}},
                       {"program", {{"sha256", kSteering}, {"commit", kSteering}}},
                       {"requested", {{"arguments", {"--a", kSteering, "--b", kSteering}}}},
                       {"plan_sha256", sha256_hex(cases.dump())},
                       {"all_shards_sha256", kSteering},
                       {"environment", Json::object()},
                       {"cases", cases}};
  std::ofstream(bundle / "journal.jsonl") << seal_line(header) << "\n";
  EXPECT_EQ(run({"ab", "--resume", bundle}).exit_code, 2);
  const Json samples = {
      {"cases", {{{"name", kSteering}, {"a", {1, 2, 3}}, {"b", {1, 2, 3}}, {kSteering, 1}}}}};
  EXPECT_NE(run({"ab", "--samples", file("samples.json", samples)}).exit_code, 0);
  const auto dataset = dir_ / "data";
  ASSERT_EQ(run({"render", "flat_plane", "--rig", "single_pair", "--width", "48", "--mesh-pitch-mm", "50",
                 "--out", dataset})
                .exit_code,
            0);
  std::filesystem::permissions(dataset / "truth/scene.json", std::filesystem::perms::owner_all);
  std::ofstream(dataset / "truth/scene.json") << Json{{"scene", kSteering}, {kSteering, kSteering}}.dump();
  run({"eval", dataset / "truth/surface.ply", "--dataset", dataset});
  run({"run", "external", "--dataset", dataset, "--out", dir_ / "o", "--set",
       "external.command=false {output}"});
}

}  // namespace
}  // namespace aqbench::testing
