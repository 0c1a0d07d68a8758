// `aqbench ab`: samples judged without running anything, programs that cannot be compared, and one small run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_EQ(run({"ab", "--samples", samples({case_of("x", 1.06, 1)})}).exit_code, 1);
  EXPECT_EQ(run({"ab", "--samples", samples({case_of("x", 1.0, 1)})}).exit_code, 0);
  EXPECT_THAT(exits(run({"ab", "--samples", samples({case_of("x", 1.0, 1, 7)})}), 5).out,
              HasSubstr("a verdict needs 8"));
  succeeded(run("ab --samples {} --allow-inconclusive", samples({case_of("x", 1.0, 1, 10)})));
}

TEST_F(Ab, AConfirmationOfWhatWasNotFlaggedIsIgnoredWithANote) {
  const auto confirmed = [](Json json, double ratio) {
    const Json fresh = case_of("", ratio, 2);
    json["confirmation_a"] = fresh["a"];
    json["confirmation_b"] = fresh["b"];
    return json;
  };
  const auto same = exits(run({"ab", "--samples", samples({confirmed(case_of("x", 1.0, 1), 1.0)})}), 0);
  EXPECT_THAT(same.out, HasSubstr("x: its confirmation is ignored, as there is no flag to confirm"));
  // Of two cases only the flagged one keeps its own.
  const auto both =
      exits(run({"ab", "--samples",
                 samples({confirmed(case_of("x", 1.0, 1), 1.0), confirmed(case_of("y", 1.06, 3), 1.06)}),
                 "--out", "o"}),
            1);
  EXPECT_THAT(both.out, HasSubstr("x: its confirmation is ignored"));
  EXPECT_THAT(both.out, Not(HasSubstr("y: its confirmation")));
  const auto bundle = only_bundle(dir_ / "o");
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);
  EXPECT_THAT(read_file(bundle / "summary.md"), HasSubstr("fresh pairs: "));
}

// B takes three times as long in every third pair.
Json with_slow_mode(double ratio) {
  Json json = case_of("x", ratio, 1, 60);
  for (std::size_t i = 0; i < 60; i += 3) json["b"][i] = 3 * json["b"][i].get<double>();
  return json;
}

TEST_F(Ab, ASlowModeOfBAloneIsNoPassAndWithAFasterTypicalRunATrade) {
  const auto judge = [&](double ratio, const Arguments& more = {}) {
    return run(with({"ab", "--samples", samples({with_slow_mode(ratio)})}, more));
  };
  EXPECT_THAT(exits(judge(1.0), 5).out, HasSubstr("B has more slow runs: 20 of 60 beyond"));
  EXPECT_EQ(judge(1.0, {"--allow-inconclusive"}).exit_code, 0);
  EXPECT_THAT(exits(judge(0.95, {"--allow-inconclusive"}), 5).out, HasSubstr("TRADE"));
  const auto passed = run("ab --samples {} --json", samples({case_of("x", 1.0, 1)}));
  const Json found = Json::parse(passed.out)["decision"]["cases"][0]["time"]["comparison"]["slow_runs"];
  EXPECT_NEAR(found["excess_upper"].get<double>(), 0.12, 1e-4);  // of 40 pairs without a slow run
}

TEST_F(Ab, TimesThatTheClockDoesNotTellApartAreNoPass) {
  Json json = {{"name", "x"}, {"a", Json::array()}, {"b", Json::array()}};
  for (int i = 0; i < 40; ++i) {
    json["a"].push_back(2);
    json["b"].push_back(2 + 1e-13 * i);
  }
  EXPECT_THAT(exits(run({"ab", "--samples", samples({json})}), 5).out,
              HasSubstr("all times are multiples of 2"));
}

TEST_F(Ab, TheGatesPolicyFailsSixPercentAndPassesFour) {
  const std::string file = samples({case_of("six", 1.06, 1), case_of("four", 1.04, 2)});
  const auto gate = exits(run("ab --samples {} --policy gate --json", file), 1);
  const Json cases = Json::parse(gate.out).at("decision").at("cases");
  EXPECT_EQ(cases.at(0).at("verdict"), "REGRESSED");
  EXPECT_EQ(cases.at(1).at("verdict"), "PASS");
}

