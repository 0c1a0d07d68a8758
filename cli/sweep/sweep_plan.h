#pragma once
// A sweep of a plan that another command made.

#include <filesystem>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/programs.h"
#include "core/error.h"
#include "harness/planning/plan_request.h"

namespace aqbench::cli {

struct PlanSweep {
  std::string command;  // "eval", "run"
  PlanRequest plan;
  std::optional<std::filesystem::path> bundle;  // a folder, new or empty; none: a new one in out/
  std::optional<std::filesystem::path> baseline = {};
  bool gate = false;          // the comparison with the baseline decides the exit code
  bool json = false;          // prints results.json instead of the table
  bool keeps_output = false;  // the only case's, as KeptFiles::output_dir, in the bundle
  KeepWork keep_work = KeepWork::none;
};

// Runs the cases of the plan, writes the bundle and prints the table, as `aqbench sweep` does, which resumes
// it. `arguments`, those of the command, are recorded.
ExitCode sweep_plan(const PlanSweep& sweep, const Arguments& arguments);

}  // namespace aqbench::cli
