#pragma once
// Runs the method of a case while its stages and faults are observed.

#include <functional>
#include <optional>
#include <string>

#include "harness/records/case.h"
#include "harness/records/record.h"
#include "harness/running/case_board.h"
#include "pipeline/method/method.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Why the case cannot run here, if so.
std::optional<std::string> method_skip_reason(const Case& planned, const MethodSpec& method);

// Effective parameters of a case's method: defaults, preset, overrides.
Parameters method_parameters(const Case& planned, const MethodSpec& method);

// Calls `run` cold, then warm as the case's timing says (harness/running/measured_case.h), and fills times,
// stages, faults and the output's hash of the record. Gives the cold output, corrupted if a fault says so.
// What `run` throws goes on.
Reconstruction run_measured(const Case& planned, const std::function<Reconstruction()>& run, CaseBoard& board,
                            Record& record);

// A real method must give points, all of them finite: Error(method) if not.
void check_output(const Reconstruction& output);

// For a handler: status and one-line reason of the exception that is being handled; metrics are taken away.
void note_failure(Record& record);

}  // namespace aqbench
