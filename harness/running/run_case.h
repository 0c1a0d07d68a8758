#pragma once
// Runs one case, of a method or a workload, in the child process forked for it.

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/running/case_process.h"
#include "harness/scoring/score_case.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {

// Runs a case of a method: makes the scene and, for a real method, its images (dataset_ms), runs the method
// (the first call of this process: cold_ms; then warm according to the case's timing) and scores the result.
// Runs a case of a workload: verifies and times it. Never throws for errors of a method: they make a failed
// record with a one-line reason, as do missing or non-finite points of a real method. A case that cannot run
// here is skipped. The board records stages and faults as they happen.
CaseResult run_case(const Case& planned, CaseBoard& board);

// Runs a case like run_case() and keeps these files.
CaseResult run_case_keeping(const Case& planned, CaseBoard& board, const KeptFiles& kept);

// Runs a case like run_case() without scoring a method's output: for callers that need its hash, or the
// output itself in KeptFiles::output_dir.
CaseResult run_case_unscored(const Case& planned, CaseBoard& board,
                             const std::filesystem::path& output_dir = {});

// Loads exactly the modules (core/module.h) that these cases need. A parent does so before it forks, so that
// its children have them at once; loading starts no threads. Throws Error(input) if one is not installed.
void load_modules_of(std::span<const Case> cases);

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
