// `aqbench sweep` and what is done with its bundle: verify, gate, accept, resume.

#include <gmock/gmock.h>
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
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

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

using Sweep = Folder;

// Each within 4 standard errors of the closed form (flat plane, mean 0.7979 sigma, median 0.6745 sigma, rmse
// sigma) or of the seed document's own figure (undulating).
TEST_F(Sweep, SeedSuiteLandsOnTheSeedsFigures) {
  const Json results = document_of<Json>(run("sweep --suite seed --json"));
  EXPECT_EQ(results, json_file<Json>(only_bundle(dir_ / "out") / "results.json"));
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
  const auto sweep = [&](const std::string& out, const char* threads, const ProgramOptions& options = {}) {
    return run(words("sweep --repeat 2 --json --out {} --threads {}", out, threads), options);
  };
  const auto expected = metrics_by_case(document_of<Json>(sweep("one", "1")));
  ASSERT_EQ(expected.size(), 8u);
  EXPECT_EQ(metrics_by_case(document_of<Json>(sweep("two", "2"))), expected);

  for (const std::size_t lines : {1u, 5u}) {  // the header alone, and some records
    const auto killed_out = dir_ / ("killed" + std::to_string(lines));
    ProgramOptions options;
    options.kill_when = [&] { return bundle_lines(killed_out, "journal.jsonl") >= lines; };
    EXPECT_EQ(sweep(killed_out, "2", options).exit_code, 128 + 9);
    const auto bundle = only_bundle(killed_out);
    const std::string next = "go on with: aqbench sweep --resume " + bundle.string();
    EXPECT_THAT(exits(run({"status", bundle}), 130).out, HasSubstr("no process works on it; " + next));
    EXPECT_THAT(run({"verify", bundle}).out, HasSubstr("did not end; go on with: aqbench sweep"));
    EXPECT_EQ(metrics_by_case(document_of<Json>(run("sweep --resume {} --json", bundle))), expected);
    const auto ended = succeeded(run({"status", bundle, bundle}));
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 2) << ended.out;
    EXPECT_EQ(run({"verify", bundle}).exit_code, 0);
  }
}

TEST_F(Sweep, CtrlCLeavesAVerifiedPartAndResumes) {
  ProgramOptions options;
  options.interrupt_when = [&] { return bundle_lines(dir_ / "out", "journal.jsonl") >= 4; };
  EXPECT_THAT(exits(run_program({"sweep", "--scene", "flat_plane", "--method", "roma_like", "--repeat", "400",
                                 "--out", dir_ / "out"},
                                options),
                    130)
                  .err,
              HasSubstr("--resume"));
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);
  const Json results = json_file<Json>(bundle / "results.json");
  EXPECT_FALSE(results.at("run").at("complete").get<bool>());
  EXPECT_GT(results.at("records").size(), 0u);
}

TEST_F(Sweep, FaultsBecomeRecordsAndTheSweepGoesOn) {
  const auto result =
      exits(run("sweep --json --memory-limit 1 --out out --inject flat_plane/lightglue_like:*=abort --inject "
                "undulating/lightglue_like/*:noise=oom --inject roma_like:sampling=throw"),
            3);
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
  EXPECT_EQ(run({"verify", only_bundle(dir_ / "out")}).exit_code, 0);
}

// The tolerance of each metric that varies is one multiple of its spread over the seeds, whatever the metric:
// Student's quantile of the difference of two draws, at 0.01 over all learned rows. Where that would let a
// value fall to nothing, it is nine tenths of the value.
TEST_F(Sweep, TolerancesAreLearnedFromSeeds) {
  succeeded(
      run("sweep --scene flat_plane --method roma_like --set roma_like.points=300 --repeat 5 --out out"));
  const auto bundle = only_bundle(dir_ / "out");
  const std::string baseline = (dir_ / "learned.json").string();
  succeeded(run_program(
      {"accept", bundle, "--baseline", baseline, "--tolerances-from-seeds", "--leave-out-undefined"}));
  std::map<std::string, std::vector<double>> values;
  std::map<std::string, double> learned;
  const Json cases = json_file<Json>(baseline).at("cases");
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
  succeeded(
      run("sweep --scene flat_plane --method *_like --set roma_like.points=300 --set "
          "lightglue_like.points=300 --out one"));
  const std::string from_others = (dir_ / "from_others.json").string();
  succeeded(run("accept {} --baseline {} --tolerances-from {} --leave-out-undefined",
                only_bundle(dir_ / "one"), from_others, bundle));
  const Json of_one = json_file<Json>(from_others).at("cases");
  const auto rmse_of = [&](const char* method) {
    return of_one.at(std::string("flat_plane/") + method + "/seed=42").at("metrics").at("accuracy_rmse_mm");
  };
  EXPECT_EQ(rmse_of("roma_like").at("tolerance").at("learned_from_seeds"), 5);
  EXPECT_EQ(rmse_of("lightglue_like").at("tolerance"), Json({{"relative", 0.05}}));
}

