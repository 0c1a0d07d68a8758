// Numbers of another harness, from the table to a verdict and a page.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

#include "core/text.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Import = UserFolder;

// Seeds whose paired differences B - A have exactly this mean and standard deviation, as A,B lines.
std::string seeds_csv(const std::string& scene, int count, double mean, double deviation, unsigned draw) {
  std::mt19937_64 generator(draw);
  std::normal_distribution<double> normal;
  std::vector<double> draws;
  double average = 0, squares = 0;
  for (int i = 0; i < count; ++i) average += draws.emplace_back(normal(generator)) / count;
  for (const double one : draws) squares += (one - average) * (one - average);
  const double scale = deviation / std::sqrt(squares / (count - 1));
  std::string text;
  for (int i = 0; i < count; ++i) {
    const double a = 60 + normal(generator),
                 b = a + mean + scale * (draws[static_cast<std::size_t>(i)] - average);
    text += fmt::format("{0},base,{1},{2}\n{0},msac,{1},{3}\n", scene, i, a, b);
  }
  return text;
}

std::string colmap_csv(int count) {
  return "scene,method,seed,auc\n" + seeds_csv("door", count, -1.5, 4.5, 1) +
         seeds_csv("pipes", count, -12, 5, 2);
}

std::string verdict_of(const json& document, const std::string& name) {
  for (const json& one : document["decision"]["cases"])
    if (one["name"] == name) return one["verdict"].get<std::string>();
  return "missing";
}

// COLMAP's printed differences: -1.5 +- 4.5 and -12.0 +- 5.0.
TEST_F(Import, FiveSeedsDecideNothingAndSixteenTheLargeDifference) {
  for (const int count : {5, 16}) {
    write("auc.csv", colmap_csv(count));
    succeeded(run("import auc.csv --metric auc:%:higher --out {}", fmt::format("b{}", count)));
  }
  const Arguments question = words("--method-a base --method-b msac --metric auc");
  const ProgramResult few = exits(run(with(words("ab --bundle-a b5"), question)), 5);
  const std::string text = few.out;
  for (const char* const scene : {"door", "pipes"}) {
    const std::size_t at = text.find(scene);
    ASSERT_NE(at, text.npos) << text;
  }
  const json undecided = json::parse(run(with(words("ab --bundle-a b5 --json"), question)).out);
  EXPECT_EQ(verdict_of(undecided, "door"), "INCONCLUSIVE");
  EXPECT_EQ(verdict_of(undecided, "pipes"), "INCONCLUSIVE");
  EXPECT_THAT(undecided.dump(), AllOf(HasSubstr("a verdict needs 9; about 9 pairs would settle it, 4 more"),
                                      HasSubstr("pairs would settle it")));
  const json decided = json::parse(exits(run(with(words("ab --bundle-a b16 --json"), question)), 1).out);
  EXPECT_EQ(verdict_of(decided, "door"), "INCONCLUSIVE");
  EXPECT_EQ(verdict_of(decided, "pipes"), "WORSE");
  // The other way round it is better, and so it is where lower is better.
  const json turned =
      json::parse(run("ab --bundle-a b16 --method-a msac --method-b base --metric auc --json").out);
  EXPECT_EQ(verdict_of(turned, "pipes"), "BETTER");
  succeeded(run("import auc.csv --metric auc:%:lower --out low"));
  EXPECT_EQ(verdict_of(json::parse(run(with(words("ab --bundle-a low --json"), question)).out), "pipes"),
            "BETTER");
}

// The same seeds of two files: what a change makes of them.
TEST_F(Import, TwoFilesAreComparedSeedBySeed) {
  for (const int count : {5, 16})
    for (const auto& [side, method] : {std::pair("a", "base"), {"b", "msac"}}) {
      const std::string all = colmap_csv(count);
      std::string rows;
      for (const std::string_view line : split_at(all, '\n'))
        if (rows.empty() || line.find(fmt::format(",{},", method)) != line.npos)
          rows += std::string(line) + "\n";
      const std::string name = fmt::format("{}{}", side, count);
      write(name + ".csv", rows.replace(0, rows.find('\n'), "scene,variant,seed,auc"));
      succeeded(
          run("import {} --columns scene,-,seed,auc --metric auc:%:higher --out {}", name + ".csv", name));
    }
  const ProgramResult few = exits(run("ab --bundle-a a5 --bundle-b b5 --metric auc --json"), 5);
  for (const char* const name : {"door/imported", "pipes/imported"})
    EXPECT_EQ(verdict_of(json::parse(few.out), name), "INCONCLUSIVE") << name;
  EXPECT_THAT(few.out, HasSubstr("a verdict needs 9; about 9 pairs would settle it, 4 more"));
  const json decided = json::parse(exits(run("ab --bundle-a a16 --bundle-b b16 --metric auc --json"), 1).out);
  EXPECT_EQ(verdict_of(decided, "door/imported"), "INCONCLUSIVE");
  EXPECT_EQ(verdict_of(decided, "pipes/imported"), "WORSE");
  const std::string compared = succeeded(run("compare a5 b5")).out;
  EXPECT_THAT(compared,
              AllOf(HasSubstr("for a verdict over all seeds: aqbench ab"), Not(HasSubstr("verdict on time"))));
}

// The gate of another suite keeps its file.
TEST_F(Import, ItsNumbersAreAcceptedBesideTheGatesOfTheProject) {
  write("scores.csv", "scene,seed,psnr\nx,1,27.5\n");
  EXPECT_THAT(succeeded(run("import scores.csv --metric psnr:dB:higher --out a")).out,
              HasSubstr("aqbench accept a --baseline baseline.json\n"));
  write("aqbench.json",
        R"({"version": 1, "suites": [{"name": "s", "scenes": ["flat_plane"], "methods": ["roma_like"]}],
    "gates": {"s": "baseline.json"}})");
  EXPECT_THAT(succeeded(run("import scores.csv --metric psnr:dB:higher --out b")).out,
              HasSubstr("aqbench accept b --baseline other-baseline.json\n"));
}

