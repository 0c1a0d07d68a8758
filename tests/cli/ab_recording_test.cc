// `aqbench ab`: interrupted and resumed comparisons, and runs of the program against itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/cli/ab_fixture.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

// What a kill, Ctrl-C or a full disk leaves is resumed, and the bundle is as without an interruption.
TEST_F(Ab, AnInterruptedComparisonIsGoneOnWith) {
  const Arguments start = words(
      "ab --variant roma_like.points=3000,3001 --method roma_like --scene flat_plane --threads 1 --looks 1 "
      "--pairs 24 --repetitions 3 --no-confirm --allow-inconclusive --html {} --out out",
      dir_ / "page.html");
  ProgramOptions small_disk;
  small_disk.file_size_limit_bytes = 18000;
  EXPECT_THAT(exits(run(start, small_disk), 6).err,
              HasSubstr("finished results are kept; continue with aqbench ab --resume "));
  const std::filesystem::path bundle = only_bundle(dir_ / "out");
  const auto before = pair_lines(bundle);
  EXPECT_GE(before, 2) << "the header and a pair at least";

  // A stranger's bundle could name any file of its user's here.
  write("page.html", "mine");

  ProgramOptions interrupt;
  interrupt.interrupt_when = [&] { return pair_lines(bundle) > before + 3; };
  interrupt.working_dir = bundle;
  const auto stopped = exits(run(words("ab --resume . --json"), interrupt), 130);
  EXPECT_EQ(Json::parse(stopped.out).at("run").at("id"), bundle.filename().string());
  EXPECT_THAT(read_file(bundle / "commands.txt"), HasSubstr("command: aqbench ab --resume . --json\n"));
  EXPECT_THAT(stopped.err, HasSubstr("go on with: aqbench ab --resume "));
  EXPECT_THAT(succeeded(run({"verify", bundle})).out, HasSubstr("of an interrupted run"));

  // As a kill leaves it between the tiles of a unit and the line that names them.
  std::filesystem::create_directories(bundle / "tiles");
  std::ofstream(bundle / "tiles/flat_plane.a.csv") << "of a unit that is run again\n";
  const auto ended = run("ab --resume {} --html asked_for.html", bundle.string() + "/");
  // 24 pairs on a busy machine may end in either verdict.
  EXPECT_TRUE(ended.exit_code == 0 || ended.exit_code == 1) << ended.exit_code << ": " << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("interrupted and gone on with 2 times"));
  EXPECT_THAT(ended.err, HasSubstr("going on with: aqbench ab --variant roma_like.points=3000,3001"));
  EXPECT_TRUE(std::filesystem::exists(bundle / "journal.jsonl"));
  EXPECT_EQ(std::filesystem::file_size(dir_ / "page.html"), 4U) << "the page of the first run is not touched";
  EXPECT_GT(std::filesystem::file_size(dir_ / "asked_for.html"), 1000U);
  EXPECT_FALSE(std::filesystem::exists(bundle / "tiles/flat_plane.a.csv"));
  EXPECT_THAT(succeeded(run({"verify", bundle})).out, HasSubstr("48 units\n"));
  EXPECT_EQ(run({"ab", "--resume", bundle}).exit_code, 2) << "nothing left to do";
}

// Modules of workloads and of methods load on demand, and the environment that has to be equal lists them.
TEST_F(Ab, AnInterruptedComparisonOfWorkloadsIsGoneOnWith) {
  ProgramOptions small_disk;
  small_disk.file_size_limit_bytes = 12000;
  const auto full = exits(run(words("ab --workload tricubic --variant batch=1,64 --threads 1 --looks 1 "
                                    "--pairs 16 --repetitions 3 --no-confirm --out out"),
                              small_disk),
                          6);
  const std::filesystem::path bundle = only_bundle(dir_ / "out");
  const auto before = pair_lines(bundle);
  ProgramOptions interrupt;
  interrupt.interrupt_when = [&] { return pair_lines(bundle) > before + 1; };  // one is the resumption's own
  exits(run(words("ab --resume {} --allow-inconclusive", bundle), interrupt), 130);
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);
}

// Nothing of it can go on, so no command is advised that would be refused.
TEST_F(Ab, RecordedSamplesOnAFullDiskAdviseNoResume) {
  Json pairs = {{"name", "x"}, {"a", Json::array()}, {"b", Json::array()}};
  for (int i = 0; i < 2000; ++i) {
    pairs["a"].push_back(10 + i % 7);
    pairs["b"].push_back(10 + i % 5);
  }
  const std::string file = samples({pairs});
  ProgramOptions small_disk;
  small_disk.file_size_limit_bytes = 4000;
  EXPECT_THAT(exits(run(words("ab --samples {} --out out", file), small_disk), 6).err,
              Not(HasSubstr("--resume")));
}

