// Files of other benchmark tools in gate, accept, trend, site and ab --samples.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <tuple>

#include "core/files.h"
#include "tests/cli/ab_fixture.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kToolFiles = AQBENCH_SOURCE_DIR "/tests/data/benchmarks/";

class Benchmarks : public Ab {
 protected:
  // A report of Google Benchmark as of one process: five repetitions around this time, dated by the second in
  // the time of a zone so many hours east of UTC. With `error` the last repetition has failed.
  void write_report(const std::filesystem::path& file, double sort_ns, int second, int zone = 0,
                    bool error = false) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file);
    const auto stamp = std::to_string(10 + second / 60) + ":" + std::to_string(100 + second % 60).substr(1);
    out << R"({"context": {"date": "2026-11-25T1)" << zone << ":" << stamp << "+0" << zone
        << R"(:00", "host_name": "h", "num_cpus": 2}, "benchmarks": [)";
    const double process = 1 + 0.01 * noise_(random_);
    for (int i = 0; i < 5; ++i)
      out << (i ? "," : "") << R"({"name": "BM_sort/8", "run_name": "BM_sort/8", "run_type": "iteration",)"
          << R"("real_time": )" << sort_ns * process * (1 + 0.005 * std::abs(noise_(random_)))
          << R"(, "time_unit": "ns"})";
    if (error)
      out << R"(,{"name": "BM_sort/8", "run_name": "BM_sort/8", "error_occurred": true, "error_message": "full"})";
    out << "]}";
  }
  // A report of a busy machine: wall time is disturbed, CPU time is not.
  void write_busy_report(const std::filesystem::path& file, double cpu_ns, int second) {
    std::filesystem::create_directories(file.parent_path());
    const double process = 1 + 0.01 * noise_(random_), waiting = 2 + std::abs(6 * noise_(random_));
    std::ofstream out(file);
    out << R"({"context": {"date": "2026-11-25T10:)" << 10 + second / 60 << ":" << second % 60 / 10
        << second % 10 << R"(+00:00", "num_cpus": 2, "load_avg": [9.5, 9, 8], "commit": "c)" << 1000 + second
        << R"("}, "benchmarks": [)";
    for (int i = 0; i < 5; ++i)
      out << (i ? "," : "") << R"({"name": "BM_sort/8", "run_type": "iteration", "threads": 1, "real_time": )"
          << cpu_ns * waiting * (1 + std::abs(noise_(random_))) << R"(, "cpu_time": )"
          << cpu_ns * process * (1 + 0.005 * std::abs(noise_(random_))) << R"(, "time_unit": "ns"})";
    out << "]}";
  }
  // 24 runs of A and of B by turns.
  void write_pairs(double a_ns, double b_ns) {
    for (int i = 0; i < 24; ++i) {
      const std::string name = "run" + std::to_string(100 + i) + ".json";
      write_report(dir_ / "a" / name, a_ns, 4 * i + (i % 2 ? 2 : 0));
      write_report(dir_ / "b" / name, b_ns, 4 * i + (i % 2 ? 0 : 2));
    }
  }
  ProgramResult judge() { return run("ab --samples a --samples-b b"); }

  std::mt19937_64 random_{7};
  std::normal_distribution<double> noise_;
};

TEST_F(Benchmarks, SixPercentMeasuredInPairsAreARegressionAndTheSameProgramIsNone) {
  write_pairs(1000, 1060);
  const auto slower = exits(judge(), 1);
  EXPECT_THAT(slower.out,
              AllOf(HasSubstr("REGRESSED"), HasSubstr("BM_sort/8"), Not(HasSubstr("not measured in pairs"))));
  exits(run("ab --samples a --samples-b b --out o"), 1);
  EXPECT_THAT(succeeded(run("trend o")).out, HasSubstr("1 run,"));
  succeeded(run("site o --out s"));
  EXPECT_THAT(read_file(dir_ / "s/index.html"), HasSubstr("report/2"));
  write_pairs(1000, 1000);
  const auto same = judge();
  EXPECT_NE(same.exit_code, 1) << same.out;
  EXPECT_THAT(same.out, AllOf(Not(HasSubstr("REGRESSED")), Not(HasSubstr("INVALID"))));
}

// CI reads the verdicts of a comparison as it reads those of a gate.
TEST_F(Benchmarks, AComparisonIsExportedForCi) {
  write_pairs(1000, 1060);
  const auto slower = exits(run("ab --samples a --samples-b b --junit j.xml --github"), 1);
  EXPECT_THAT(slower.out, AllOf(HasSubstr("::error title=BM_sort/8::"), HasSubstr("% slower")));
  EXPECT_THAT(read_file(dir_ / "j.xml"), AllOf(HasSubstr("failures=\"1\""), HasSubstr("name=\"BM_sort/8\""),
                                               HasSubstr("<failure type=\"regressed\" message=\"wall time"),
                                               HasSubstr("name=\"policy\" value=\"tau 2 %")));
  exits(run("ab --samples a --samples-b a --junit same.xml"), 5);  // not by turns
  EXPECT_THAT(read_file(dir_ / "same.xml"), HasSubstr("failures=\"0\" errors=\"0\" skipped=\"1\""));
}

