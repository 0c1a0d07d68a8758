#pragma once
// The options of `aqbench sweep`, from text to plain data.

#include <filesystem>
#include <optional>
#include <string>

#include "cli/gate_exports.h"
#include "cli/options.h"
#include "harness/planning/plan.h"

namespace aqbench::cli {

struct SweepRequest {
  PlanRequest plan;
  std::optional<std::filesystem::path> resume;  // a bundle; `plan` is then the one it was started with
  std::filesystem::path out = "out";
  std::optional<std::filesystem::path> baseline;
  bool gate = false;
  GateExports gate_exports;  // need a baseline
  Strings notes;
  std::optional<std::filesystem::path> tests_of;  // a build folder whose tests are listed and run
  std::optional<std::filesystem::path> sign;      // a private key, PEM
  bool keep_clouds = false;
  bool pictures = true;  // of depth maps
  bool dry_run = false;
  bool json = false;
};

CommandLine sweep_command_line();

// Throws Error(usage) naming the flag, and what the parsers of plan.h throw.
SweepRequest read_sweep_request(const po::variables_map& values);

}  // namespace aqbench::cli
