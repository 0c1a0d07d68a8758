// What a sweep leaves for doubters, and what is done with it: notes, tests, shards, replay.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

using Evidence = Folder;

TEST_F(Evidence, NotesTestsCloudsAndReplay) {
  write("build/CTestTestfile.cmake", "add_test(fine /bin/true)\n");
  succeeded(run("sweep --scene flat_plane --method roma_like --note {} {} --keep-clouds --out out",
                "first try", "--with-tests=build"));
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_EQ(read_file(bundle / "notes.txt"), "first try\n");
  EXPECT_THAT(read_file(bundle / "tests.log"), HasSubstr("Test #1: fine"));
  EXPECT_THAT(read_file(bundle / "commands.txt"),
              ::testing::ContainsRegex("exit code: 0\nreal [0-9.]+ s\nuser "));
  EXPECT_THAT(read_file(bundle / "inventory.txt"), HasSubstr("clouds/flat_plane__roma_like__seed=42.ply"));
  EXPECT_EQ(json_file<Json>(bundle / "statement.json").at("predicate").at("result"), "PASSED");
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);

  // The kept cloud is what was scored.
  const Json record = json_file<Json>(bundle / "results.json").at("records").at(0);
  const Json scored = document_of<Json>(
      run({"eval", bundle / "clouds/flat_plane__roma_like__seed=42.ply", "--scene", "flat_plane", "--json"}));
  EXPECT_EQ(scored.at("records").at(0).at("metrics").at("accuracy_mean_mm").at("value"),
            record.at("metrics").at("accuracy_mean_mm").at("value"));

  const auto replayed = succeeded(run("replay {} --case flat_plane/roma_like/seed=42", bundle));
  EXPECT_THAT(replayed.out, HasSubstr("reproduced: flat_plane/roma_like/seed=42: "));
  EXPECT_THAT(replayed.out, HasSubstr(record.at("output_sha256").get<std::string>()));
  expect_mistake(run("replay {} --case flat_plane/roma_like/seed=43", bundle), "seed=42");
}

TEST_F(Evidence, ShardsMergeAndAFailingTestFailsTheSweep) {
  for (const char* shard : {"1/2", "2/2"})
    succeeded(run("sweep --suite seed --threads 2 --shard {} --out shards", shard));
  std::vector<std::string> arguments = {"merge", "--out", dir_ / "merged"};
  for (const auto& entry : std::filesystem::directory_iterator(dir_ / "shards"))
    arguments.push_back(entry.path());
  const auto merged = succeeded(run(arguments));
  EXPECT_THAT(merged.out, HasSubstr("verified"));
  exits(run({"merge", "--out", dir_ / "merged2", arguments[3], arguments[3]}), 2);
  const auto bundle = only_bundle(dir_ / "merged");
  succeeded(run("gate {} --baseline {} --junit junit.xml --github", bundle,
                AQBENCH_SOURCE_DIR "/baselines/seed.json"));
  EXPECT_THAT(read_file(dir_ / "junit.xml"), HasSubstr("tests=\"4\" failures=\"0\" errors=\"0\""));

  write("build/CTestTestfile.cmake", "add_test(broken /bin/false)\n");
  const auto failing =
      exits(run("sweep --scene flat_plane --method roma_like {} --out failing", "--with-tests=build"), 1);
  EXPECT_EQ(run({"verify", only_bundle(dir_ / "failing")}).exit_code, 0);
  EXPECT_EQ(run({"sweep", "--with-tests=nowhere"}).exit_code, 2);
}

TEST_F(Evidence, CompareReportTrendAndDocsOfABundle) {
  for (const char* out : {"a", "b"})
    ASSERT_EQ(run("sweep --scene flat_plane --method roma_like --out {}", out).exit_code, 0);
  const auto a = only_bundle(dir_ / "a"), b = only_bundle(dir_ / "b");
  const auto compared = run({"compare", a, b, "--times"});  // the same machine and build
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("same machine key, other moments"));
  EXPECT_EQ(run({"compare", a, a}).exit_code, 4);
  succeeded(run("sweep --scene flat_plane --method roma_like --threads 1 --out c"));
  const auto mismatched = run({"compare", a, only_bundle(dir_ / "c"), "--times"});
  if (read_file(a / "env.json").find("\"threads\": 1,") == std::string::npos) {
    EXPECT_EQ(mismatched.exit_code, 4);
    EXPECT_THAT(mismatched.err, HasSubstr("threads"));
  }
  ASSERT_EQ(run("sweep --scene undulating --method roma_like --out e").exit_code, 0);
  EXPECT_EQ(run({"compare", a, only_bundle(dir_ / "e"), "--html", dir_ / "no.html"}).exit_code, 4);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "no.html"));
  EXPECT_THAT(run({"trend", dir_ / "a", dir_ / "b", "--svg", dir_ / "t.svg"}).out, HasSubstr("2 runs"));
  EXPECT_THAT(read_file(dir_ / "t.svg"), HasSubstr("</svg>"));
  ASSERT_EQ(run({"report", a, "--out", dir_ / "r.html"}).exit_code, 0);
  EXPECT_EQ(read_file(dir_ / "r.html"), read_file(a / "report.html"));

  write("d.md",
        "<!-- aqbench:accuracy -->\n<!-- aqbench:end -->\n<!-- aqbench:flags gate -->\n"
        "<!-- aqbench:end -->\n");
  EXPECT_EQ(run("docs d.md --bundle {} --check", a).exit_code, 1);
  EXPECT_EQ(run({"docs", dir_ / "d.md", "--bundle", a}).exit_code, 0);
  EXPECT_THAT(read_file(dir_ / "d.md"), HasSubstr("```\n" + run({"gate", "--help"}).out + "```\n"));
  EXPECT_EQ(run("docs d.md --bundle {} --check", a).exit_code, 0);
  EXPECT_EQ(run({"docs", dir_ / "d.md"}).exit_code, 2);
}

}  // namespace
}  // namespace aqbench::testing