// On a busy machine CPU time tells what wall time cannot, in pairs, in a history and against stored times.
TEST_F(Benchmarks, OfABusyMachineCpuTimeDecides) {
  for (int i = 0; i < 24; ++i) {
    const std::string name = "run" + std::to_string(100 + i) + ".json";
    write_busy_report(dir_ / "a" / name, 1000, 4 * i + (i % 2 ? 2 : 0));
    write_busy_report(dir_ / "b" / name, 1100, 4 * i + (i % 2 ? 0 : 2));
    write_busy_report(dir_ / "c" / name, 1000, 4 * i + (i % 2 ? 1 : 3));
    write_busy_report(dir_ / "h" / name, i < 13 ? 1000 : 1050, 4 * i);
  }
  EXPECT_THAT(exits(judge(), 1).out,
              AllOf(HasSubstr("CPU time decides 1 of 1 case"), HasSubstr("a load of 9.5 on 2 processors"),
                    HasSubstr("by CPU time")));
  EXPECT_THAT(exits(run("ab --samples a --samples-b b --decide-by wall"), 5).out, HasSubstr("wall time"));
  exits(run("ab --samples a --samples-b c --decide-by both"), 0);
  EXPECT_THAT(exits(run("trend h"), 0).out, AllOf(HasSubstr("cpu_ms"), HasSubstr("c1052")));
  EXPECT_THAT(exits(run("trend h --decide-by wall"), 0).out, Not(HasSubstr("cpu_ms")));
  succeeded(run("site h --out s"));
  EXPECT_THAT(read_file(dir_ / "s/index.html"), HasSubstr("since run 20261125T101052Z c1052"));
  succeeded(run("site h --out s --decide-by wall"));
  EXPECT_THAT(read_file(dir_ / "s/index.html"), Not(HasSubstr("since run 20261125T101052Z c1052")));
  exits(run("accept a/run100.json --baseline t.json --stored-times"), 0);
  exits(run("gate c/run100.json --baseline t.json --stored-times"), 0);
  EXPECT_THAT(exits(run("gate b/run100.json --baseline t.json --stored-times"), 1).out,
              HasSubstr("cpu_median"));
  EXPECT_THAT(exits(run("ab --samples a --samples-b b --decide-by pulse"), 2).err,
              HasSubstr("--decide-by 'pulse': expected wall, cpu, instructions or both"));
}

// A gate of stored times by each time: an unchanged program that waits, and one that computes 11 % more.
TEST_F(Benchmarks, AGateOfStoredTimesJudgesTheTimeThatIsAskedFor) {
  const auto times = [&](const char* name, double real_ns, double cpu_ns, const char* load) {
    std::string rows;
    for (int i = 0; i < 5; ++i)
      rows += fmt::format(R"({}{{"name": "BM_a", "run_type": "iteration", "threads": 1, "real_time": {}{}}})",
                          i ? "," : "", real_ns + i,
                          cpu_ns > 0 ? fmt::format(R"(, "cpu_time": {})", cpu_ns + i) : "");
    write(name, fmt::format(R"({{"context": {{"num_cpus": 2, "load_avg": [{}]}}, "benchmarks": [{}]}})", load,
                            rows));
  };
  const auto gate = [&](const char* file, const char* by = nullptr) {
    const Arguments asked = by == nullptr ? Arguments{} : Arguments{"--decide-by", by};
    return run(with(words("gate {} --baseline t.json --stored-times", file), asked));
  };
  times("base.json", 1000, 900, "0.5");
  succeeded(run("accept base.json --baseline t.json --stored-times"));
  times("waits.json", 1240, 902, "9.5");
  times("waits_calm.json", 1240, 902, "0.5");
  times("computes.json", 1001, 1000, "0.5");
  times("no_cpu.json", 1001, 0, "0.5");
  EXPECT_THAT(exits(gate("waits.json"), 0).out, HasSubstr("CPU time decides 1 of 1 case"));
  exits(gate("waits_calm.json"), 1);
  exits(gate("computes.json"), 0);
  for (const auto& [by, waits, computes] :
       {std::tuple("wall", 1, 0), std::tuple("cpu", 0, 1), std::tuple("both", 1, 1)}) {
    exits(gate("waits.json", by), waits);
    exits(gate("computes.json", by), computes);
  }
  EXPECT_THAT(exits(gate("no_cpu.json", "cpu"), 4).err,
              HasSubstr("--decide-by cpu: BM_a: its CPU time is unknown in the results"));
  EXPECT_THAT(exits(run("gate base.json --baseline t.json --decide-by cpu"), 2).err,
              HasSubstr("needs --stored-times"));
}

