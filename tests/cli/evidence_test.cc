// What a sweep leaves for doubters, and what is done with it: notes, tests, signature, shards, replay.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

class Evidence : public ::testing::Test {
 protected:
  TemporaryDir dir_;
  std::string at(const std::string& name) const { return (dir_ / name).string(); }
  void shell(const std::string& command) {
    ASSERT_EQ(std::system((command + " >/dev/null 2>&1").c_str()), 0) << command;
  }
};

TEST_F(Evidence, NotesTestsCloudsAndSignatureAndReplay) {
  shell("openssl genpkey -algorithm ed25519 -out " + at("key.pem"));
  shell("openssl pkey -in " + at("key.pem") + " -pubout -out " + at("key.pub.pem"));
  shell("openssl genpkey -algorithm ed25519 -out " + at("k2") + " && openssl pkey -in " + at("k2") +
        " -pubout -out " + at("other.pub.pem"));
  std::filesystem::create_directories(dir_ / "build");
  std::ofstream(dir_ / "build/CTestTestfile.cmake") << "add_test(fine /bin/true)\n";
  const auto swept = run_program({"sweep", "--scene", "flat_plane", "--method", "roma_like", "--note",
                                  "first try", "--with-tests=" + at("build"), "--sign", at("key.pem"),
                                  "--keep-clouds", "--out", at("out")});
  ASSERT_EQ(swept.exit_code, 0) << swept.err;
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_EQ(read_file(bundle / "notes.txt"), "first try\n");
  EXPECT_THAT(read_file(bundle / "tests.log"), HasSubstr("Test #1: fine"));
  EXPECT_THAT(read_file(bundle / "commands.txt"),
              ::testing::ContainsRegex("exit code: 0\nreal [0-9.]+ s\nuser "));
  EXPECT_THAT(read_file(bundle / "inventory.txt"), HasSubstr("clouds/flat_plane__roma_like__seed=42.ply"));
  EXPECT_EQ(Json::parse(read_file(bundle / "statement.json")).at("predicate").at("result"), "PASSED");
  EXPECT_EQ(run_program({"verify", bundle, "--pubkey", at("key.pub.pem")}).exit_code, 0);
  EXPECT_EQ(run_program({"verify", bundle, "--pubkey", at("other.pub.pem")}).exit_code, 1);
  EXPECT_EQ(run_program({"verify", bundle, "--pubkey", at("key.pem")}).exit_code, 2);

  // The kept cloud is what was scored.
  const Json record = Json::parse(read_file(bundle / "results.json")).at("records").at(0);
  const auto scored = run_program(
      {"eval", bundle / "clouds/flat_plane__roma_like__seed=42.ply", "--scene", "flat_plane", "--json"});
  EXPECT_EQ(Json::parse(scored.out).at("records").at(0).at("metrics").at("accuracy_mean_mm").at("value"),
            record.at("metrics").at("accuracy_mean_mm").at("value"));

  const auto replayed = run_program({"replay", bundle, "--case", "flat_plane/roma_like/seed=42"});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("reproduced: flat_plane/roma_like/seed=42: "));
  EXPECT_THAT(replayed.out, HasSubstr(record.at("output_sha256").get<std::string>()));
  const auto unknown = run_program({"replay", bundle, "--case", "flat_plane/roma_like/seed=43"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("seed=42"));
}

