#pragma once
// Runs a workload's case.

#include <optional>
#include <string>

#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/running/case_board.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {

// Returns the workload's input with its parameters resolved. Throws Error(usage) naming a parameter.
WorkloadInput workload_input(const Case& planned, const WorkloadSpec& spec);

// Checks the identities of the last run's output and adds each to `metrics`. Throws InvalidOutput naming the
// failed ones.
void prove_output(WorkloadRun& run, MetricSet& metrics);

// Returns why the workload cannot run here; nullopt: it can.
std::optional<std::string> workload_skip_reason(const Case& planned);

// Prepares the inputs, calls the workload once cold, verifies the output by its identities, then times warm
// runs. Throws InvalidOutput if an identity fails; no time is reported then.
void run_workload(const Case& planned, CaseBoard& board, CaseResult& result);

}  // namespace aqbench