// Names without leading zeros, and a clock that is set back on the way.
TEST_F(Benchmarks, FilesAreTakenInTheOrderOfTimeWithTheirOffsetsOfUtc) {
  for (int i = 0; i < 24; ++i) {
    const std::string name = "run_" + std::to_string(i + 1) + ".json";
    write_report(dir_ / "a" / name, 1000, 4 * i + (i % 2 ? 2 : 0), i < 9 ? 2 : 1);
    write_report(dir_ / "b" / name, 1060, 4 * i + (i % 2 ? 0 : 2), i < 9 ? 2 : 1);
  }
  EXPECT_THAT(exits(judge(), 1).out, AllOf(HasSubstr("REGRESSED"), Not(HasSubstr("not measured in pairs"))));
}

// A before B in each pair: what the first run of a pair pays for both would be A's alone.
TEST_F(Benchmarks, PairsThatAlwaysBeginWithOneSideAreNamed) {
  for (int i = 0; i < 24; ++i) {
    const std::string name = "run_" + std::to_string(i + 1) + ".json";
    write_report(dir_ / "a" / name, 1000, 4 * i);
    write_report(dir_ / "b" / name, 1000, 4 * i + 2);
  }
  EXPECT_THAT(exits(judge(), 5).out, HasSubstr("not measured in pairs (A ran first in 24 of 24 pairs"));
}

TEST_F(Benchmarks, ACrashIsFailedAndNeitherFasterNorMissing) {
  write_pairs(1000, 800);
  EXPECT_EQ(judge().exit_code, 0);  // FASTER
  write_report(dir_ / "b/run107.json", 500, 4 * 7, 0, true);
  EXPECT_THAT(exits(judge(), 3).out, AllOf(HasSubstr("FAILED"), HasSubstr("full"), Not(HasSubstr("FASTER"))));
  EXPECT_EQ(run("ab --samples a --samples-b b --out o").exit_code, 3);
  EXPECT_EQ(run({"verify", only_bundle(dir_ / "o")}).exit_code, 0);

  write_report(dir_ / "old.json", 1000, 0);
  write_report(dir_ / "new.json", 500, 9, 0, true);
  succeeded(run("accept old.json --baseline times.json --stored-times"));
  EXPECT_THAT(exits(run("gate new.json --baseline times.json --stored-times"), 3).out,
              AllOf(HasSubstr("failed"), HasSubstr("full"), Not(HasSubstr("missing"))));
  for (const char* const codes : {"[0, 0, 0, 0, 0, 1]", "[null, null, null, null, null, null]"}) {
    write("hyperfine.json",
          std::string(R"({"results": [{"command": "a", "times": [1, 1, 1.1, 1, 1, 1]}, )") +
              R"({"command": "b", "times": [0.1, 0.1, 0.1, 0.1, 0.1, 0.1], "exit_codes": )" + codes + "}]}");
    EXPECT_THAT(exits(run("ab --samples hyperfine.json"), 3).out, HasSubstr("FAILED"));
  }
}

// All of A before all of B says no more than that B was slower then.
TEST_F(Benchmarks, WithoutPairsOnlyARegressionCounts) {
  for (int i = 0; i < 24; ++i) {
    const std::string name = "run" + std::to_string(100 + i) + ".json";
    write_report(dir_ / "a" / name, 1000, i);
    write_report(dir_ / "b" / name, 900, 60 + i);
  }
  EXPECT_THAT(exits(judge(), 5).out, AllOf(HasSubstr("INCONCLUSIVE"), HasSubstr("not measured in pairs")));
  for (int i = 0; i < 24; ++i)
    write_report(dir_ / "b" / ("run" + std::to_string(100 + i) + ".json"), 1100, 60 + i);
  EXPECT_EQ(judge().exit_code, 1);
  EXPECT_EQ(run({"ab", "--samples", kToolFiles + "hyperfine.json"}).exit_code,
            5);  // its two commands
  EXPECT_THAT(run({"ab", "--samples", kToolFiles + "pytest.json"}).err, HasSubstr("--samples-b"));
  EXPECT_EQ(
      run("ab --samples {} --samples-b {}", kToolFiles + "pytest.json", kToolFiles + "pytest.json").exit_code,
      5);
  // A bundle is judged again by what it holds.
  EXPECT_EQ(run("ab --samples {} --out o", kToolFiles + "hyperfine.json").exit_code, 5);
  const auto bundle = only_bundle(dir_ / "o");
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);
  EXPECT_THAT(read_file(bundle / "summary.md"), HasSubstr("not measured in pairs"));
}

