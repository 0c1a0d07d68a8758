#pragma once
// Runs the method of a case with its stages observed and faults injected.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "harness/records/case.h"
#include "harness/records/record.h"
#include "harness/running/case_process.h"
#include "pipeline/method/method.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns why the method's case cannot run here; nullopt: it can.
std::optional<std::string> method_skip_reason(const Case& planned, const MethodSpec& method);

// Returns the effective parameters of a case's method: defaults, preset, overrides. Throws Error(usage)
// naming a parameter.
Parameters method_parameters(const Case& planned, const MethodSpec& method);

// Returns a case's method input beside its observation or truth. Throws like method_parameters().
MethodInput method_input(const Case& planned, const MethodSpec& method,
                         const std::filesystem::path& work_dir);

// Calls `run` cold, then warm according to the case's timing (harness/running/measured_case.h), and fills
// times, stages, faults and the output's hash of the record, with that of the files that protocols score
// (kProtocolFilesFolder) in `work_dir`, which may be empty. Returns the cold output, corrupted if a fault
// says so. Throws the errors of `run`, InvalidOutput if a warm run's output differs.
Reconstruction run_measured(const Case& planned, const std::function<Reconstruction()>& run, CaseBoard& board,
                            Record& record, const std::filesystem::path& work_dir = {});

// Throws Error(method) unless a real method's output has points, all of them finite.
void check_output(const Reconstruction& output);

// Sets status and one-line reason from the exception being handled, and removes the metrics. Call it in a
// catch block.
void note_failure(Record& record);

// Hashes what makes the method of a case what it is, if that is a program or model of the user, and asks git
// about its project; nullopt for aqbench's own methods and workloads. Call it before the method runs. A
// folder has the hash of the lines "PATH SHA256" of its files, by name. Throws Error(io) for a file that
// cannot be read, Error(method) for an image without a digest.
std::optional<Guest> guest_of(const Case& planned);

// Does the same without asking git. A file that has been hashed is hashed again once its size, its times or
// its place on the disk are others.
std::optional<Guest> program_of(const Case& planned);

// Throws Error(not_comparable) if the record has a guest and the case's program is another one by now.
void require_unchanged_guest(const Case& planned, const Record& record);

// Does the same as guest_of() of a case for a method and its input.
std::optional<Guest> guest_of(const MethodSpec& method, const MethodInput& input);

}  // namespace aqbench
