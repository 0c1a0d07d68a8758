#pragma once
// Workloads: kernels timed alone, each with an identity that proves its output. To add one: write its
// WorkloadSpec in its own file, declare it below, add a row in registry.cc, add its test.

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"
#include "core/sha256.h"
#include "pipeline/opencl/opencl.h"

namespace aqbench {

// The input of a workload's preparation.
struct WorkloadInput {
  Parameters parameters;
  std::uint64_t seed = 42;
  std::string device = "cpu";  // "cuda", "opencl" or "opencl:N"
  int threads = 1;
};

// A property that the output must satisfy in every variant.
struct Identity {
  std::string name;      // "mean_intensity"
  double measured = 0;   // on the output of the last run
  double expected = 0;   // by formula or by an independent computation
  double tolerance = 0;  // absolute

  // Returns whether measured and expected differ by at most the tolerance; false where something is not
  // finite.
  bool holds() const;
};

// The work of one run, for throughput and the share of the roofline. 0: not counted.
struct WorkloadCost {
  double items = 0;  // in the unit of WorkloadSpec::throughput_unit x seconds: 1e6 pixels for "Mpx/s"
  double flops = 0;  // a fused multiply-add counts two
  double bytes = 0;  // least traffic to memory: inputs read once, outputs written once
  bool single_precision = false;
};

// The figure of batching workloads: the number of kernel calls in the last run, which falls as the batch
// grows.
inline constexpr std::string_view kKernelCalls = "kernel_calls";

// Another number about the last run: share of time per step, queue wait, ring depth.
struct WorkloadFigure {
  std::string name;  // with its unit: "read_ms", "overlap_share"
  double value = 0;
};

// Returns the figure kKernelCalls.
inline WorkloadFigure kernel_calls_figure(std::int64_t calls) {
  return {std::string(kKernelCalls), static_cast<double>(calls)};
}

// A prepared workload. Every function throws Error(method) on failure.
class WorkloadRun {
 public:
  virtual ~WorkloadRun() = default;

  // Does the timed part: all of the work, from the prepared inputs to the outputs. Allocates its outputs,
  // like a real program.
  virtual void run_once() = 0;

  // Returns the identities of the last run's outputs. Never timed.
  virtual std::vector<Identity> identities() = 0;

  // Returns the SHA-256 of the last run's outputs, equal for equal outputs.
  virtual std::string output_sha256() = 0;

  // Damages the last run's outputs, for --inject ...=corrupt; identities() must then fail.
  virtual void corrupt_output() = 0;

  // Returns the work of one run.
  virtual WorkloadCost cost() const = 0;
  // Returns other numbers about the last run.
  virtual std::vector<WorkloadFigure> figures() const { return {}; }
  // Returns one line about the last run ("I/O-bound: ..."), or "".
  virtual std::string verdict() const { return {}; }
};

// Makes the inputs from the seed. Throws Error(usage) naming a parameter.
using PrepareWorkload = std::unique_ptr<WorkloadRun> (*)(const WorkloadInput& input);

// Prepares a workload that is a class with this constructor.
template <class Run>
std::unique_ptr<WorkloadRun> make_run(const WorkloadInput& input) {
  return std::make_unique<Run>(input);
}

// A registered workload.
struct WorkloadSpec {
  std::string name;
  std::string summary;  // one line
  std::vector<ParameterSpec> parameters;
  std::string throughput_unit;      // "Mpx/s"
  std::string dtype = "float64";    // of the numbers that the output is computed from
  std::vector<std::string> stages;  // names of the StageScopes that a run opens, outermost first
  bool batches = false;             // has a parameter `batch` that changes how it works, not its result
  // The name of the identity that compares the output pixel by pixel with a reference. "": none.
  std::string pixel_identity = {};
  PrepareWorkload prepare = nullptr;
  // Returns why the workload cannot run here with these parameters, or "". May be null: it then runs wherever
  // the device exists.
  std::string (*skip_reason)(const WorkloadInput& input) = nullptr;
};

// Returns all workloads in listing order.
const std::vector<WorkloadSpec>& workload_registry();

// Finds a workload by name. Throws Error(usage) with similar names.
const WorkloadSpec& find_workload(std::string_view name);

// Return the workloads whose code is part of the program; each is in the file of its name.
WorkloadSpec absorption_workload();
WorkloadSpec tricubic_workload();

// Returns the parameter `variant` of numeric workloads: torch or fused (the default).
ParameterSpec variant_parameter();

// Returns the SHA-256 of the values in memory layout, little-endian.
template <class Value>
std::string sha256_of_values(const std::vector<Value>& values) {
  static_assert(std::endian::native == std::endian::little);
  return sha256_hex({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)});
}

struct AbsorptionProblem;  // pipeline/workloads/numeric.h
struct TricubicQueries;    // pipeline/workloads/numeric.h
struct BatchedFactors;     // pipeline/workloads/numeric.h

// Make the inputs of one workload each; called through the table.
std::unique_ptr<WorkloadRun> prepare_plane_sweep(const WorkloadInput& input);
std::unique_ptr<WorkloadRun> prepare_synthetic(const WorkloadInput& input);
std::unique_ptr<WorkloadRun> prepare_equirect_views(const WorkloadInput& input);
std::unique_ptr<WorkloadRun> prepare_equirect_pipeline(const WorkloadInput& input);

// The part of workloads that needs LibTorch or OpenCV: in the module `torch` (core/module.h).
struct WorkloadsTable {
  std::vector<double> (*absorption_torch)(const AbsorptionProblem& problem, const char* device);
  BatchedFactors (*tricubic_torch)(const std::vector<double>& grid, const TricubicQueries& queries,
                                   std::int64_t batch, const char* device);
  PrepareWorkload prepare_plane_sweep, prepare_synthetic, prepare_equirect_views, prepare_equirect_pipeline;
};

// Returns the table, loading the module if necessary. Throws Error(input) if the module is not installed.
const WorkloadsTable& workloads_table();

// Returns the parameters `memory` (pageable or pinned), `queues` (1 or 2) and `submission` (enqueued or
// recorded).
std::vector<ParameterSpec> device_parameters();

// Returns these parameters' values and the device.
opencl::JobOptions job_options(const WorkloadInput& input);

// Returns why the parameter `variant` or those above cannot run on the device, "" if they can: they need
// OpenCL, recorded calls a driver with command buffers. `doubles`: the kernel needs double precision.
std::string device_skip_reason(const WorkloadInput& input, bool doubles);

// Returns the figures of a job's last run: "kernel_ms", "copy_ms", "context_ms", "build_ms", "record_ms",
// kKernelCalls.
std::vector<WorkloadFigure> figures_of(const opencl::DeviceJob& job);

}  // namespace aqbench