TEST_F(Benchmarks, TimesAreGatedOnRequestOnAnEqualMachine) {
  const std::string file = kToolFiles + "pytest.json", baseline = dir_ / "base.json";
  EXPECT_THAT(run({"accept", file, "--baseline", baseline}).err, HasSubstr("--stored-times"));
  succeeded(run("accept {} --baseline {} --stored-times", file, baseline));
  EXPECT_THAT(exits(run({"gate", file, "--baseline", baseline}), 4).err, HasSubstr("--stored-times"));
  EXPECT_THAT(succeeded(run("gate {} --baseline {} --stored-times", file, baseline)).out,
              HasSubstr("rate of false alarms: "));
  // Another machine, and a tool that does not say which.
  std::string text = read_file(file);
  write("renamed.json", std::string(text).replace(text.find("\"node\": \"vm\""), 12, "\"node\": \"r17\""));
  EXPECT_EQ(run("gate renamed.json --baseline {} --stored-times", baseline).exit_code, 0);
  write("elsewhere.json", text.replace(text.find("x86_64"), 6, "arm64x"));
  EXPECT_EQ(run("gate elsewhere.json --baseline {} --stored-times", baseline).exit_code, 4);
  const auto timed = [&](const char* command) {
    return Arguments{command, kToolFiles + "hyperfine.json", "--baseline", dir_ / "h.json", "--stored-times"};
  };
  const auto here = [&](const char* command) { return run(with(timed(command), {"--measured-here"})); };
  expect_mistake(run(timed("accept")), "if it was this one, add --measured-here");
  EXPECT_EQ(here("accept").exit_code, 0);
  EXPECT_EQ(run(timed("gate")).exit_code, 4);
  EXPECT_THAT(succeeded(here("gate")).out, HasSubstr("rate of false alarms: "));
}

// Instructions, which hardly vary, have a history without a machine.
TEST_F(Benchmarks, CountedInstructionsHaveAHistory) {
  for (int i = 0; i < 6; ++i)
    write(fmt::format("h/{}.json", i),
          fmt::format(
              R"({{"context": {{"date": "2026-11-25T10:10:1{0}+00:00", "commit": "c{0}"}}, "benchmarks": [)"
              R"({{"name": "BM_a", "real_time": {1}, "INSTRUCTIONS": {2}}}]}})",
              i, 900 + 137 * (i % 3), i < 4 ? 1'000'000 : 1'100'000));
  EXPECT_THAT(exits(run("trend h --metric instructions"), 0).out, AllOf(HasSubstr("c4"), HasSubstr("+10 %")));
}

TEST_F(Benchmarks, TrendAndSiteShowThem) {
  for (int i = 0; i < 12; ++i)
    write_report(dir_ / "history" / ("run" + std::to_string(100 + i) + ".json"), i < 6 ? 1000 : 1200, 2 * i);
  std::filesystem::create_directories(dir_ / "history/target");
  std::filesystem::copy(kToolFiles + "criterion", dir_ / "history/target/criterion",
                        std::filesystem::copy_options::recursive);
  EXPECT_THAT(succeeded(run({"trend", dir_ / "history"})).out,
              AllOf(HasSubstr("BM_sort/8"), HasSubstr("time_ms")));
  const auto site = succeeded(run({"site", dir_ / "history", "--out", dir_ / "site"}));
  EXPECT_THAT(site.out, HasSubstr("of 13 runs"));
  const auto by_path = succeeded(run({"trend", "history", "--commit-of", "history/{commit}.json"}));
  EXPECT_THAT(by_path.out, ::testing::ContainsRegex("run106 +BM_sort/8"));
  EXPECT_THAT(exits(run({"trend", "history", "--commit-of", "other/{commit}.json"}), 2).err,
              HasSubstr("--commit-of"));
  succeeded(run({"site", "history", "--out", "site", "--commit-of", "history/{commit}.json"}));
  const std::string page = read_file(dir_ / "site/index.html");
  EXPECT_THAT(page, HasSubstr("since run 20261125T101012Z run106"));
  // A file of another tool is its own page.
  const std::size_t link = page.find("report/2026");
  ASSERT_NE(link, std::string::npos);
  const std::string file = page.substr(link, page.find_first_of("#\"", link) - link);
  EXPECT_TRUE(file.ends_with(".json")) << file;
  EXPECT_THAT(read_file(dir_ / "site" / file), HasSubstr("BM_sort/8"));
}

}  // namespace
}  // namespace aqbench::testing
