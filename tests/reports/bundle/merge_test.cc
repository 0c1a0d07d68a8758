#include "reports/bundle/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Suite `seed` as the program plans it, each record made up: what a machine would have left as shard i of n.
class Merge : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;

  SweepPlan plan_of(std::size_t index, std::size_t count, std::uint64_t seed = 42) {
    PlanRequest request;
    request.suite = "seed";
    request.threads = 2;
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
  EXPECT_THAT(error_of(ErrorKind::input, [&] { merge({a, a}); }), HasSubstr("is in "));
  EXPECT_THAT(error_of(ErrorKind::input,
                       [&] {
                         merge({shard("d1", plan_of(1, 3)), shard("d2", plan_of(2, 3))});
                       }),
              HasSubstr("missing 3/3"));
  EXPECT_THAT(error_of(ErrorKind::not_comparable,
                       [&] {
                         merge({a, shard("e2", plan_of(2, 2, 7))});
                       }),
              HasSubstr("different options"));
  EXPECT_THAT(error_of(ErrorKind::input,
                       [&] {
                         merge({a, shard("f2", plan_of(2, 2), 1)});
                       }),
              HasSubstr("was interrupted"));
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { merge({a}); }), HasSubstr("at least two"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { merge({a, directory_ / "absent"}); }), HasSubstr("no bundle"));
  write_file(b / "bench.log", "another log\n");
  EXPECT_THAT(error_of(ErrorKind::verification, [&] { merge({a, b}); }), HasSubstr("bench.log"));
  EXPECT_FALSE(fs::exists(directory_ / "out"));  // nothing half made is left
}

}  // namespace
}  // namespace aqbench