TEST_F(Sweep, FullDiskIsOneLineAndExitSix) {
  ProgramOptions options;
  options.file_size_limit_bytes = 12000;
  const auto result = exits(run({"sweep", "--out", dir_ / "out"}, options), 6);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  const auto bundle = only_bundle(dir_ / "out");
  succeeded(run({"sweep", "--resume", bundle}));
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);
}

TEST_F(Sweep, WrongArgumentsAreExitTwoBeforeAnythingIsRun) {
  for (const char* const wrong :
       {"--scene flat_plan", "--axis undulating.amplitud_m=1", "--set roma_like.dropout=2",
        "--baseline absent.json", "--repeat 0", "--frobnicate"})
    expect_refused(run(with({"sweep"}, words(wrong))), "");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

class GateCommand : public Sweep {
 protected:
  // One sweep for all of these tests; each gets a copy of its bundle.
  static void SetUpTestSuite() {
    swept_ = std::make_unique<TemporaryDir>();
    ASSERT_EQ(run_program({"sweep", "--out", *swept_ / "out"}).exit_code, 0);
    succeeded(run_program({"accept", only_bundle(*swept_ / "out"), "--baseline", *swept_ / "baseline.json"}));
  }
  static void TearDownTestSuite() { swept_.reset(); }
  void SetUp() override {
    const auto bundle = only_bundle(*swept_ / "out");
    bundle_ = dir_ / bundle.filename().string();
    std::filesystem::copy(bundle, bundle_, std::filesystem::copy_options::recursive);
    baseline_ = *swept_ / "baseline.json";
    results_ = json_file<Json>(bundle_ / "results.json");
  }

  // The gate's exit code on results changed by `change`, as a bare results.json.
  int gate_changed(const std::function<void(Json&)>& change) {
    Json results = results_;
    change(results);
    write_json(dir_ / "changed.json", results);
    last_ = run({"gate", dir_ / "changed.json", "--baseline", baseline_});
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
    succeeded(run(with(words("sweep --suite seed --out part"), how)));
    const Arguments accept{"accept", only_bundle(dir_ / "part"), "--baseline", dir_ / "new.json"};
    expect_mistake(run(accept), flag);
    EXPECT_THAT(exits(run(with(accept, {"--dry-run"})), 2).out, HasSubstr("refused: "));
    EXPECT_FALSE(std::filesystem::exists(dir_ / "new.json"));
    return accept;
  };
  const Arguments part = refused({"--scene", "flat_plane"}, "of the suite did not run");
  EXPECT_EQ(run(with(part, {"--part-of-suite"})).exit_code, 0);
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
  EXPECT_THAT(last_.out, HasSubstr("mean error"));
  EXPECT_EQ(gate_changed(scale_mean(1.049)), 0) << last_.out;
  EXPECT_EQ(gate_changed(scale_mean(0.5)), 0) << last_.out;
  EXPECT_THAT(last_.out, HasSubstr("improved"));
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
  EXPECT_EQ(run({"gate", dir_ / "broken.json", "--baseline", baseline_}).exit_code, 2);
}

TEST_F(GateCommand, RefusesTheBundleTheBaselineCameFromAndPassesAnother) {
  exits(run({"gate", bundle_, "--baseline", baseline_}), 4);
  succeeded(run("sweep --out second --baseline {} --gate", baseline_));
  exits(
      run("sweep --out third --baseline {} --gate --inject flat_plane/roma_like/*:noise=corrupt", baseline_),
      1);
}

TEST_F(GateCommand, OneChangedByteIsNamed) {
  std::string text = read_file(bundle_ / "summary.md");
  text[text.size() / 2] ^= 1;
  std::ofstream(bundle_ / "summary.md", std::ios::binary) << text;
  EXPECT_THAT(exits(run({"verify", bundle_}), 1).out, HasSubstr("summary.md"));
  EXPECT_EQ(run({"gate", bundle_, "--baseline", baseline_}).exit_code, 1);
}

}  // namespace
}  // namespace aqbench::testing
