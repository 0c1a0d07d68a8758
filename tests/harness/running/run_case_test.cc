#include "harness/running/run_case.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/processes/isolate.h"
#include "harness/running/sweep.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

SweepPlan real_plan(const std::function<void(PlanRequest&)>& change = {}) {
  PlanRequest request = test::request_for({"flat_plane"}, {"roma_like"});
  request.threads = 1;
  if (change) change(request);
  return plan_sweep(request);
}

// As the sweep does it: in a child, because scoring may wake up libraries that must not be forked.
CaseResult run_in_child(const Case& planned) {
  CaseBoard board;
  const IsolateOutcome outcome =
      run_isolated([&] { return encode_case_result(run_case(planned, board)); }, {.timeout_s = 60});
  EXPECT_EQ(outcome.end, IsolateOutcome::End::ok) << describe(outcome, {});
  return decode_case_result(outcome.result);
}

double value(const Record& record, const std::string& metric) {
  const Metric* const found = find_metric(record.metrics, metric);
  if (found == nullptr || !found->value) throw std::runtime_error("no " + metric);
  return *found->value;
}

TEST(RunCase, ScoresASimulatedMethod) {
  const SweepPlan plan = real_plan();
  const CaseResult result = run_in_child(plan.cases[0]);
  const Record& record = result.record;
  EXPECT_EQ(record.status, Status::ok) << record.reason;
  EXPECT_EQ(record.reason, "");
  EXPECT_TRUE(record.simulated);
  // sigma 1 mm, 3000 points: the mean distance is sqrt(2/pi) sigma, its standard error 0.6028 sigma/sqrt(N).
  EXPECT_NEAR(value(record, "accuracy_mean_mm"), 0.7979, 4 * 0.6028 / std::sqrt(2850.0));
  EXPECT_GT(record.timing.cold_ms.value_or(0), 0);
  EXPECT_EQ(record.output_sha256.size(), 64U);
  ASSERT_FALSE(record.stages.empty());
  EXPECT_EQ(record.stages[0].parent, "");
  EXPECT_LE(record.stages[0].wall_ms[0], *record.timing.cold_ms);
  ASSERT_THAT(result.artefacts, SizeIs(1));
  EXPECT_EQ(result.artefacts[0].first, "tiles/flat_plane__roma_like__seed=42.csv");
  EXPECT_EQ(std::ranges::count(result.artefacts[0].second, '\n'), 1 + 50 * 30)
      << "a header and 50 x 30 tiles";
  EXPECT_EQ(to_json(record)["axes"].dump(), R"({"seed":42,"threads":1,"device":"cpu"})");
}

TEST(RunCase, MetricsAreTheSameBytesForAnyThreadCount) {
  std::map<std::string, std::set<std::string>> texts;
  for (const int threads : {1, 2, 5}) {
    const CaseResult result =
        run_in_child(real_plan([&](PlanRequest& request) { request.threads = threads; }).cases[0]);
    const Json json = to_json(result.record);
    texts["metrics"].insert(json["metrics"].dump());
    texts["options"].insert(json["options"].dump());
    texts["output"].insert(json["output_sha256"].dump());
    texts["tiles"].insert(result.artefacts.at(0).second);
  }
  for (const auto& [what, different] : texts) EXPECT_THAT(different, SizeIs(1)) << what;
}

TEST(RunCase, CorruptMovesTheCloudByFiveMillimetres) {
  const auto biased = [](const std::string& effect) {
    return run_in_child(real_plan([&](PlanRequest& request) {
                          if (!effect.empty()) request.injects = {parse_inject("*:*=" + effect)};
                        }).cases[0]);
  };
  const CaseResult clean = biased(""), corrupt = biased("corrupt");
  // Positive towards the cameras, +Z away from them.
  EXPECT_NEAR(value(corrupt.record, "bias_mean_mm"), value(clean.record, "bias_mean_mm") - 5, 1e-6);
  EXPECT_NE(corrupt.record.output_sha256, clean.record.output_sha256);
  EXPECT_GE(corrupt.record.injected.at(0).times, 1U);
}

