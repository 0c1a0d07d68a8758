// `aqbench ab`: samples judged without running anything, programs that cannot be compared, and one small run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "core/files.h"
#include "tests/cli/ab_fixture.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

Json case_of(const std::string& name, double ratio, unsigned seed, std::size_t pairs = 40) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Json json = {{"name", name}, {"a", Json::array()}, {"b", Json::array()}};
  for (std::size_t i = 0; i < pairs; ++i) {
    json["a"].push_back(10 * std::exp(0.004 * normal(generator)));
    json["b"].push_back(10 * ratio * std::exp(0.004 * normal(generator)));
  }
  return json;
}

TEST_F(Ab, SamplesOfKnownShiftGetTheirVerdictAndExitCode) {
  EXPECT_EQ(run_program({"ab", "--samples", samples({case_of("x", 1.06, 1)})}).exit_code, 1);
  EXPECT_EQ(run_program({"ab", "--samples", samples({case_of("x", 1.0, 1)})}).exit_code, 0);
  const auto few = run_program({"ab", "--samples", samples({case_of("x", 1.0, 1, 10)})});
  EXPECT_EQ(few.exit_code, 5);
  EXPECT_THAT(few.out, HasSubstr("a verdict needs 16"));
  EXPECT_EQ(
      run_program({"ab", "--samples", samples({case_of("x", 1.0, 1, 10)}), "--allow-inconclusive"}).exit_code,
      0);
}

// B takes three times as long in every third pair.
Json with_slow_mode(double ratio) {
  Json json = case_of("x", ratio, 1, 60);
  for (std::size_t i = 0; i < 60; i += 3) json["b"][i] = 3 * json["b"][i].get<double>();
  return json;
}

TEST_F(Ab, ASlowModeOfBAloneIsNoPassAndWithAFasterTypicalRunATrade) {
  const auto judge = [&](double ratio, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"ab", "--samples", samples({with_slow_mode(ratio)})};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  };
  const auto same = judge(1.0);
  EXPECT_EQ(same.exit_code, 5);
  EXPECT_THAT(same.out, HasSubstr("B has more slow runs: 20 of 60 beyond"));
  EXPECT_EQ(judge(1.0, {"--allow-inconclusive"}).exit_code, 0);
  const auto faster = judge(0.95, {"--allow-inconclusive"});
  EXPECT_EQ(faster.exit_code, 5);
  EXPECT_THAT(faster.out, HasSubstr("TRADE"));
  const auto passed = run_program({"ab", "--samples", samples({case_of("x", 1.0, 1)}), "--json"});
  const Json found = Json::parse(passed.out)["decision"]["cases"][0]["time"]["comparison"]["slow_runs"];
  EXPECT_NEAR(found["excess_upper"].get<double>(), 0.12, 1e-4);  // of 40 pairs without a slow run
}

TEST_F(Ab, TimesThatTheClockDoesNotTellApartAreNoPass) {
  Json json = {{"name", "x"}, {"a", Json::array()}, {"b", Json::array()}};
  for (int i = 0; i < 40; ++i) {
    json["a"].push_back(2);
    json["b"].push_back(2 + 1e-13 * i);
  }
  const auto ran = run_program({"ab", "--samples", samples({json})});
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.out, HasSubstr("all times are multiples of 2"));
}

TEST_F(Ab, TheGatesPolicyFailsSixPercentAndPassesFour) {
  const std::string file = samples({case_of("six", 1.06, 1), case_of("four", 1.04, 2)});
  const auto gate = run_program({"ab", "--samples", file, "--policy", "gate", "--json"});
  EXPECT_EQ(gate.exit_code, 1);
  const Json cases = Json::parse(gate.out).at("decision").at("cases");
  EXPECT_EQ(cases.at(0).at("verdict"), "REGRESSED");
  EXPECT_EQ(cases.at(1).at("verdict"), "PASS");
}

