#pragma once
// Stages reported by a program: lines in the file named by AQBENCH_STAGES, or a file among its results
// (formats: docs/projects.md).

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/program_report.h"

namespace aqbench {

// The possible sources of a program's stages, and the time of its run (CLOCK_MONOTONIC).
struct StageSources {
  std::filesystem::path lines_file;  // of AQBENCH_STAGES; may be missing or empty
  std::filesystem::path file;        // stages or a Chrome trace, JSON; may be missing
  std::string file_name;             // name of `file` in errors
  std::int64_t start_ns = 0, end_ns = 0;
};

// The stages that were reported.
struct ReportedStages {
  std::vector<ProgramStage> stages;  // as in ProgramReport::stages
  std::string open;                  // the stage of the main thread that had not ended; empty: none
};

// Reads the stages: the lines or, if there are none, the file. Open stages end with the program. Throws
// Error(method) "FILE: line 3: problem" for an invalid file, for stages that overlap on one thread, lie
// outside the program's run or take longer than it.
ReportedStages read_program_stages(const StageSources& sources);

}  // namespace aqbench
