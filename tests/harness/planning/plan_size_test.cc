#include "harness/planning/plan_size.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/json.h"
#include "harness/records/results.h"
#include "tests/harness/planning/plan_support.h"

namespace aqbench {
namespace {

using test::error_of;
using testing::HasSubstr;

// The committed bundles, whose results.json is what it is: simulated methods, methods on images, workloads
// timed in several processes.
TEST(EstimateResultsBytes, IsTheRealSizeOrUpToTwiceOfIt) {
  for (const char* name : {"seed", "pipeline", "batching"}) {
    const std::filesystem::path file =
        std::filesystem::path(AQBENCH_SOURCE_DIR) / "docs" / "bundles" / name / "results.json";
    const Json results = read_strict_json(file);
    const SweepPlan plan = plan_sweep(request_from_json(results.at("run").at("requested"), name));
    ASSERT_EQ(plan.cases.size(), results.at("records").size()) << name;
    const auto bytes = static_cast<double>(regular_file_size(file));
    EXPECT_GE(static_cast<double>(estimate_results_bytes(plan)), bytes) << name;
    EXPECT_LE(static_cast<double>(estimate_results_bytes(plan)), 2 * bytes) << name;
  }
}

TEST(RequireRecordsFit, RefusesWhatCouldNotBeReadAgain) {
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"lightglue_like"};
  request.repeat = 20;
  SweepPlan plan = plan_sweep(request);
  require_records_fit(plan);
  const Case one = plan.cases.front();
  plan.cases.assign(kMaxCases, one);
  require_records_fit(plan);
  plan.cases.assign(2 * kMaxCases, one);
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { require_records_fit(plan); }),
              HasSubstr("the records of these 200000 cases would take about "));
  plan.cases.assign(1, one);
  plan.cases.front().timing = {.repetitions = 10'000'000};
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { require_records_fit(plan); }), HasSubstr("MiB"));
}

// A sweep that was let through can be read even if its records come out twice as large as estimated.
TEST(RequireRecordsFit, LeavesRoomForReaders) {
  EXPECT_GE(kMaxResultsFileBytes, 2 * kMaxPlannedResultsBytes);
  EXPECT_GE(kResultsJson.max_values, kResultsJson.max_bytes / 16)
      << "a value takes a line of 16 bytes or more";
}

}  // namespace
}  // namespace aqbench
