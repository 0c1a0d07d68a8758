#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "pipeline/opencl/opencl.h"
#include "tests/pipeline/opencl/device_here.h"
#include "tests/pipeline/workloads/run_workload.h"

namespace aqbench::opencl {
namespace {

TEST(OpenClTable, KnowsItsDevicesByTheirNames) {
  for (const char* name : {"opencl", "opencl:0", "opencl:12"}) EXPECT_TRUE(is_opencl(name)) << name;
  for (const char* name : {"cpu", "cuda", "", "opencl:", "opencl:x", "opencl:1x", "opencl0", "opencl:1234"})
    EXPECT_FALSE(is_opencl(name)) << name;
}

TEST(OpenClTable, ConstantsAreExact) {
  EXPECT_EQ(constant_text(0.5), "(0x1p-1)");
  EXPECT_EQ(constant_text(-3), "(-0x1.8p+1)");
  EXPECT_EQ(constant_text(0.1, true), "(0x1.99999ap-4f)");
}

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Given = std::vector<std::pair<std::string, std::string>>;

struct Kernel {
  std::string name, batch;
  Given small;
};

const Kernel kKernels[] = {
    {"absorption", "rows", {{"size", "96"}}},
    {"tricubic", "batch", {{"size", "64"}, {"outside_share", "0.1"}}},
    {"equirect_views", "batch", {{"width", "128"}, {"view", "24"}, {"frames", "9"}}},
};

WorkloadInput device_input(const Kernel& kernel, const Given& more = {}) {
  Given given = kernel.small;
  given.insert(given.end(), more.begin(), more.end());
  WorkloadInput input = test::input_of(kernel.name, given);
  input.device = "opencl";
  return input;
}

double figure_of(const WorkloadRun& run, const std::string& name) {
  for (const WorkloadFigure& figure : run.figures())
    if (figure.name == name) return figure.value;
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

class DeviceJobTest : public test::OnDevice {};

TEST_F(DeviceJobTest, EveryWayOfTheCallsGivesTheSameProvenOutput) {
  for (const Kernel& kernel : kKernels) {
    SCOPED_TRACE(kernel.name);
    if (kernel.name != "equirect_views" && !info.doubles) continue;
    std::string first;
    std::vector<Given> ways = {
        {}, {{"memory", "pinned"}}, {{"queues", "2"}}, {{"memory", "pinned"}, {"queues", "2"}}};
    if (info.command_buffers) {
      ways.push_back({{"submission", "recorded"}});
      ways.push_back({{"submission", "recorded"}, {"memory", "pinned"}, {"queues", "2"}});
    }
    for (const char* batch : {"1", "4", "8", "16", "64"}) ways.push_back({{kernel.batch, batch}});
    for (const Given& way : ways) {
      const WorkloadInput input = device_input(kernel, way);
      const WorkloadSpec& spec = find_workload(kernel.name);
      ASSERT_EQ(spec.skip_reason(input), "");
      const auto run = spec.prepare(input);
      run->run_once();
      if (first.empty()) {
        EXPECT_THAT(test::broken_identities(*run), IsEmpty());
        first = run->output_sha256();
      }
      EXPECT_EQ(run->output_sha256(), first);
      run->run_once();
      EXPECT_EQ(run->output_sha256(), first) << "again";
      EXPECT_GT(figure_of(*run, "kernel_ms"), 0);
      if (kernel.name == "equirect_views") {
        EXPECT_GT(figure_of(*run, "copy_ms"), 0);
      }
    }
  }
}

TEST_F(DeviceJobTest, EquirectGivesTheBytesOfTheProcessor) {
  const Kernel& kernel = kKernels[2];
  const auto there = find_workload(kernel.name).prepare(device_input(kernel));
  const auto here = test::prepared(kernel.name, kernel.small);
  there->run_once();
  here->run_once();
  EXPECT_EQ(there->output_sha256(), here->output_sha256());
  EXPECT_EQ(test::kernel_calls(*there), 3);
  there->corrupt_output();
  EXPECT_THAT(test::broken_identities(*there), Not(IsEmpty()));
}

TEST_F(DeviceJobTest, RecordingIsTimedApart) {
  if (!info.command_buffers || !info.doubles) GTEST_SKIP() << info.model << " has no command buffers";
  const auto run = find_workload("tricubic").prepare(device_input(kKernels[1], {{"submission", "recorded"}}));
  run->run_once();
  EXPECT_GT(figure_of(*run, "record_ms"), 0);
  EXPECT_GT(figure_of(*run, "context_ms"), 0);
}

TEST_F(DeviceJobTest, BuffersAreReportedAndGivenBack) {
  static std::int64_t bytes, peak;
  bytes = peak = 0;
  opencl::table().report_memory_to([](const void*, std::int64_t change) {
    bytes += change;
    peak = std::max(peak, bytes);
  });
  {
    const auto run = find_workload("equirect_views").prepare(device_input(kKernels[2]));
    run->run_once();
    // Frames, taps and views.
    EXPECT_EQ(bytes, 9 * 3 * 128 * 64 + 8 * 24 * 24 * (20 + 9 * 3));
    const double busy_ms = opencl::table().busy_ms();
    run->run_once();
    EXPECT_NEAR(opencl::table().busy_ms() - busy_ms,
                figure_of(*run, "kernel_ms") + figure_of(*run, "copy_ms"), 1e-6);
  }
  EXPECT_EQ(bytes, 0);
  opencl::table().report_memory_to(nullptr);
}

TEST_F(DeviceJobTest, WhatADeviceDoesNotHaveIsSkippedWithTheReason) {
  const auto reason = [&](const Kernel& kernel, const Given& more, const std::string& device) {
    WorkloadInput input = device_input(kernel, more);
    input.device = device;
    return find_workload(kernel.name).skip_reason(input);
  };
  EXPECT_THAT(reason(kKernels[0], {{"variant", "torch"}}, "opencl"), HasSubstr("only fused has"));
  EXPECT_THAT(reason(kKernels[0], {}, "opencl:99"), HasSubstr("no OpenCL device 'opencl:99'"));
  EXPECT_THAT(reason(kKernels[2], {{"grid", "rebuilt"}}, "opencl"), HasSubstr("grid rebuilt"));
  for (const Given& way :
       {Given{{"memory", "pinned"}}, Given{{"queues", "2"}}, Given{{"submission", "recorded"}}})
    EXPECT_THAT(reason(kKernels[1], way, "cpu"), HasSubstr("need an OpenCL device"));
  WorkloadInput files = test::input_of("equirect_pipeline", {});
  files.device = "opencl";
  EXPECT_THAT(find_workload("equirect_pipeline").skip_reason(files), HasSubstr("has no code for OpenCL"));
}

TEST_F(DeviceJobTest, PlaneSweepIsProvedAgainstTheReferenceKernel) {
  WorkloadInput input =
      test::input_of("plane_sweep", {{"width", "160"}, {"height", "120"}, {"depths", "32"}});
  input.device = "opencl";
  EXPECT_EQ(find_workload("plane_sweep").skip_reason(input), "");
  const auto run = find_workload("plane_sweep").prepare(input);
  run->run_once();
  EXPECT_THAT(test::broken_identities(*run), IsEmpty());
  EXPECT_GT(figure_of(*run, "device_ms"), 0);
  run->corrupt_output();
  EXPECT_THAT(test::broken_identities(*run), Not(IsEmpty()));
}

TEST_F(DeviceJobTest, DevicesDescribeThemselves) {
  EXPECT_EQ(info.name, "opencl:0");
  EXPECT_THAT(info.model, Not(IsEmpty()));
  EXPECT_THAT(info.driver, Not(IsEmpty()));
  EXPECT_THAT(info.compiler, HasSubstr("OpenCL"));
  EXPECT_GT(info.memory_bytes, 0U);
}

}  // namespace

}  // namespace aqbench::opencl
