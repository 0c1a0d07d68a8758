#pragma once
// Stages that a program tells of itself: lines in the file that AQBENCH_STAGES names, or a file among its
// results (formats: docs/projects.md).

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/program_report.h"

namespace aqbench {

// Where a program may have told its stages, and when it ran (CLOCK_MONOTONIC).
struct StageSources {
  std::filesystem::path lines_file;  // of AQBENCH_STAGES; missing or empty: nothing was told there
  std::filesystem::path file;        // stages or a Chrome trace, JSON; missing: nothing was told there
  std::string file_name;             // what errors call `file`
  std::int64_t start_ns = 0, end_ns = 0;
};

// What was told.
struct ToldStages {
  std::vector<ProgramStage> stages;  // as ProgramReport::stages
  std::string open;                  // the stage of the main thread that had not ended; empty: none
};

// Reads the stages: the lines, and where there are none the file. Those that are still open end with the
// program. Throws Error(method) "FILE: line 3: what" for a file that does not follow its format, for stages
// that overlap on one thread, that lie outside of the program's run or take longer than it.
ToldStages read_program_stages(const StageSources& sources);

}  // namespace aqbench