TEST_F(Ab, ASamplesBundleVerifiesAndATamperedOneDoesNot) {
  const auto ran = run_program({"ab", "--samples", samples({case_of("x", 1.0, 1)}), "--out", dir_ / "out",
                                "--html", dir_ / "page.html"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto bundle = only_bundle(dir_ / "out");
  std::ifstream page(dir_ / "page.html");
  const std::string shown((std::istreambuf_iterator<char>(page)), {});
  EXPECT_THAT(shown, HasSubstr("<b>PASS</b> B is no slower"));
  EXPECT_TRUE(run_program({"report", bundle}).out == shown) << "the bundle gives the same bytes";
  EXPECT_EQ(run_program({"verify", bundle}).exit_code, 0);
  EXPECT_THAT(run_program({"verify", bundle}).out, HasSubstr("80 units"));
  std::ifstream in(bundle / "results.json");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t digit = text.find("\"warm_ms\":[") + 12;
  text[digit] = text[digit] == '1' ? '2' : '1';
  std::ofstream(bundle / "results.json") << text;
  const auto verified = run_program({"verify", bundle});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_EQ(run_program({"report", bundle}).exit_code, 1);
  EXPECT_THAT(verified.out, HasSubstr("has another record of case x"));
}

TEST_F(Ab, ProgramsThatCannotBeComparedAreNamed) {
  const std::string good = AQBENCH_BINARY;
  const auto error_of = [&](const std::string& binary) {
    const auto ran = run_program({"ab", "--a", binary, "--b", good, "--out", dir_ / "out"});
    EXPECT_EQ(ran.exit_code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(binary));
    return ran.err;
  };
  EXPECT_THAT(error_of(script("old", "echo \"aqbench: error: unknown command 'unit'\" >&2; exit 2")),
              HasSubstr("too old for ab"));
  EXPECT_THAT(error_of(script("other", "echo hello")), HasSubstr("this is not aqbench"));
  EXPECT_THAT(error_of(script("json", "echo '{\"x\": 1}'")), HasSubstr("this is not aqbench"));
  EXPECT_THAT(error_of(script("later", "echo '{\"aqbench_unit\": 99}'")), HasSubstr("protocol 99"));
  EXPECT_THAT(error_of(script("dead", "kill -SEGV $$")), HasSubstr("signal 11"));
  EXPECT_THAT(error_of((dir_ / "missing").string()), HasSubstr("No such file"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out")) << "nothing was measured, so nothing is left";
}

TEST_F(Ab, BuildsThatDifferAreNotComparable) {
  const std::string debug =
      script("debug", "\"" AQBENCH_BINARY
                      "\" \"$@\" | sed 's/\"build_type\":\"[A-Za-z]*\"/\"build_type\":\"Debug\"/'");
  const auto ran = run_program({"ab", "--a", debug, "--b", AQBENCH_BINARY, "--out", dir_ / "out"});
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_THAT(ran.err, HasSubstr("build type is 'Debug' in A"));
}

TEST_F(Ab, WrongRequestsAreOneLineAndExitTwo) {
  const auto error_of = [](const Arguments& arguments) {
    const auto ran = run_program(arguments);
    EXPECT_EQ(ran.exit_code, 2) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(error_of({"ab"}), HasSubstr("give one of --a, --variant"));
  EXPECT_THAT(error_of({"ab", "--a", "x"}), HasSubstr("--b"));
  EXPECT_THAT(error_of({"ab", "--variant", "roma_like.points=1,2,3"}), HasSubstr("two values"));
  EXPECT_THAT(error_of({"ab", "--variant", "roma_like.points=500,1000", "--method", "roma_like", "--scene",
                        "flat_plane", "--pairs", "6", "--out", dir_ / "out"}),
              HasSubstr("pairs: 6 measured keep 3"));
  EXPECT_THAT(error_of({"ab", "--samples", dir_ / "none.json"}), HasSubstr("none.json"));
  EXPECT_THAT(error_of({"ab", "--samples", samples({case_of("x", 1, 1)}), "--tau", "7"}), HasSubstr("--tau"));
  EXPECT_THAT(error_of({"ab", "--samples", samples({case_of("x", 1, 1)}), "--policy", "strict"}),
              HasSubstr("strict"));
  EXPECT_THAT(
      error_of({"ab", "--variant", "roma_like.points=500,1000", "--method", "roma_like", "--case", "moon*"}),
      HasSubstr("moon"));
  EXPECT_THAT(error_of({"ab", "--variant", "roma_like.points=500,1000", "--method", "roma_like",
                        "--repetitions", "2"}),
              HasSubstr("at least 3"));
  EXPECT_THAT(error_of({"unit", "--request", "{}", "--describe"}), HasSubstr("--request"));
}

TEST_F(Ab, WhatCouldNotBeJudgedIsRefusedBeforeItIsMeasured) {
  const auto error_of = [&](Arguments more) {
    Arguments arguments = {"ab",         "--variant", "roma_like.points=500,1000",
                           "--method",   "roma_like", "--scene",
                           "flat_plane", "--out",     dir_ / "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ran = run_program(arguments);
    EXPECT_EQ(ran.exit_code, 2) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(error_of({"--pairs", "2000"}), HasSubstr("--pairs 2000: at most 682 with 3 looks"));
  EXPECT_THAT(error_of({"--alpha", "0.00000001"}), HasSubstr("--alpha 1e-08: with 3 looks at least 6e-05"));
  EXPECT_THAT(error_of({"--sign", dir_ / "no.pem"}), HasSubstr("no.pem"));
  EXPECT_THAT(run_program({"ab", "--calibrate", "--pairs", "2001"}).err, HasSubstr("must be 1 to 2000"));
  EXPECT_THAT(run_program({"ab", "--calibrate", "--alpha", "0.0001%"}).err, HasSubstr("--alpha"));
  EXPECT_THAT(run_program({"ab", "--samples", samples({case_of("x", 1, 1)}), "--sign", "k"}).err,
              HasSubstr("needs --out"));
  EXPECT_THAT(run_program({"ab", "--resume", dir_ / "none"}).err, HasSubstr("journal.jsonl"));
  EXPECT_THAT(run_program({"ab", "--resume", dir_ / "none", "--pairs", "40"}).err,
              HasSubstr("(this is ab --resume, which measures what was planned)"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

TEST_F(Ab, AProgramThatIsRebuiltMeanwhileIsNoticed) {
  const std::string moving =
      script("moving",
             "case \"$*\" in *--describe*) ;; *) touch \"$0\" ;; esac\nexec \"" AQBENCH_BINARY "\" \"$@\"");
  const auto ran = run_program({"ab", "--a", moving, "--b", moving, "--scene", "flat_plane", "--method",
                                "roma_like", "--repetitions", "3", "--out", dir_ / "out"});
  EXPECT_EQ(ran.exit_code, 3) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("was changed on the disk while it was"));
}

// What a metric is takes one run of a unit; none of them is timed.
TEST_F(Ab, ACalibrationOfMetricsRunsEachUnitOnce) {
  const auto ran = run_program({"ab", "--calibrate", "--scene", "flat_plane", "--method", "roma_like",
                                "--set", "roma_like.points=300", "--metric", "accuracy_rmse_mm", "--pairs",
                                "20", "--looks", "1", "--live", "2", "--json", "--out", dir_ / "out"});
  EXPECT_THAT(ran.exit_code, ::testing::AnyOf(0, 1)) << ran.err;
  const Json document = Json::parse(ran.out);
  const Json& units = document.at("samples").at("units");
  ASSERT_GE(units.size(), 80u) << "two comparisons of 20 pairs, and what confirms a flag";
  std::set<std::string> outputs;
  for (const Json& unit : units) {
    EXPECT_EQ(unit.at("status"), "ok");
    EXPECT_EQ(unit.at("warm_ms").size(), 0u);
    EXPECT_EQ(unit.at("outcomes").size(), 1u);
    outputs.insert(unit.at("output_sha256").get<std::string>());
  }
  EXPECT_EQ(outputs.size(), units.size()) << "each unit has a seed of its own";
  EXPECT_EQ(document.at("decision").at("cases").size(), 2u) << "nothing is delayed";
  EXPECT_THAT(read_file(only_bundle(dir_ / "out") / "summary.md"),
              HasSubstr("process each, of one run; pairs over seeds\n"));
  EXPECT_EQ(run_program({"verify", only_bundle(dir_ / "out")}).exit_code, 0);
  EXPECT_THAT(run_program({"ab", "--calibrate", "--repetitions", "2"}).err,
              HasSubstr("a unit needs at least 3 warm runs"));
  for (const auto& [flag, value, said] :
       {std::tuple{"--repetitions", "1", "a unit needs at least 3 warm runs"},
        {"--repetitions", "2", "a unit needs at least 3 warm runs"},
        {"--warmup", "1", "--warmup: needs --repetitions"}}) {
    const auto refused = run_program({"ab", "--calibrate", "--scene", "flat_plane", "--method", "roma_like",
                                      "--metric", "accuracy_rmse_mm", flag, value});
    EXPECT_EQ(refused.exit_code, 2) << flag << " " << value;
    EXPECT_THAT(refused.err, HasSubstr(said)) << flag << " " << value;
  }
}

TEST_F(Ab, ForkedVariantsAreComparedAndVerified) {
  const auto ran = run_program({"ab", "--variant", "roma_like.points=3000,3300", "--method", "roma_like",
                                "--scene", "undulating", "--threads", "1", "--looks", "1", "--pairs", "16",
                                "--no-confirm", "--json", "--out", dir_ / "out"});
  const Json document = Json::parse(ran.out);
  const Json& one = document.at("decision").at("cases").at(0);
  EXPECT_EQ(one.at("name"), "undulating/roma_like/seed=42");
  EXPECT_EQ(one.at("outputs"), "differ");
  EXPECT_EQ(document.at("a").at("variant"), "roma_like.points=3000");
  EXPECT_EQ(document.at("samples").at("units").size(), 32u);
  EXPECT_EQ(document.at("samples").at("units").at(0).at("warm_ms").size(), 5u);
  const auto verified = run_program({"verify", only_bundle(dir_ / "out")});
  EXPECT_EQ(verified.exit_code, 0) << verified.out;
}

TEST_F(Ab, AVariantMayBeStartedAnewForEachUnit) {
  const auto ran = run_program({"ab",      "--variant",    "roma_like.points=500,501",
                                "--exec",  "--method",     "roma_like",
                                "--scene", "flat_plane",   "--looks",
                                "1",       "--pairs",      "6",
                                "--alpha", "0.4",          "--repetitions",
                                "3",       "--no-confirm", "--json",
                                "--out",   dir_ / "out"});
  EXPECT_NE(ran.exit_code, 3) << ran.err;
  const Json document = Json::parse(ran.out);
  EXPECT_EQ(document.at("run").at("exec"), true);
  const Json& units = document.at("samples").at("units");
  EXPECT_EQ(units.size(), 12u);
  for (const Json& unit : units) EXPECT_EQ(unit.at("status"), "ok") << unit;
}

TEST_F(Ab, ACorruptedBIsInvalidWithStartedPrograms) {
  const Arguments common = {"ab",
                            "--a",
                            AQBENCH_BINARY,
                            "--b",
                            AQBENCH_BINARY,
                            "--scene",
                            "flat_plane",
                            "--method",
                            "lightglue_like",
                            "--looks",
                            "1",
                            "--pairs",
                            "6",
                            "--alpha",
                            "0.4",
                            "--repetitions",
                            "3",
                            "--no-confirm",
                            "--allow-inconclusive"};
  Arguments corrupted = common;
  corrupted.insert(corrupted.end(), {"--inject", "*:*=corrupt", "--out", (dir_ / "out").string()});
  const auto ran = run_program(corrupted);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("INVALID"));
  EXPECT_THAT(ran.out, HasSubstr("B's output is worse"));
  EXPECT_THAT(ran.out, HasSubstr("faults on purpose in B: *:*=corrupt"));
  EXPECT_THAT(ran.out, Not(HasSubstr("A/A run")));
}

}  // namespace
}  // namespace aqbench::testing
