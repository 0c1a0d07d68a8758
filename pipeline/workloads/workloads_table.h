#pragma once
// The part of workloads that needs LibTorch or OpenCV: in the module `pipeline` (core/module.h).

#include <memory>
#include <vector>

#include "pipeline/workloads/workload.h"

namespace aqbench {

struct AbsorptionProblem;  // pipeline/workloads/absorption.h
struct TricubicQueries;    // pipeline/workloads/tricubic.h
struct BatchedFactors;     // pipeline/workloads/tricubic.h

// Make the inputs of one workload each; called through the table.
std::unique_ptr<WorkloadRun> prepare_plane_sweep(const WorkloadInput& input);
std::unique_ptr<WorkloadRun> prepare_synthetic(const WorkloadInput& input);
std::unique_ptr<WorkloadRun> prepare_equirect_views(const WorkloadInput& input);
std::unique_ptr<WorkloadRun> prepare_equirect_pipeline(const WorkloadInput& input);

// The module's functions.
struct WorkloadsTable {
  std::vector<double> (*absorption_torch)(const AbsorptionProblem& problem, const char* device);
  BatchedFactors (*tricubic_torch)(const std::vector<double>& grid, const TricubicQueries& queries,
                                   std::int64_t batch, const char* device);
  std::unique_ptr<WorkloadRun> (*prepare_plane_sweep)(const WorkloadInput& input);
  std::unique_ptr<WorkloadRun> (*prepare_synthetic)(const WorkloadInput& input);
  std::unique_ptr<WorkloadRun> (*prepare_equirect_views)(const WorkloadInput& input);
  std::unique_ptr<WorkloadRun> (*prepare_equirect_pipeline)(const WorkloadInput& input);
};

// Returns the table, loading the module if necessary. Throws Error(input) if the module is not installed.
const WorkloadsTable& workloads_table();

}  // namespace aqbench
