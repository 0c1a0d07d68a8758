#include "pipeline/workloads/synthetic_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "harness/measuring/libraries.h"
#include "harness/measuring/stage_recorder.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {
namespace {

// What each stage leaves alive, in bytes, counted from the tensors that it needs.
struct ExpectedNet {
  std::int64_t undistortion, sparse_matching, depth_estimation, extract_depth, fusion;
};
ExpectedNet expected_net(std::int64_t width, std::int64_t height, std::int64_t depths) {
  const std::int64_t plane = width * height * 4;
  return {2 * 4 * 3 * plane, 2000 * (2 * 4 + 256 * 4 + 2 * 8), (4 + depths + 1) * plane, plane, 4 * plane};
}

double in_mb(std::int64_t bytes) { return std::round(static_cast<double>(bytes) / 0x1p20 * 100) / 100; }

std::unique_ptr<WorkloadRun> small_run(std::uint64_t seed = 42) {
  const WorkloadSpec& spec = find_workload("synthetic_profile");
  WorkloadInput input;
  input.parameters = resolve_parameters(
      spec.name, spec.parameters,
      {{spec.name, "width", "256"}, {spec.name, "height", "144"}, {spec.name, "depths", "16"}});
  input.seed = seed;
  return spec.prepare(input);
}

TEST(SyntheticProfile, TheSizesOfItsTensorsGiveTheSeedsFigures) {
  const ExpectedNet net = expected_net(1920, 1080, 64);
  EXPECT_DOUBLE_EQ(in_mb(net.undistortion), 189.84);
  EXPECT_DOUBLE_EQ(in_mb(net.sparse_matching), 2.00);
  EXPECT_DOUBLE_EQ(in_mb(net.depth_estimation), 545.80);
  EXPECT_DOUBLE_EQ(in_mb(net.extract_depth), 7.91);
  EXPECT_DOUBLE_EQ(in_mb(net.fusion), 31.64);
}

TEST(SyntheticProfile, EachStageLeavesExactlyTheseTensors) {
  set_library_threads(2);
  const auto run = small_run();
  StageRecorder recorder({.tensor_memory = true});
  {
    const ScopedObserver observe(recorder);
    run->run_once();
  }
  recorder.finish_repetition();
  const ExpectedNet net = expected_net(256, 144, 16);
  std::map<std::string, std::int64_t> measured;
  for (const StageRecord& stage : recorder.stages()) measured[stage.name] = stage.net_bytes.value_or(-1);
  EXPECT_EQ(measured["undistortion"], net.undistortion);
  EXPECT_EQ(measured["sparse_matching"], net.sparse_matching);
  EXPECT_EQ(measured["depth_estimation"], net.depth_estimation);
  EXPECT_EQ(measured["extract_depth"], net.extract_depth);
  EXPECT_EQ(measured["fusion"], net.fusion);
}

TEST(SyntheticProfile, ItsIdentitiesHoldAndNoticeDamage) {
  const auto run = small_run();
  run->run_once();
  for (const Identity& identity : run->identities())
    EXPECT_TRUE(identity.holds()) << identity.name << " " << identity.measured;
  const std::string hash = run->output_sha256();
  run->run_once();
  EXPECT_EQ(run->output_sha256(), hash);
  set_library_threads(1);
  run->run_once();
  EXPECT_EQ(run->output_sha256(), hash) << "for any number of threads";
  set_library_threads(2);
  run->corrupt_output();
  const auto identities = run->identities();
  EXPECT_TRUE(std::ranges::any_of(identities, [](const Identity& identity) { return !identity.holds(); }));
}

}  // namespace
}  // namespace aqbench