// Else pairs of two builds, or of two cases with one index, would be judged together.
TEST_F(Ab, WhatIsAnotherComparisonByNowIsNotGoneOnWith) {
  const auto suite = [&](const std::string& scene, int points) {
    write("suite.json", R"({"name": "own", "methods": ["roma_like"], "scenes": [")" + scene +
                            R"("], "set": {"roma_like.points": )" + std::to_string(points) + "}}");
    return (dir_ / "suite.json").string();
  };
  const std::string wrapped = script(
      "wrapped",
      "if [ -e '" + (dir_ / "rebuilt").string() +
          "' ]; then \"" AQBENCH_BINARY
          "\" \"$@\" | sed 's/\"sha256\":\"[0-9a-f]*\"/\"sha256\":\"abc\"/'; else exec \"" AQBENCH_BINARY
          "\" \"$@\"; fi");
  const auto interrupted = [&](const Arguments& sides, const std::filesystem::path& out) {
    ProgramOptions interrupt;
    interrupt.working_dir = dir_.path();  // the user who started it in this folder may run its commands
    interrupt.interrupt_when = [&] { return bundle_lines(out, "journal.jsonl") >= 2; };
    const auto stopped = exits(run_program(with(sides, words("--suite-file {} --repetitions 3 --out {}",
                                                             suite("flat_plane", 500), out)),
                                           interrupt),
                               130);
    return only_bundle(out);
  };
  const auto refusal = [&](const std::filesystem::path& bundle) {
    const auto ran = exits(run({"ab", "--resume", bundle}), 2);
    return ran.err;
  };
  const auto two = interrupted({"ab", "--a", wrapped, "--b", AQBENCH_BINARY}, dir_ / "out");
  const auto live = interrupted({"ab", "--live", "20"}, dir_ / "live");
  suite("tilted_plane", 500);
  for (const auto& bundle : {two, live})
    EXPECT_THAT(refusal(bundle),
                ::testing::ContainsRegex("case 1 was 'flat_plane/roma_like/seed=42.*' and is 'tilted_plane"));
  suite("flat_plane", 501);
  for (const auto& bundle : {two, live})
    EXPECT_THAT(refusal(bundle), HasSubstr("the cases have other options now"));
  suite("flat_plane", 500);
  write("rebuilt", "x");
  EXPECT_THAT(refusal(two), HasSubstr("A is another program now: sha256 abc, was "));
}

// A unit is a separate process, forked or started anew: it knows the bundle's folder, which is too deep below
// the program's own folder to be found there.
TEST_F(Ab, AProgramDoesNotReachTheBundleThatIsBeingWritten) {
  const WithoutLibTorch program;
  const std::filesystem::path own = dir_ / "own", deep = own / "1/2/3/4/5";
  std::filesystem::create_directories(deep);
  std::ofstream(deep / "journal.jsonl") << "of the program itself";
  std::ofstream(own / "spy.sh") << R"(
find "$2" -name journal.jsonl | grep -qx "$2/1/2/3/4/5/journal.jsonl" || { echo "reaches too little"; exit 1; }
find "$2" -name journal.jsonl -exec head -c 1 {} \; | grep -q '{' &&
  { echo "reaches the bundle"; exit 1; }
env | grep '^AQBENCH_' | grep -v '^AQBENCH_STAGES=' && exit 1
)" << shell_cloud("$1/c.ply", {"0 0 1.179"});
  std::ofstream(dir_ / "suite.json") << nlohmann::ordered_json{
      {"name", "own"},
      {"methods", {"external"}},
      {"scenes", {"flat_plane"}},
      {"rig", "single_pair"},
      {"width", 48},
      {"set",
       {{"external.command", "/bin/sh " + (own / "spy.sh").string() + " {output} " + own.string()},
        {"external.result", "c.ply"}}}};
  for (const Arguments& sides :
       {words("--variant external.timeout_s=60,61"), words("--variant external.timeout_s=60,61 --exec"),
        words("--a {} --b {}", AQBENCH_BINARY, AQBENCH_BINARY)}) {
    const std::filesystem::path out = deep / "out";
    ProgramOptions one_pair;
    one_pair.interrupt_when = [&] { return bundle_lines(out, "journal.jsonl") >= 2; };
    const auto ran = run_program(with(words("ab --suite-file {} --repetitions 3 --threads 1 --json --out {}",
                                            dir_ / "suite.json", out),
                                      sides),
                                 one_pair);
    EXPECT_EQ(ran.exit_code, 130) << "a unit that fails ends it: " << ran.out << ran.err;
    EXPECT_GE(pair_lines(only_bundle(out)), 2);
    std::filesystem::remove_all(out);
  }
}

TEST_F(Ab, LiveRunsAreWholeComparisonsOfTheProgramWithItself) {
  const Json document =
      document_of<Json>(run("ab --live 2 --method roma_like --scene flat_plane --set roma_like.points=2000 "
                            "--repetitions 3 --looks 1 --alpha 0.4 --tau 90% --pairs 6 --json --out out"));
  const Json& validation = document.at("decision").at("validation");
  EXPECT_EQ(validation.at("itself").at("slower"), 0);
  EXPECT_EQ(document.at("decision").at("cases").size(), 2u);
  EXPECT_EQ(document.at("samples").at("cases").at(1).at("name"), "flat_plane/roma_like/seed=42 A/A 2");
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);
  EXPECT_THAT(
      run("ab --variant roma_like.points=2000,2100 --calibration {} --method sparse --scene flat_plane",
          bundle)
          .err,
      HasSubstr("roma_like"));
  Json forged = json_file<Json>(bundle / "results.json");
  for (int i = 0; i < 2; ++i) forged["records"].erase(forged["records"].size() - 1);
  std::ofstream(bundle / "results.json") << forged.dump(1) << "\n";
  EXPECT_THAT(run({"verify", bundle}).out,
              HasSubstr("pairs are missing at the end, though run.complete is true"));
}

}  // namespace
}  // namespace aqbench::testing