TEST_F(Evidence, ShardsMergeAndAFailingTestFailsTheSweep) {
  for (const char* shard : {"1/2", "2/2"})
    ASSERT_EQ(
        run_program({"sweep", "--suite", "seed", "--threads", "2", "--shard", shard, "--out", at("shards")})
            .exit_code,
        0);
  std::vector<std::string> arguments = {"merge", "--out", at("merged")};
  for (const auto& entry : std::filesystem::directory_iterator(dir_ / "shards"))
    arguments.push_back(entry.path());
  const auto merged = run_program(arguments);
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("verified"));
  const auto again = run_program({"merge", "--out", at("merged2"), arguments[3], arguments[3]});
  EXPECT_EQ(again.exit_code, 2);
  const auto bundle = only_bundle(dir_ / "merged");
  EXPECT_EQ(run_program({"gate", bundle, "--baseline", AQBENCH_SOURCE_DIR "/baselines/seed.json", "--junit",
                         at("junit.xml"), "--github"})
                .exit_code,
            0);
  EXPECT_THAT(read_file(dir_ / "junit.xml"), HasSubstr("tests=\"4\" failures=\"0\" errors=\"0\""));

  std::filesystem::create_directories(dir_ / "build");
  std::ofstream(dir_ / "build/CTestTestfile.cmake") << "add_test(broken /bin/false)\n";
  const auto failing = run_program({"sweep", "--scene", "flat_plane", "--method", "roma_like",
                                    "--with-tests=" + at("build"), "--out", at("failing")});
  EXPECT_EQ(failing.exit_code, 1) << failing.err;
  EXPECT_EQ(run_program({"verify", only_bundle(dir_ / "failing")}).exit_code, 0);
  EXPECT_EQ(run_program({"sweep", "--with-tests=" + at("nowhere")}).exit_code, 2);
}

TEST_F(Evidence, CompareReportTrendAndDocsOfABundle) {
  for (const char* out : {"a", "b"})
    ASSERT_EQ(
        run_program({"sweep", "--scene", "flat_plane", "--method", "roma_like", "--out", at(out)}).exit_code,
        0);
  const auto a = only_bundle(dir_ / "a"), b = only_bundle(dir_ / "b");
  const auto compared = run_program({"compare", a, b, "--times"});  // the same machine and build
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("same machine key, other moments"));
  EXPECT_EQ(run_program({"compare", a, a}).exit_code, 4);
  ASSERT_EQ(run_program({"sweep", "--scene", "flat_plane", "--method", "roma_like", "--threads", "1", "--out",
                         at("c")})
                .exit_code,
            0);
  const auto mismatched = run_program({"compare", a, only_bundle(dir_ / "c"), "--times"});
  if (read_file(a / "env.json").find("\"threads\": 1,") == std::string::npos) {
    EXPECT_EQ(mismatched.exit_code, 4);
    EXPECT_THAT(mismatched.err, HasSubstr("threads"));
  }
  ASSERT_EQ(
      run_program({"sweep", "--scene", "undulating", "--method", "roma_like", "--out", at("e")}).exit_code,
      0);
  EXPECT_EQ(run_program({"compare", a, only_bundle(dir_ / "e"), "--html", at("no.html")}).exit_code, 4);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "no.html"));
  EXPECT_THAT(run_program({"trend", at("a"), at("b"), "--svg", at("t.svg")}).out, HasSubstr("2 runs"));
  EXPECT_THAT(read_file(dir_ / "t.svg"), HasSubstr("</svg>"));
  ASSERT_EQ(run_program({"report", a, "--out", at("r.html")}).exit_code, 0);
  EXPECT_EQ(read_file(dir_ / "r.html"), read_file(a / "report.html"));

  std::ofstream(dir_ / "d.md")
      << "<!-- aqbench:accuracy -->\n<!-- aqbench:end -->\n<!-- aqbench:flags gate -->\n"
         "<!-- aqbench:end -->\n";
  EXPECT_EQ(run_program({"docs", at("d.md"), "--bundle", a, "--check"}).exit_code, 1);
  EXPECT_EQ(run_program({"docs", at("d.md"), "--bundle", a}).exit_code, 0);
  EXPECT_THAT(read_file(dir_ / "d.md"), HasSubstr("```\n" + run_program({"gate", "--help"}).out + "```\n"));
  EXPECT_EQ(run_program({"docs", at("d.md"), "--bundle", a, "--check"}).exit_code, 0);
  EXPECT_EQ(run_program({"docs", at("d.md")}).exit_code, 2);
}

}  // namespace
}  // namespace aqbench::testing