// Three methods, eight scenes, five seeds, in a table as a laboratory has it.
std::string table_csv() {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  std::string text = "\xEF\xBB\xBFmodel;dataset;run;PSNR;minutes\r\n";
  for (const auto& [method, gain] : {std::pair("base", 0.0), {"fine", 1.0}, {"poor", -2.0}})
    for (int scene = 0; scene < 8; ++scene)
      for (int seed = 0; seed < 5; ++seed)
        text += fmt::format("{};scene {};{};{:.4f};{}\r\n", method, scene, seed,
                            22 + scene + gain + 0.1 * normal(generator), 10 + seed);
  return text;
}

TEST_F(Import, ThreeCommandsLeadFromATableToAVerdictAndAPage) {
  write("scores.csv", table_csv());
  const ProgramResult imported =
      succeeded(run("import scores.csv --columns method=model,scene=dataset,seed=run,psnr=PSNR --metric "
                    "psnr:dB:higher --out b"));
  EXPECT_THAT(imported.err, HasSubstr("columns that are not imported: minutes"));
  EXPECT_THAT(imported.out, AllOf(HasSubstr("psnr [dB], more is better"), HasSubstr("scene 7")));
  const ProgramResult judged = exits(
      run("ab --bundle-a b --method-a base --metric psnr --margin 0.1 --paired-over scenes --out ab"), 1);
  EXPECT_THAT(judged.out,
              AllOf(HasSubstr("poor, all scenes"), HasSubstr("WORSE"), HasSubstr("fine, all scenes"),
                    HasSubstr("BETTER"), HasSubstr("numbers of scores.csv, sha256")));
  succeeded(run({"verify", only_bundle(dir_ / "ab")}));
  succeeded(run("report b --out page.html"));
  for (const std::string& text : {read_file(dir_ / "page.html"), read_file(dir_ / "b/summary.md")})
    EXPECT_THAT(text, AllOf(HasSubstr("numbers of scores.csv, sha256 "), HasSubstr("Methods and scenes"),
                            Not(HasSubstr("120 ran")), Not(HasSubstr("aqbench replay . --case"))));
  // Times, memory and machine, which were not measured, are not shown.
  const json record = json_file(dir_ / "b/results.json")["records"][0];
  EXPECT_EQ(record["axes"], json({{"seed", 0}}));
  EXPECT_TRUE(record["peak_rss_bytes"].is_null());
  EXPECT_FALSE(json_file(dir_ / "b/results.json")["environment"].contains("cpu"));
}

TEST_F(Import, NothingRunsAgainAndTheTableIsEvidence) {
  write("scores.csv", "scene,seed,psnr\nx,1,27.5\nx,2,\n");
  succeeded(run("import scores.csv --metric psnr:dB:higher --out b"));
  EXPECT_THAT(exits(run("replay b --all"), 4).err, HasSubstr("nothing to run"));
  EXPECT_THAT(read_file(dir_ / "b/summary.md"), HasSubstr("the cell is empty in line 3 of scores.csv"));
  write("b/numbers.txt", "scene,seed,psnr\nx,1,28.5\nx,2,\n");
  EXPECT_THAT(exits(run("verify b"), 1).out, HasSubstr("is not the table that was imported"));
  // The same numbers pass the gate, as those of a program that gives the same again.
  const std::string table = "scene,seed,psnr\nx,1,27.5\nx,2,27\n";
  write("scores.csv", table);
  write("again.csv", table);
  write("worse.csv", "scene,seed,psnr\nx,1,20\nx,2,27\n");
  succeeded(run("import scores.csv --metric psnr:dB:higher --out c"));
  succeeded(run("accept c --baseline f.json"));
  succeeded(run("import again.csv --metric psnr:dB:higher --out d.json"));
  EXPECT_THAT(succeeded(run("gate d.json --baseline f.json")).out, HasSubstr("numbers of again.csv, sha256"));
  succeeded(run("import worse.csv --metric psnr:dB:higher --out e"));
  exits(run("gate e --baseline f.json"), 1);
  EXPECT_THAT(succeeded(run("compare c e")).out, HasSubstr("numbers of worse.csv, sha256"));
}

TEST_F(Import, MistakesAreOneLine) {
  write("scores.csv", "scene,seed,psnr\nx,1,27.5\nx,2,nan\n");
  expect_refused(run("import scores.csv --metric psnr:dB:higher"),
                 "scores.csv:3: psnr: 'nan' is not a finite number");
  expect_refused(run("import scores.csv --metric psnr --unit dB"), "its direction is missing");
  expect_refused(run("import none.csv --metric psnr:dB:higher"), "none.csv");
  write("scores.csv", "scene,seed,psnr\nx,1,27.5\nx,2,27\n");
  succeeded(run("import scores.csv --metric psnr --unit dB --better higher --out b"));
  expect_refused(run("import scores.csv --metric psnr:dB:higher --out b"), "b");
  expect_refused(run("ab --bundle-a b --method-a imported --metric psnr"), "imported is the only method");
  expect_refused(run("ab --bundle-a b --bundle-b b --metric psnr"), "a run compared with itself");
  expect_refused(run("ab --bundle-a b --bundle-b b --method-a imported --method-b other --metric psnr"),
                 "unknown method 'other'");
}

}  // namespace
}  // namespace aqbench::testing
