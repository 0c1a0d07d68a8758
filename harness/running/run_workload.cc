#include "harness/running/run_workload.h"

#include <fmt/format.h>

#include <memory>

#include "core/parallel.h"
#include "harness/measuring/library_threads.h"
#include "harness/measuring/opencl_device.h"
#include "harness/measuring/roofline.h"
#include "harness/measuring/timing.h"
#include "harness/running/measured_case.h"
#include "pipeline/opencl/opencl.h"

namespace aqbench {
namespace {

void fill_rates(const Case& planned, const WorkloadSpec& spec, const WorkloadRun& run, Timing& timing) {
  for (const WorkloadFigure& figure : run.figures()) timing.figures.emplace_back(figure.name, figure.value);
  timing.verdict = run.verdict();
  const auto typical = typical_ms(timing);
  if (!typical || *typical <= 0) return;
  const WorkloadCost cost = run.cost();
  if (cost.items > 0) {
    timing.throughput = cost.items / (1e-3 * *typical);
    timing.throughput_unit = spec.throughput_unit;
  }
  if (cost.flops <= 0 || planned.device != "cpu") return;  // the roofline is the processor's
  add_roofline(measure_roofline(planned.threads), cost.flops, cost.bytes, cost.single_precision,
               timing.figures);
  fill_roofline_share(*typical, timing.figures);
}

}  // namespace

WorkloadInput workload_input(const Case& planned, const WorkloadSpec& spec) {
  WorkloadInput input;
  input.parameters = resolve_parameters(spec.name, spec.parameters, planned.overrides);
  input.seed = planned.seed;
  input.device = planned.device;
  input.threads = planned.threads;
  return input;
}

void prove_output(WorkloadRun& run, MetricSet& metrics) {
  std::string broken;
  for (const Identity& identity : run.identities()) {
    metrics.emplace_back(identity.name, Metric{identity.measured, "1", Better::equal, ""});
    if (identity.holds()) continue;
    broken += fmt::format("{}{} is {:.9g}, not {:.9g} +- {:.2g}", broken.empty() ? "" : "; ", identity.name,
                          identity.measured, identity.expected, identity.tolerance);
  }
  if (!broken.empty()) throw InvalidOutput(broken);
}

std::optional<std::string> workload_skip_reason(const Case& planned) {
  set_thread_count(planned.threads);  // drivers start threads when they are asked for devices
  const WorkloadSpec& spec = find_workload(planned.workload);
  if (planned.device == "cuda" && !cuda_device_available()) return std::string("no CUDA device is available");
  if (opencl::is_opencl(planned.device))
    if (auto problem = opencl_device_problem(planned.device)) return problem;
  if (spec.skip_reason == nullptr) return std::nullopt;
  const std::string reason = spec.skip_reason(workload_input(planned, spec));
  return reason.empty() ? std::nullopt : std::optional(reason);
}

void run_workload(const Case& planned, CaseBoard& board, CaseResult& result) {
  set_thread_count(planned.threads);
  set_library_threads(planned.threads);
  const WorkloadSpec& spec = find_workload(planned.workload);
  const std::unique_ptr<WorkloadRun> run = spec.prepare(workload_input(planned, spec));

  Record& record = result.record;
  MeasuredCase measured(planned, board, record);
  measured.run_cold([&] { run->run_once(); });
  if (measured.corrupts_output()) run->corrupt_output();
  prove_output(*run, record.metrics);
  record.output_sha256 = run->output_sha256();
  measured.run_warm({[&] { run->run_once(); }, [&] { return run->output_sha256(); }});
  fill_rates(planned, spec, *run, record.timing);
  record.status = Status::ok;
}

}  // namespace aqbench
