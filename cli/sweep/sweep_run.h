#pragma once
// A sweep from its plan to its verified bundle: of `sweep`, of `collect`, and of other commands with a plan.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/bundle_run.h"
#include "cli/command.h"
#include "cli/gate_exports.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/sweep/sharing.h"
#include "core/error.h"
#include "core/json.h"
#include "harness/planning/plan.h"
#include "harness/scoring/score_case.h"
#include "harness/sharing/shared_sweep.h"

namespace aqbench::cli {

// What a sweep is asked for.
struct SweepRequest {
  GivenValues given;  // flags of the command line
  PlanRequest plan;
  std::string command = "sweep";                   // as it is recorded
  std::optional<std::filesystem::path> bundle;     // the folder of a new bundle, in place of one in `out`
  std::optional<std::filesystem::path> plan_file;  // written, and nothing runs
  std::optional<std::filesystem::path> resume;     // a bundle; `plan` is then the one it was started with
  std::filesystem::path out = "out";
  std::optional<std::filesystem::path> baseline;
  bool gate = false;
  GateExports gate_exports;  // given only with a baseline
  Strings notes;
  std::optional<std::filesystem::path> tests_of;  // a build folder whose tests are listed and run
  KeptFiles kept;
  bool keeps_output = false;              // the only case's, as KeptFiles::output_dir, in the bundle
  const FoundCases* collected = nullptr;  // results of all cases; nothing runs
  KeepWork keep_work = KeepWork::none;    // beside the bundle
  CommandTrust trust;                     // given only with --resume
  ShareRequest share;
  std::optional<LocalWorkers> workers;  // of share.local
  bool no_report = false, dry_run = false;
  bool json = false;
  bool quiet = false;  // prints no table: the command shows results of its own
};

// Returns the rows of the flags that decide what is done with the results.
std::vector<Flag<SweepRequest>> conclusion_flags();

// Returns the rows of the flags that decide which files of a case are kept.
std::vector<Flag<KeptFiles>> kept_files_flags();

// Reads a plan file and plans its cases once more, with the project of --project where it is given.
SweepPlan read_plan(const std::filesystem::path& file,
                    const std::optional<std::filesystem::path>& project_file);

// Completes the baseline: that of the resumed bundle, or the gate of the project's suite. Throws
// Error(usage).
void complete_gate(SweepRequest& request, const std::string& suite);

// Begins the bundle of a plan, or opens the resumed one.
BundleRun open_bundle(const SweepRequest& request, const SweepPlan& plan, const Json& environment,
                      const Arguments& arguments);

// Runs the cases of the plan, or takes those that were collected, writes the bundle and prints the table.
// `arguments`, those of the command, are recorded.
ExitCode run_planned(const SweepRequest& request, SweepPlan plan, const Arguments& arguments);

// Plans and runs the cases of request.plan in the same way, for a command of another name.
ExitCode sweep_plan(const SweepRequest& request, const Arguments& arguments);

}  // namespace aqbench::cli