TEST_F(Ab, ASamplesBundleVerifiesAndATamperedOneDoesNot) {
  succeeded(run("ab --samples {} --out out --html page.html", samples({case_of("x", 1.0, 1)})));
  const auto bundle = only_bundle(dir_ / "out");
  const std::string shown = read_file(dir_ / "page.html");
  EXPECT_THAT(shown,
              ::testing::ContainsRegex("<b>PASS</b> B is (no slower|not more than [0-9.]+ % slower): "));
  EXPECT_TRUE(run({"report", bundle}).out == shown) << "the bundle gives the same bytes";
  EXPECT_THAT(succeeded(run({"verify", bundle})).out, HasSubstr("80 units"));
  std::string text = read_file(bundle / "results.json");
  const std::size_t digit = text.find("\"warm_ms\":[") + 12;
  text[digit] = text[digit] == '1' ? '2' : '1';
  std::ofstream(bundle / "results.json") << text;
  const auto verified = exits(run({"verify", bundle}), 1);
  EXPECT_EQ(run({"report", bundle}).exit_code, 1);
  EXPECT_THAT(verified.out, HasSubstr("has another record of case x"));
}

TEST_F(Ab, ProgramsThatCannotBeComparedAreNamed) {
  const std::string good = AQBENCH_BINARY;
  const auto refused = [&](const std::string& binary, const char* why) {
    const auto ran = run("ab --a {} --b {} --out out", binary, good);
    expect_mistake(ran, binary);
    EXPECT_THAT(ran.err, HasSubstr(why));
  };
  refused(script("old", "echo \"aqbench: error: unknown command 'unit'\" >&2; exit 2"), "too old for ab");
  refused(script("other", "echo hello"), "this is not aqbench");
  refused(script("json", "echo '{\"x\": 1}'"), "this is not aqbench");
  refused(script("later", "echo '{\"aqbench_unit\": 99}'"), "protocol 99");
  refused(script("dead", "kill -SEGV $$"), "signal 11");
  refused((dir_ / "missing").string(), "No such file");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out")) << "nothing was measured, so nothing is left";
}

TEST_F(Ab, BuildsThatDifferAreNotComparable) {
  const std::string debug =
      script("debug", "\"" AQBENCH_BINARY
                      "\" \"$@\" | sed 's/\"build_type\":\"[A-Za-z]*\"/\"build_type\":\"Debug\"/'");
  EXPECT_THAT(exits(run("ab --a {} --b {} --out out", debug, AQBENCH_BINARY), 4).err,
              HasSubstr("build type is 'Debug' in A"));
}

TEST_F(Ab, WrongRequestsAreOneLineAndExitTwo) {
  const auto refused = [&](const std::string& line, const std::string& why) {
    expect_refused(run(words(line)), why);
  };
  samples({case_of("x", 1, 1)});
  refused("ab", "give one of --a, --variant");
  refused("ab --a x", "--b");
  refused("ab --variant roma_like.points=1", "expected two or more values");
  refused("ab --variant roma_like.points=1,2,1", "duplicate value '1'");
  const std::string cases = "ab --variant roma_like.points=500,1000 --method roma_like ";
  refused(cases + "--scene flat_plane --pairs 6 --out out",
          "pairs: 6 are too few: 1 comparison x 3 looks at alpha 0.01 need 10");
  refused("ab --samples none.json", "none.json");
  refused("ab --samples samples.json --tau 7", "--tau");
  refused("ab --samples samples.json --policy strict", "strict");
  refused(cases + "--case moon*", "moon");
  refused(cases + "--repetitions 2", "at least 3");
  refused("unit --request {} --describe", "--request");
}

// Each value is compared with the first, in one bundle and one family.
TEST_F(Ab, ValuesOfAVariantAreEachComparedWithTheFirst) {
  const auto ran = exits(
      run("ab --variant roma_like.points=500,501,20000 --method roma_like --scene flat_plane --threads 1 "
          "--looks 1 --pairs 24 --repetitions 3 --no-confirm --json --out out"),
      1);
  const Json document = Json::parse(ran.out);
  EXPECT_EQ(document.at("a").at("variant"), "roma_like.points=500");
  EXPECT_EQ(document.at("b").at("variant"), "roma_like.points=501,20000");
  const Json& cases = document.at("decision").at("cases");
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_THAT(cases[0].at("name").get<std::string>(), HasSubstr("roma_like.points=501"));
  EXPECT_THAT(cases[1].at("name").get<std::string>(), HasSubstr("roma_like.points=20000"));
  EXPECT_GT(cases[1].at("time").at("comparison").at("change").get<double>(), 0.5) << "forty times the points";
  const auto bundle = only_bundle(dir_ / "out");
  succeeded(run({"verify", bundle}));
  EXPECT_THAT(read_file(bundle / "summary.md"), HasSubstr("roma_like.points=20000"));
}

