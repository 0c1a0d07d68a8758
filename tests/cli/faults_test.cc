// A thin sample of scripts/fault_sweep.py: calls that fail and kills, and how the program goes on afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kShim = fs::path(AQBENCH_BINARY).parent_path() / "libaqbench_fault_shim.so";

class Faults : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kShim)) GTEST_SKIP() << "built without " << kShim.filename();
  }

  // Runs the program while its `fault`, "KIND:N", fails. Sets `struck`.
  ProgramResult run_with(const std::string& fault, const Arguments& arguments) {
    const std::string report = dir_ / "report";
    fs::remove(report);
    ::setenv("AQBENCH_FAULT", fault.c_str(), 1);
    ::setenv("AQBENCH_FAULT_REPORT", report.c_str(), 1);
    ::setenv("LD_PRELOAD", kShim.c_str(), 1);
    const ProgramResult result = run_program(arguments);
    for (const char* const name : {"LD_PRELOAD", "AQBENCH_FAULT", "AQBENCH_FAULT_REPORT"}) ::unsetenv(name);
    std::ifstream file(report, std::ios::binary);
    file.read(reinterpret_cast<char*>(numbers_), sizeof numbers_);
    EXPECT_TRUE(file) << "no report of the shim: " << result.err;
    return result;
  }

  std::uint64_t failed_calls() const { return numbers_[5]; }

  // What constructors of libraries take before main() is in every count, and differs from machine to machine.
  std::uint64_t allocations_of(const Arguments& command) {
    EXPECT_EQ(run_with("malloc:0", command).exit_code, 0);
    EXPECT_EQ(failed_calls(), 0U);
    return numbers_[4];
  }

  // The metrics digest of a bundle, which must verify.
  std::string digest(const fs::path& bundle) {
    const auto verified = succeeded(run_program({"verify", bundle}));
    const std::size_t at = verified.out.find("metrics digest");
    return at == std::string::npos ? "" : verified.out.substr(at, verified.out.find('\n', at) - at);
  }

  static Arguments small_sweep(const std::string& out) {
    return words(
        "sweep --scene flat_plane --method roma_like --set roma_like.points=300 --threads 1 --out {}", out);
  }

  TemporaryDir dir_;
  std::uint64_t numbers_[6] = {};  // calls by kind, and how many failed
};

TEST_F(Faults, ASweepWhoseCallFailsIsOneLineExitSixAndGoesOn) {
  ASSERT_EQ(run_program(small_sweep(dir_ / "whole")).exit_code, 0);
  const std::string expected = digest(only_bundle(dir_ / "whole"));
  for (const char* const fault : {"write:6", "write:13:from", "fsync:7", "rename:4", "mmap:1"}) {
    const std::string out = dir_ / fault;
    const ProgramResult result = run_with(fault, small_sweep(out));
    EXPECT_GE(failed_calls(), 1U) << fault;
    if (result.exit_code != 0) {
      EXPECT_EQ(result.exit_code, 6) << fault << ": " << result.err;
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << fault << ": " << result.err;
      const ProgramResult again = fs::exists(out) ? run_program({"sweep", "--resume", only_bundle(out)})
                                                  : run_program(small_sweep(out));
      EXPECT_EQ(again.exit_code, 0) << fault << ": " << again.err;
    }
    EXPECT_EQ(digest(only_bundle(out)), expected) << fault;
  }
}

TEST_F(Faults, MemoryThatIsRefusedIsOneLineExitSix) {
  const std::uint64_t least = allocations_of({"--version"}), most = allocations_of({"list", "scenes"});
  ASSERT_GT(most, least + 100);
  for (const std::uint64_t n : {least + (most - least) / 3, least + (most - least) / 2}) {
    const ProgramResult result = run_with("malloc:" + std::to_string(n), {"list", "scenes"});
    EXPECT_EQ(failed_calls(), 1U);
    EXPECT_EQ(result.exit_code, 6) << n << ": " << result.err;
    EXPECT_EQ(result.err, "aqbench: error: out of memory\n") << n;
  }
}

// Also in a destructor, which cannot report it: nlohmann_json's need memory.
TEST_F(Faults, MemoryThatIsRefusedAnywhereInVerifyIsOneLineExitSix) {
  ASSERT_EQ(run_program(small_sweep(dir_ / "out")).exit_code, 0);
  const Arguments verify = {"verify", only_bundle(dir_ / "out")};
  const std::uint64_t least = allocations_of({"--version"}), most = allocations_of(verify);
  ASSERT_GT(most, least + 100);
  constexpr std::uint64_t kTried = 80;
  for (std::uint64_t i = 1; i <= kTried; ++i) {
    const std::uint64_t n = least + i * (most - least) / kTried;
    const ProgramResult result = run_with("malloc:" + std::to_string(n), verify);
    if (result.exit_code == 0) continue;
    EXPECT_EQ(result.exit_code, 6) << n << ": " << result.err << result.out;
    EXPECT_EQ(result.err, "aqbench: error: out of memory\n") << n;
  }
}

// A baseline is the old one or the new one, and never half of it.
TEST_F(Faults, AnAcceptWhoseCallFailsLeavesTheBaselineAsItWas) {
  ASSERT_EQ(run_program(small_sweep(dir_ / "out")).exit_code, 0);
  const std::string bundle = only_bundle(dir_ / "out"), baseline = dir_ / "baseline.json";
  for (const char* const fault : {"write:1", "fsync:1", "rename:1"}) {
    const ProgramResult result = run_with(fault, {"accept", bundle, "--baseline", baseline});
    EXPECT_EQ(failed_calls(), 1U) << fault;
    EXPECT_EQ(result.exit_code, 6) << fault << ": " << result.err;
    EXPECT_FALSE(fs::exists(baseline)) << fault;
    for (const auto& entry : fs::directory_iterator(dir_.path()))
      EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
  }
  EXPECT_EQ(run_program({"accept", bundle, "--baseline", baseline}).exit_code, 0);
}

// A bundle verifies wherever the clock was set while it was written.
TEST_F(Faults, AClockThatIsSetMakesNoBundleWrong) {
  for (const char* const step : {"2:-3600", "3:-3600", "5:7200", "9:-3600"}) {
    const std::string out = dir_ / step;
    ::setenv("AQBENCH_CLOCK", step, 1);
    ::setenv("LD_PRELOAD", kShim.c_str(), 1);
    const ProgramResult swept = run_program(small_sweep(out));
    for (const char* const name : {"LD_PRELOAD", "AQBENCH_CLOCK"}) ::unsetenv(name);
    EXPECT_EQ(swept.exit_code, 0) << step << ": " << swept.err;
    EXPECT_NE(digest(only_bundle(out)), "") << step;
  }
}

// A limit that is short for a hang alone: no other case of these has to end within it.
TEST(Hang, OfACaseBecomesATimeout) {
  const TemporaryDir dir;
  const auto result = exits(
      run_line("sweep --json --scene flat_plane --method roma_like --timeout 3 --out {} --inject noise=hang",
               dir / "out"),
      3);
  const nlohmann::json record = nlohmann::json::parse(result.out).at("records").at(0);
  EXPECT_EQ(record.at("status"), "timeout");
  EXPECT_EQ(record.at("injected").at(0).at("times"), 1) << record.dump();
}

}  // namespace
}  // namespace aqbench::testing