TEST(RunCase, ASleepShowsInTheStageAndInTheRun) {
  const Record record = run_in_child(real_plan([](PlanRequest& request) {
                                       request.injects = {parse_inject("*:*=30ms")};
                                     }).cases[0])
                            .record;
  EXPECT_GE(record.stages.at(0).wall_ms.at(0), 30);
  EXPECT_GE(*record.timing.cold_ms, 30);
  EXPECT_EQ(record.status, Status::ok);
}

TEST(RunCase, AFailureKeepsWhatWasMeasuredButNoMetric) {
  const Record record = run_in_child(real_plan([](PlanRequest& request) {
                                       request.injects = {parse_inject("*:*=throw")};
                                     }).cases[0])
                            .record;
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_THAT(record.reason, HasSubstr("injected failure in stage"));
  EXPECT_THAT(record.metrics, SizeIs(0));
  EXPECT_EQ(record.timing.cold_ms, std::nullopt);
  EXPECT_EQ(record.injected.at(0).times, 1U);
  EXPECT_FALSE(record.stages.empty());
}

TEST(RunCase, ADeviceThatIsNotThereIsSkippedWithItsReason) {
  const Record record =
      run_in_child(real_plan([](PlanRequest& request) { request.device = "cuda"; }).cases[0]).record;
  EXPECT_EQ(record.status, Status::skipped);
  EXPECT_THAT(record.reason, HasSubstr("roma_like is simulated"));
}

TEST(RunCase, ASceneThatCannotBeMadeIsAFailedRecord) {
  Case planned = real_plan().cases[0];
  planned.scene = "mesh:/nowhere/a.ply";
  const Record record = run_in_child(planned).record;
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_THAT(record.reason, HasSubstr("/nowhere/a.ply"));
}

TEST(RunCase, AWholeSweepOfSuiteSeed) {
  const test::TemporaryFolder folder;
  PlanRequest request;
  request.suite = "seed";
  const SweepPlan plan = plan_sweep(request);
  Journal journal = test::new_journal(folder.path(), plan);
  const SweepOutcome outcome = run_sweep(plan, journal, {});
  EXPECT_EQ(outcome.ran, 4U);
  EXPECT_EQ(outcome.failed, 0U);
  for (const Record& record : journal.records()) {
    EXPECT_EQ(record.status, Status::ok) << record.reason;
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "tiles" / (file_name_of(record.case_name) + ".csv")));
  }
}

TEST(OutputHash, DependsOnEveryArray) {
  std::set<std::string> hashes;
  Reconstruction output;
  const auto changed = [&] { return hashes.insert(output_sha256(output)).second; };
  EXPECT_TRUE(changed());
  output.cloud.points_m = {{1, 2, 3}};
  EXPECT_TRUE(changed());
  output.cloud.points_m[0].z() = std::nextafter(3, 4);
  EXPECT_TRUE(changed());
  output.cloud.normals = {{0, 0, -1}};
  EXPECT_TRUE(changed());
  output.cloud.confidence = {0.5F};
  EXPECT_TRUE(changed());
  output.mesh = TriangleMesh{};
  EXPECT_TRUE(changed());
  output.mesh->vertices_m = {{1, 2, 3}};
  EXPECT_TRUE(changed());
  output.mesh->triangles = {{0, 0, 0}};
  EXPECT_TRUE(changed());
  output.depth_maps = {{"cam0", 1, 1, {0.5F}, {}}};
  EXPECT_TRUE(changed());
  output.depth_maps[0].camera = "cam1";
  EXPECT_TRUE(changed());
  EXPECT_FALSE(changed()) << "the same values, the same hash";
}

TEST(FileNameOf, IsReadableAndNeverTheSameForTwoNames) {
  EXPECT_EQ(file_name_of("undulating/roma_like/seed=43"), "undulating__roma_like__seed=43");
  EXPECT_THAT(file_name_of("mesh:../a b.ply/roma_like/seed=43"),
              testing::MatchesRegex("_mesh_\\.\\.__a_b\\.ply__roma_like__seed=43-[0-9a-f]{8}"));
  EXPECT_THAT(file_name_of("../x").front(), '_');
  EXPECT_LT(file_name_of(std::string(5000, 'x')).size(), 200U);
  std::set<std::string> names;
  for (const char* name : {"a/b", "a__b", "a:b", "a b", "a_b", "a/b ", "a\xFF"})
    EXPECT_TRUE(names.insert(file_name_of(name)).second) << name;
}

}  // namespace
}  // namespace aqbench