TEST_F(Ab, WhatCouldNotBeJudgedIsRefusedBeforeItIsMeasured) {
  const auto refused = [&](const char* more, const char* why) {
    expect_mistake(
        run(with(
            words("ab --variant roma_like.points=500,1000 --method roma_like --scene flat_plane --out out"),
            words(more))),
        why);
  };
  refused("--pairs 2000", "--pairs 2000: at most 682 with 3 looks");
  refused("--alpha 0.00000001", "--alpha 1e-08: with 3 looks at least 6e-05");
  EXPECT_THAT(run("ab --calibrate --pairs 2001").err, HasSubstr("must be 1 to 2000"));
  EXPECT_THAT(run("ab --calibrate --alpha 0.0001%").err, HasSubstr("--alpha"));
  EXPECT_THAT(run({"ab", "--resume", dir_ / "none"}).err, HasSubstr("journal.jsonl"));
  EXPECT_THAT(run("ab --resume none --pairs 40").err,
              HasSubstr("(this is ab --resume, which measures what was planned)"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

TEST_F(Ab, AProgramThatIsRebuiltMeanwhileIsNoticed) {
  const std::string moving =
      script("moving",
             "case \"$*\" in *--describe*) ;; *) touch \"$0\" ;; esac\nexec \"" AQBENCH_BINARY "\" \"$@\"");
  EXPECT_THAT(exits(run("ab --a {} --b {} --scene flat_plane --method roma_like --repetitions 3 --out out",
                        moving, moving),
                    3)
                  .out,
              HasSubstr("was changed on the disk while it was"));
}

// What a metric is takes one run of a unit; none of them is timed.
TEST_F(Ab, ACalibrationOfMetricsRunsEachUnitOnce) {
  const auto ran =
      run("ab --calibrate --scene flat_plane --method roma_like --set roma_like.points=300 --metric "
          "accuracy_rmse_mm --pairs 20 --looks 1 --live 2 --json --out out");
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
  EXPECT_EQ(run({"verify", only_bundle(dir_ / "out")}).exit_code, 0);
  EXPECT_THAT(run("ab --calibrate --repetitions 2").err, HasSubstr("a unit needs at least 3 warm runs"));
  for (const auto& [flag, value, said] :
       {std::tuple{"--repetitions", "1", "a unit needs at least 3 warm runs"},
        {"--repetitions", "2", "a unit needs at least 3 warm runs"},
        {"--warmup", "1", "--warmup: needs --repetitions"}}) {
    expect_mistake(run("ab --calibrate --scene flat_plane --method roma_like --metric accuracy_rmse_mm {} {}",
                       flag, value),
                   said);
  }
}

TEST_F(Ab, ForkedVariantsAreComparedAndVerified) {
  const auto ran =
      run("ab --variant roma_like.points=3000,3300 --method roma_like --scene undulating --threads 1 --looks "
          "1 --pairs 16 --no-confirm --json --out out");
  const Json document = Json::parse(ran.out);
  const Json& one = document.at("decision").at("cases").at(0);
  EXPECT_EQ(one.at("name"), "undulating/roma_like/seed=42");
  EXPECT_EQ(one.at("outputs"), "differ");
  EXPECT_EQ(document.at("a").at("variant"), "roma_like.points=3000");
  EXPECT_EQ(document.at("samples").at("units").size(), 32u);
  EXPECT_EQ(document.at("samples").at("units").at(0).at("warm_ms").size(), 5u);
  succeeded(run({"verify", only_bundle(dir_ / "out")}));
}

TEST_F(Ab, AVariantMayBeStartedAnewForEachUnit) {
  const auto ran =
      run("ab --variant roma_like.points=500,501 --exec --method roma_like --scene flat_plane --looks 1 "
          "--pairs 6 --alpha 0.4 --repetitions 3 --no-confirm --json --out out");
  EXPECT_NE(ran.exit_code, 3) << ran.err;
  const Json document = Json::parse(ran.out);
  EXPECT_EQ(document.at("run").at("exec"), true);
  const Json& units = document.at("samples").at("units");
  EXPECT_EQ(units.size(), 12u);
  for (const Json& unit : units) EXPECT_EQ(unit.at("status"), "ok") << unit;
}

TEST_F(Ab, ACorruptedBIsWorseWithStartedPrograms) {
  const auto ran =
      exits(run("ab --a {} --b {} --scene flat_plane --method lightglue_like --looks 1 --pairs 6 --alpha 0.4 "
                "--repetitions 3 --no-confirm --allow-inconclusive --inject *:*=corrupt --out out",
                AQBENCH_BINARY, AQBENCH_BINARY),
            1);
  EXPECT_THAT(ran.out, HasSubstr("WORSE"));
  EXPECT_THAT(ran.out, HasSubstr("B's output is worse"));
  EXPECT_THAT(ran.out, HasSubstr("faults on purpose in B: *:*=corrupt"));
  EXPECT_THAT(ran.out, Not(HasSubstr("A/A run")));
}

}  // namespace
}  // namespace aqbench::testing
