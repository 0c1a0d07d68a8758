// `aqbench sweep` and what is done with its bundle: verify, gate, accept, resume.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/files.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using Json = nlohmann::ordered_json;

Json json_file(const std::filesystem::path& path) { return Json::parse(read_file(path)); }

void write_json(const std::filesystem::path& path, const Json& value) {
  std::ofstream(path) << value.dump(1) << "\n";
}

// case -> its metrics as text: what must be the same bytes.
std::map<std::string, std::string> metrics_by_case(const Json& results) {
  std::map<std::string, std::string> metrics;
  for (const Json& record : results.at("records"))
    metrics[record.at("case").get<std::string>()] =
        record.at("metrics").dump() + record.at("output_sha256").dump();
  return metrics;
}

double metric(const Json& results, const std::string& case_name, const char* name) {
  for (const Json& record : results.at("records"))
    if (record.at("case") == case_name) return record.at("metrics").at(name).at("value").get<double>();
  ADD_FAILURE() << "no case " << case_name;
  return NAN;
}

class Sweep : public ::testing::Test {
 protected:
  TemporaryDir dir_;
  std::string out() const { return (dir_ / "out").string(); }
};

// Each within 4 standard errors of the closed form (flat plane, mean 0.7979 sigma, median 0.6745 sigma, rmse
// sigma) or of the seed document's own figure (undulating).
TEST_F(Sweep, SeedSuiteLandsOnTheSeedsFigures) {
  const auto result = run_program({"sweep", "--suite", "seed", "--json", "--out", out()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json results = Json::parse(result.out);
  EXPECT_EQ(results, json_file(only_bundle(out()) / "results.json"));
  struct Expected {
    const char* name;
    double sigma_mm, count, undulating_mean_mm, undulating_median_mm;
  };
  for (const Expected e :
       {Expected{"lightglue_like", 2, 900, 1.60, 1.40}, Expected{"roma_like", 1, 2850, 0.800, 0.691}}) {
    const std::string flat = std::string("flat_plane/") + e.name + "/seed=42";
    const double root_n = std::sqrt(e.count), se_mean = 0.6028 * e.sigma_mm / root_n;
    const double se_median = 0.787 * e.sigma_mm / root_n;
    EXPECT_NEAR(metric(results, flat, "accuracy_mean_mm"), 0.7979 * e.sigma_mm, 4 * se_mean);
    EXPECT_NEAR(metric(results, flat, "accuracy_median_mm"), 0.6745 * e.sigma_mm, 4 * se_median);
    EXPECT_NEAR(metric(results, flat, "plane_fit_rmse_mm"), e.sigma_mm,
                4 * e.sigma_mm / std::sqrt(2 * e.count));
    EXPECT_NEAR(metric(results, flat, "point_density_pct"), 100 * e.count / 150000,
                4 * 100 * std::sqrt(e.count * 0.1) / 150000);
    const std::string waves = std::string("undulating/") + e.name + "/seed=42";
    EXPECT_NEAR(metric(results, waves, "accuracy_mean_mm"), e.undulating_mean_mm,
                4 * std::sqrt(2.0) * se_mean);
    EXPECT_NEAR(metric(results, waves, "accuracy_median_mm"), e.undulating_median_mm,
                4 * std::sqrt(2.0) * se_median);
  }
  for (const Json& record : results.at("records")) EXPECT_TRUE(record.at("simulated").get<bool>());
}

TEST_F(Sweep, ThreadsAndRestartsChangeNoByteOfAMetric) {
  const std::vector<std::string> what = {"sweep", "--repeat", "3", "--json", "--out"};
  const auto with = [&](const std::string& out, const std::string& threads) {
    auto arguments = what;
    arguments.insert(arguments.end(), {out, "--threads", threads});
    return arguments;
  };
  const auto whole = run_program(with(dir_ / "one", "1"));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const auto expected = metrics_by_case(Json::parse(whole.out));
  ASSERT_EQ(expected.size(), 12u);
  const auto two = run_program(with(dir_ / "two", "2"));
  EXPECT_EQ(metrics_by_case(Json::parse(two.out)), expected);

  for (const std::size_t lines : {1u, 5u}) {  // the header alone, and some records
    const auto killed_out = dir_ / ("killed" + std::to_string(lines));
    ProgramOptions options;
    options.kill_when = [&] { return bundle_lines(killed_out, "journal.jsonl") >= lines; };
    EXPECT_EQ(run_program(with(killed_out, "2"), options).exit_code, 128 + 9);
    const auto bundle = only_bundle(killed_out);
    const std::string next = "go on with: aqbench sweep --resume " + bundle.string();
    const auto dead = run_program({"status", bundle});
    EXPECT_EQ(dead.exit_code, 130);
    EXPECT_NE(dead.out.find("no process works on it; " + next), std::string::npos) << dead.out;
    EXPECT_NE(run_program({"verify", bundle}).out.find("did not end; go on with: aqbench sweep"),
              std::string::npos);
    const auto resumed = run_program({"sweep", "--resume", bundle, "--json"});
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(metrics_by_case(Json::parse(resumed.out)), expected);
    const auto ended = run_program({"status", bundle, bundle});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 2) << ended.out;
    EXPECT_EQ(run_program({"verify", bundle}).exit_code, 0);
  }
}

TEST_F(Sweep, CtrlCLeavesAVerifiedPartAndResumes) {
  ProgramOptions options;
  options.interrupt_when = [&] { return bundle_lines(out(), "journal.jsonl") >= 4; };
  const auto stopped = run_program(
      {"sweep", "--scene", "flat_plane", "--method", "roma_like", "--repeat", "400", "--out", out()},
      options);
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_NE(stopped.err.find("--resume"), std::string::npos) << stopped.err;
  const auto bundle = only_bundle(out());
  EXPECT_EQ(run_program({"verify", bundle}).exit_code, 0);
  const Json results = json_file(bundle / "results.json");
  EXPECT_FALSE(results.at("run").at("complete").get<bool>());
  EXPECT_GT(results.at("records").size(), 0u);
}

TEST_F(Sweep, FaultsBecomeRecordsAndTheSweepGoesOn) {
  const auto result =
      run_program({"sweep", "--json", "--memory-limit", "1", "--out", out(), "--inject",
                   "flat_plane/lightglue_like:*=abort", "--inject", "undulating/lightglue_like/*:noise=oom",
                   "--inject", "roma_like:sampling=throw"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  const Json results = Json::parse(result.out);
  std::map<std::string, std::string> status;
  for (const Json& record : results.at("records")) {
    status[record.at("case").get<std::string>()] = record.at("status").get<std::string>();
    EXPECT_FALSE(record.at("reason").get<std::string>().empty());
    EXPECT_EQ(record.at("injected").at(0).at("times"), 1) << record.dump();
  }
  EXPECT_EQ(status["flat_plane/lightglue_like/seed=42"], "crashed");
  EXPECT_EQ(status["flat_plane/roma_like/seed=42"], "failed");
  EXPECT_EQ(status["undulating/lightglue_like/seed=42"], "failed");
  EXPECT_EQ(status["undulating/roma_like/seed=42"], "failed");
  EXPECT_EQ(run_program({"verify", only_bundle(out())}).exit_code, 0);
}

// The tolerance of each metric that varies is one multiple of its spread over the seeds, whatever the metric:
// Student's quantile of the difference of two draws, at 0.01 over all learned rows. Where that would let a
// value fall to nothing, it is nine tenths of the value.
TEST_F(Sweep, TolerancesAreLearnedFromSeeds) {
  ASSERT_EQ(run_program({"sweep", "--scene", "flat_plane", "--method", "roma_like", "--set",
                         "roma_like.points=300", "--repeat", "5", "--out", out()})
                .exit_code,
            0);
  const auto bundle = only_bundle(out());
  const std::string baseline = (dir_ / "learned.json").string();
  const auto accepted = run_program(
      {"accept", bundle, "--baseline", baseline, "--tolerances-from-seeds", "--leave-out-undefined"});
  ASSERT_EQ(accepted.exit_code, 0) << accepted.err;
  std::map<std::string, std::vector<double>> values;
  std::map<std::string, double> learned;
  const Json cases = json_file(baseline).at("cases");
  for (const auto& [name, entry] : cases.items())
    for (const auto& [metric, row] : entry.at("metrics").items()) {
      values[metric].push_back(row.at("value").get<double>());
      if (!row.at("tolerance").contains("learned_from_seeds")) continue;
      EXPECT_EQ(row.at("tolerance").at("learned_from_seeds"), 5);
      const double tolerance = row.at("tolerance").at("absolute").get<double>(),
                   most = 0.9 * row.at("value").get<double>();
      const bool is_capped = row.at("better") == "higher" && tolerance >= most;
      EXPECT_TRUE(!is_capped || std::abs(tolerance - most) < 1e-12) << metric;
      if (!is_capped) learned[metric] = tolerance;
    }
  ASSERT_GT(learned.size(), 10u);
  std::optional<double> multiple;
  for (const auto& [metric, tolerance] : learned) {
    double mean = 0, squares = 0;
    for (const double value : values[metric]) mean += value / 5;
    for (const double value : values[metric]) squares += (value - mean) * (value - mean);
    const double now = tolerance / std::sqrt(squares / 4);
    if (!multiple) multiple = now;
    EXPECT_NEAR(now / *multiple, 1, 1e-6) << metric;
  }
  EXPECT_GT(*multiple, 4.604 * std::sqrt(2))
      << "Student's quantile for 4 degrees of freedom, of one row, is 4.604";

  // A run of one seed learns from these, and what they do not have keeps its own tolerance.
  ASSERT_EQ(run_program({"sweep", "--scene", "flat_plane", "--method", "*_like", "--set",
                         "roma_like.points=300", "--set", "lightglue_like.points=300", "--out", dir_ / "one"})
                .exit_code,
            0);
  const std::string from_others = (dir_ / "from_others.json").string();
  const auto one = run_program({"accept", only_bundle(dir_ / "one"), "--baseline", from_others,
                                "--tolerances-from", bundle, "--leave-out-undefined"});
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const Json of_one = json_file(from_others).at("cases");
  const auto rmse_of = [&](const char* method) {
    return of_one.at(std::string("flat_plane/") + method + "/seed=42").at("metrics").at("accuracy_rmse_mm");
  };
  EXPECT_EQ(rmse_of("roma_like").at("tolerance").at("learned_from_seeds"), 5);
  EXPECT_EQ(rmse_of("lightglue_like").at("tolerance"), Json({{"relative", 0.05}}));
}

TEST_F(Sweep, FullDiskIsOneLineAndExitSix) {
  ProgramOptions options;
  options.file_size_limit_bytes = 12000;
  const auto result = run_program({"sweep", "--out", out()}, options);
  EXPECT_EQ(result.exit_code, 6) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  const auto bundle = only_bundle(out());
  const auto resumed = run_program({"sweep", "--resume", bundle});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(run_program({"verify", bundle}).exit_code, 0);
}

TEST_F(Sweep, WrongArgumentsAreExitTwoBeforeAnythingIsRun) {
  for (const Arguments& wrong :
       {Arguments{"--scene", "flat_plan"}, Arguments{"--axis", "undulating.amplitud_m=1"},
        Arguments{"--set", "roma_like.dropout=2"}, Arguments{"--baseline", dir_ / "absent.json"},
        Arguments{"--repeat", "0"}, Arguments{"--frobnicate"}}) {
    Arguments arguments{"sweep", "--out", out()};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 2) << wrong.front() << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_FALSE(std::filesystem::exists(out()));
}

class GateCommand : public Sweep {
 protected:
  // One sweep for all of these tests; each gets a copy of its bundle.
  static void SetUpTestSuite() {
    swept_ = std::make_unique<TemporaryDir>();
    ASSERT_EQ(run_program({"sweep", "--out", *swept_ / "out"}).exit_code, 0);
    const auto accepted =
        run_program({"accept", only_bundle(*swept_ / "out"), "--baseline", *swept_ / "baseline.json"});
    ASSERT_EQ(accepted.exit_code, 0) << accepted.err;
  }
  static void TearDownTestSuite() { swept_.reset(); }
  void SetUp() override {
    const auto bundle = only_bundle(*swept_ / "out");
    bundle_ = dir_ / bundle.filename().string();
    std::filesystem::copy(bundle, bundle_, std::filesystem::copy_options::recursive);
    baseline_ = *swept_ / "baseline.json";
    results_ = json_file(bundle_ / "results.json");
  }

  // The gate's exit code on results changed by `change`, as a bare results.json.
  int gate_changed(const std::function<void(Json&)>& change) {
    Json results = results_;
    change(results);
    write_json(dir_ / "changed.json", results);
    last_ = run_program({"gate", dir_ / "changed.json", "--baseline", baseline_});
    return last_.exit_code;
  }

  inline static std::unique_ptr<TemporaryDir> swept_;
  std::filesystem::path bundle_, baseline_;
  Json results_;
  ProgramResult last_;
};

TEST_F(GateCommand, AcceptKnowsAPartOfASuiteAndAShard) {
  const auto refused = [&](const Arguments& how, const char* flag) {
    std::filesystem::remove_all(dir_ / "part");
    Arguments sweep{"sweep", "--suite", "seed", "--out", dir_ / "part"};
    sweep.insert(sweep.end(), how.begin(), how.end());
    EXPECT_EQ(run_program(sweep).exit_code, 0);
    const Arguments accept{"accept", only_bundle(dir_ / "part"), "--baseline", dir_ / "new.json"};
    const auto result = run_program(accept);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find(flag), std::string::npos) << result.err;
    Arguments dry = accept;
    dry.emplace_back("--dry-run");
    const auto shown = run_program(dry);
    EXPECT_EQ(shown.exit_code, 2);
    EXPECT_NE(shown.out.find("refused: "), std::string::npos) << shown.out;
    EXPECT_FALSE(std::filesystem::exists(dir_ / "new.json"));
    return accept;
  };
  Arguments part = refused({"--scene", "flat_plane"}, "of the suite did not run");
  part.emplace_back("--part-of-suite");
  EXPECT_EQ(run_program(part).exit_code, 0);
  std::filesystem::remove(dir_ / "new.json");
  refused({"--shard", "1/2"}, "the run is shard 1/2 of a sweep (--from-shard)");
  refused({"--set", "roma_like.points=500"}, "--new-options");
}

TEST_F(GateCommand, DecidesByDirectionAndTolerance) {
  const auto scale_mean = [](double factor) {
    return [factor](Json& results) {
      Json& value = results["records"][0]["metrics"]["accuracy_mean_mm"]["value"];
      value = value.get<double>() * factor;
    };
  };
  EXPECT_EQ(gate_changed(scale_mean(1.051)), 1) << last_.out;
  EXPECT_NE(last_.out.find("mean error"), std::string::npos);
  EXPECT_EQ(gate_changed(scale_mean(1.049)), 0) << last_.out;
  EXPECT_EQ(gate_changed(scale_mean(0.5)), 0) << last_.out;
  EXPECT_NE(last_.out.find("improved"), std::string::npos) << last_.out;
  EXPECT_EQ(gate_changed([](Json& results) {
              results["records"][0]["metrics"]["accuracy_mean_mm"]["value"] = nullptr;
              results["records"][0]["metrics"]["accuracy_mean_mm"]["reason"] = "test";
            }),
            1)
      << last_.out << last_.err;
  EXPECT_EQ(gate_changed([](Json& results) { results["records"].erase(1); }), 1) << last_.out << last_.err;
  EXPECT_EQ(gate_changed([](Json& results) { results["schema_version"] = 2; }), 4) << last_.err;
  EXPECT_EQ(gate_changed([](Json& results) { results["records"][0]["options"]["flat_plane.depth_m"] = 1.2; }),
            4)
      << last_.err;
  std::ofstream(dir_ / "broken.json") << read_file(bundle_ / "results.json").substr(0, 500);
  EXPECT_EQ(run_program({"gate", dir_ / "broken.json", "--baseline", baseline_}).exit_code, 2);
}

TEST_F(GateCommand, RefusesTheBundleTheBaselineCameFromAndPassesAnother) {
  const auto self = run_program({"gate", bundle_, "--baseline", baseline_});
  EXPECT_EQ(self.exit_code, 4) << self.out;
  const auto fresh = run_program({"sweep", "--out", dir_ / "second", "--baseline", baseline_, "--gate"});
  EXPECT_EQ(fresh.exit_code, 0) << fresh.out << fresh.err;
  const auto worse = run_program({"sweep", "--out", dir_ / "third", "--baseline", baseline_, "--gate",
                                  "--inject", "flat_plane/roma_like/*:noise=corrupt"});
  EXPECT_EQ(worse.exit_code, 1) << worse.out << worse.err;
}

TEST_F(GateCommand, OneChangedByteIsNamed) {
  std::string text = read_file(bundle_ / "summary.md");
  text[text.size() / 2] ^= 1;
  std::ofstream(bundle_ / "summary.md", std::ios::binary) << text;
  const auto result = run_program({"verify", bundle_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("summary.md"), std::string::npos) << result.out;
  EXPECT_EQ(run_program({"gate", bundle_, "--baseline", baseline_}).exit_code, 1);
}

}  // namespace
}  // namespace aqbench::testing
