#pragma once
// The options of `aqbench ab`, from text to plain data.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "harness/ab/decision.h"
#include "harness/planning/plan.h"

namespace aqbench::cli {

struct AbRequest {
  // What is compared: two programs, or two values of one parameter of this program, or given samples.
  std::string binary_a, binary_b;
  std::optional<Axis> variant;  // with two values
  std::optional<std::filesystem::path> samples;
  bool calibrate = false;
  std::size_t live_runs = 0;                         // whole A/A comparisons; 0: none
  std::optional<std::filesystem::path> resume;       // a bundle that was interrupted
  std::optional<std::filesystem::path> calibration;  // a bundle of --calibrate

  PlanRequest plan;                     // without faults and variant
  std::vector<Inject> injects;          // into B
  std::vector<std::string> case_globs;  // of the planned cases; empty: all
  AbSettings settings;
  AbSettings live_settings;          // of --live
  std::optional<std::size_t> pairs;  // per look; of A/A for --calibrate
  std::size_t delayed_pairs = 160;   // per delayed stage, for --calibrate
  std::size_t suites = 2000;         // drawn by --calibrate
  std::uint64_t order_seed = 42;
  bool exec = false;              // start units anew instead of forking them
  bool different_builds = false;  // accept another build type or sanitizer
  bool allow_inconclusive = false;
  std::filesystem::path out = "out";
  bool out_given = false;
  bool json = false;
  std::optional<std::filesystem::path> sign;  // a private key
};

CommandLine ab_command_line();

// Throws Error(usage) naming the flag, and what the parsers of plan.h throw.
AbRequest read_ab_request(const po::variables_map& values);

}  // namespace aqbench::cli
