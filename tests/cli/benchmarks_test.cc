// Files of other benchmark tools in gate, accept, trend, site and ab --samples.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

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
  // A report of Google Benchmark as of one process: five repetitions around this time, dated by the second.
  void write_report(const std::filesystem::path& file, double sort_ns, int second) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file);
    const auto stamp = std::to_string(10 + second / 60) + ":" + std::to_string(100 + second % 60).substr(1);
    out << R"({"context": {"date": "2026-11-25T10:)" << stamp
        << R"(+00:00", "host_name": "h", "num_cpus": 2}, "benchmarks": [)";
    const double process = 1 + 0.01 * noise_(random_);
    for (int i = 0; i < 5; ++i)
      out << (i ? "," : "") << R"({"name": "BM_sort/8", "run_name": "BM_sort/8", "run_type": "iteration",)"
          << R"("real_time": )" << sort_ns * process * (1 + 0.005 * std::abs(noise_(random_)))
          << R"(, "time_unit": "ns"})";
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
  ProgramResult judge() { return run_program({"ab", "--samples", dir_ / "a", "--samples-b", dir_ / "b"}); }

  std::mt19937_64 random_{7};
  std::normal_distribution<double> noise_;
};

TEST_F(Benchmarks, SixPercentMeasuredInPairsAreARegressionAndTheSameProgramIsNone) {
  write_pairs(1000, 1060);
  const auto slower = judge();
  EXPECT_EQ(slower.exit_code, 1) << slower.err << slower.out;
  EXPECT_THAT(slower.out,
              AllOf(HasSubstr("REGRESSED"), HasSubstr("BM_sort/8"), Not(HasSubstr("not measured in pairs"))));
  write_pairs(1000, 1000);
  const auto same = judge();
  EXPECT_NE(same.exit_code, 1) << same.out;
  EXPECT_THAT(same.out, AllOf(Not(HasSubstr("REGRESSED")), Not(HasSubstr("INVALID"))));
}

// All of A before all of B says no more than that B was slower then.
TEST_F(Benchmarks, WithoutPairsOnlyARegressionCounts) {
  for (int i = 0; i < 24; ++i) {
    const std::string name = "run" + std::to_string(100 + i) + ".json";
    write_report(dir_ / "a" / name, 1000, i);
    write_report(dir_ / "b" / name, 900, 60 + i);
  }
  const auto faster = judge();
  EXPECT_EQ(faster.exit_code, 5) << faster.out;
  EXPECT_THAT(faster.out, AllOf(HasSubstr("INCONCLUSIVE"), HasSubstr("not measured in pairs")));
  for (int i = 0; i < 24; ++i)
    write_report(dir_ / "b" / ("run" + std::to_string(100 + i) + ".json"), 1100, 60 + i);
  EXPECT_EQ(judge().exit_code, 1);
  EXPECT_EQ(run_program({"ab", "--samples", kToolFiles + "hyperfine.json"}).exit_code,
            5);  // its two commands
  EXPECT_THAT(run_program({"ab", "--samples", kToolFiles + "pytest.json"}).err, HasSubstr("--samples-b"));
  EXPECT_EQ(
      run_program({"ab", "--samples", kToolFiles + "pytest.json", "--samples-b", kToolFiles + "pytest.json"})
          .exit_code,
      5);
  // A bundle is judged again by what it holds.
  EXPECT_EQ(run_program({"ab", "--samples", kToolFiles + "hyperfine.json", "--out", dir_ / "o"}).exit_code,
            5);
  const auto bundle = only_bundle(dir_ / "o");
  EXPECT_EQ(run_program({"verify", bundle}).exit_code, 0);
  EXPECT_THAT(read_file(bundle / "summary.md"), HasSubstr("not measured in pairs"));
}

TEST_F(Benchmarks, TimesAreGatedOnRequestOnAnEqualMachine) {
  const std::string file = kToolFiles + "pytest.json", baseline = dir_ / "base.json";
  EXPECT_THAT(run_program({"accept", file, "--baseline", baseline}).err, HasSubstr("--stored-times"));
  const auto accepted = run_program({"accept", file, "--baseline", baseline, "--stored-times"});
  ASSERT_EQ(accepted.exit_code, 0) << accepted.err;
  const auto refused = run_program({"gate", file, "--baseline", baseline});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, HasSubstr("--stored-times"));
  const auto gated = run_program({"gate", file, "--baseline", baseline, "--stored-times"});
  EXPECT_EQ(gated.exit_code, 0) << gated.out << gated.err;
  EXPECT_THAT(gated.out, HasSubstr("rate of false alarms: "));
  // Another machine, and a tool that does not say which.
  std::ifstream in(file);
  std::string text(std::istreambuf_iterator<char>(in), {});
  std::ofstream(dir_ / "elsewhere.json") << text.replace(text.find("x86_64"), 6, "arm64x");
  EXPECT_EQ(
      run_program({"gate", dir_ / "elsewhere.json", "--baseline", baseline, "--stored-times"}).exit_code, 4);
  const auto timed = [&](const char* command) {
    return Arguments{command, kToolFiles + "hyperfine.json", "--baseline", dir_ / "h.json", "--stored-times"};
  };
  const auto here = [&](const char* command) {
    Arguments words = timed(command);
    words.emplace_back("--measured-here");
    return run_program(words);
  };
  const auto nowhere = run_program(timed("accept"));
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("if it was this one, add --measured-here"));
  EXPECT_EQ(here("accept").exit_code, 0);
  EXPECT_EQ(run_program(timed("gate")).exit_code, 4);
  const auto equal = here("gate");
  EXPECT_EQ(equal.exit_code, 0) << equal.err;
  EXPECT_THAT(equal.out, HasSubstr("rate of false alarms: "));
}

TEST_F(Benchmarks, TrendAndSiteShowThem) {
  for (int i = 0; i < 12; ++i)
    write_report(dir_ / "history" / ("run" + std::to_string(100 + i) + ".json"), i < 6 ? 1000 : 1200, 2 * i);
  std::filesystem::create_directories(dir_ / "history/target");
  std::filesystem::copy(kToolFiles + "criterion", dir_ / "history/target/criterion",
                        std::filesystem::copy_options::recursive);
  const auto trend = run_program({"trend", dir_ / "history"});
  EXPECT_EQ(trend.exit_code, 0) << trend.err;
  EXPECT_THAT(trend.out, AllOf(HasSubstr("BM_sort/8"), HasSubstr("time_ms")));
  const auto site = run_program({"site", dir_ / "history", "--out", dir_ / "site"});
  EXPECT_EQ(site.exit_code, 0) << site.err;
  EXPECT_THAT(site.out, HasSubstr("13 runs, 13 new"));
  EXPECT_THAT(run_program({"site", dir_ / "history", "--out", dir_ / "site"}).out,
              HasSubstr("13 runs, 0 new"));
}

}  // namespace
}  // namespace aqbench::testing
