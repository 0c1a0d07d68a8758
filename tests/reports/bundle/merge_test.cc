#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

TEST(ReadGateInput, ABundleIsVerifiedFirst) {
  const TemporaryDirectory directory;
  Results results = synthetic_results();
  const auto bundle = synthetic_bundle(directory.path(), results);
  const GateInput sealed = read_gate_input(bundle);
  EXPECT_TRUE(sealed.verified);
  EXPECT_EQ(results_text(sealed.results), results_text(results));
  const GateInput bare = read_gate_input(bundle / "results.json");
  EXPECT_FALSE(bare.verified);
  EXPECT_EQ(results_text(bare.results), results_text(results));
  write_file(bundle / "bench.log", "other\n");
  const std::string message = error_of(ErrorKind::verification, [&] { read_gate_input(bundle); });
  EXPECT_NE(message.find("bench.log: does not have the hash"), message.npos) << message;
}

TEST(ReadGateInput, ABareFileGivesTheRightKindOfError) {
  const TemporaryDirectory directory;
  const std::string good = results_text(synthetic_results());
  Json json = Json::parse(good);
  const auto kind_of = [&](const std::string& text) {
    const auto path = directory.file("results.json", text);
    try {
      read_gate_input(path);
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path.string())) << error.what();
      return exit_code(error.kind());
    }
    return ExitCode::pass;
  };
  EXPECT_EQ(kind_of(good), ExitCode::pass);
  EXPECT_EQ(kind_of(good.substr(0, good.size() / 2)), ExitCode::usage);
  EXPECT_EQ(kind_of(""), ExitCode::usage);
  std::string nan = good;
  nan.replace(nan.find("21.5"), 4, "NaN");
  EXPECT_EQ(kind_of(nan), ExitCode::usage);
  json["schema_version"] = 5;
  EXPECT_EQ(kind_of(json.dump()), ExitCode::not_comparable);
  json["schema_version"] = 4;
  json["records"][0]["metrics"]["points"]["value"] = "2850";
  EXPECT_EQ(kind_of(json.dump()), ExitCode::usage);
  EXPECT_EQ(error_of(ErrorKind::input, [&] { read_gate_input(directory / "absent"); }),
            (directory / "absent").string() + ": no such file or folder");
}

// As an edit by hand.
TEST(ReadGateInput, AMetricSetToNullFails) {
  const TemporaryDirectory directory;
  const Results results = synthetic_results();
  Json json = to_json(results);
  json["records"][1]["metrics"]["accuracy_mean_mm"]["value"] = nullptr;
  for (const bool with_reason : {false, true}) {
    if (with_reason) json["records"][1]["metrics"]["accuracy_mean_mm"]["reason"] = "edited";
    const auto path = directory.file("results.json", json.dump());
    EXPECT_EQ(gate(read_gate_input(path).results, synthetic_baseline(results)).exit_code(),
              ExitCode::regression);
  }
}

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Suite `seed` as the program plans it, each record made up: what a machine would have left as shard i of n.
class Merge : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;

  SweepPlan plan_of(std::size_t index, std::size_t count, std::uint64_t seed = 42) {
    PlanRequest request = seed_request();
    request.seed = seed;
    request.shard = {index, count};
    return plan_sweep(request);
  }

  // `keep`: how many of the plan's cases have a record.
  fs::path shard(const std::string& name, const SweepPlan& plan, std::size_t keep = SIZE_MAX) {
    Results results = synthetic_results();
    results.records.clear();
    results.run.id = name;
    results.run.started_utc = "2025-05-20T10:11:1" + name.substr(name.size() - 1) + "Z";
    results.run.finished_utc = "2025-05-20T10:11:20Z";
    for (const Case& planned : plan.cases) {
      if (results.records.size() == keep) break;
      results.records.push_back(
          synthetic_record(planned.scene, planned.method, static_cast<int>(planned.seed), 1));
    }
    return synthetic_bundle(directory_.path(), results, plan);
  }

  fs::path merge(const std::vector<fs::path>& shards) {
    return merge_bundles(shards, directory_ / "out", {"aqbench", "merge"});
  }
};

TEST_F(Merge, ShardsInAnyOrderGiveTheRootOfTheWhole) {
  const fs::path whole = shard("whole1", plan_of(1, 1));
  const fs::path merged =
      merge({shard("c3", plan_of(3, 3)), shard("a1", plan_of(1, 3)), shard("b2", plan_of(2, 3))});
  const VerifyReport report = verify_bundle(merged);
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.root_digest, verify_bundle(whole).root_digest);
  const Results results = read_results(merged / "results.json");
  EXPECT_EQ(results.run.plan_sha256, read_results(whole / "results.json").run.plan_sha256);
  EXPECT_EQ(results.run.started_utc, "2025-05-20T10:11:11Z");
  EXPECT_EQ(read_journal(merged, TornTail::refuse).header.request.shard.count, 1u);
  EXPECT_TRUE(fs::exists(merged / "shards/1-a1/commands.txt"));
  EXPECT_EQ(
      read_file(merged / "bench.log"),
      "== shard a1\nsweep of 4 cases\n== 2025-05-20T10:11:11Z flat_plane/lightglue_like/seed=42\n-- ok\n"
      "== 2025-05-20T10:11:11Z undulating/roma_like/seed=42\n-- ok\n== shard b2\nsweep of 4 cases\n"
      "== 2025-05-20T10:11:12Z flat_plane/roma_like/seed=42\n-- ok\n== shard c3\nsweep of 4 cases\n"
      "== 2025-05-20T10:11:13Z undulating/lightglue_like/seed=42\n-- ok\n");
}

TEST_F(Merge, RefusesWhatIsNotOneSweep) {
  const fs::path a = shard("a1", plan_of(1, 2)), b = shard("b2", plan_of(2, 2));
  const auto refused = [&](ErrorKind kind, const std::vector<fs::path>& shards, const char* why) {
    EXPECT_THAT(error_of(kind, [&] { merge(shards); }), HasSubstr(why));
  };
  refused(ErrorKind::input, {a, a}, "is in ");
  refused(ErrorKind::input, {shard("d1", plan_of(1, 3)), shard("d2", plan_of(2, 3))}, "missing 3/3");
  refused(ErrorKind::not_comparable, {a, shard("e2", plan_of(2, 2, 7))}, "different options");
  refused(ErrorKind::input, {a, shard("f2", plan_of(2, 2), 1)}, "was interrupted");
  refused(ErrorKind::usage, {a}, "at least two");
  refused(ErrorKind::input, {a, directory_ / "absent"}, "no such file or folder");
  write_file(b / "bench.log", "another log\n");
  refused(ErrorKind::verification, {a, b}, "bench.log");
  EXPECT_FALSE(fs::exists(directory_ / "out"));  // nothing half made is left
}

}  // namespace

}  // namespace aqbench
