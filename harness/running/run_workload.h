#pragma once
// Runs a workload's case. Internal to harness/running/run_case.cc.

#include <optional>
#include <string>

#include "harness/running/case_board.h"
#include "harness/running/run_case.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {

// Its parameters, resolved. Throws Error(usage) naming one.
WorkloadInput workload_input(const Case& planned, const WorkloadSpec& spec);

// Throws Error(method) "invalid: ..." naming what does not hold of the last run's output. Each identity is
// added to `metrics`.
void prove_output(WorkloadRun& run, MetricSet& metrics);

// Why it cannot run here, if so.
std::optional<std::string> workload_skip_reason(const Case& planned);

// Prepares the inputs, calls it once cold, proves the output by its identities, then times warm runs. Throws
// Error(method) "invalid: ..." where an identity does not hold: no time is reported then.
void run_workload(const Case& planned, CaseBoard& board, CaseResult& result);

}  // namespace aqbench
