#pragma once
// The options of `aqbench ab`, from text to plain data.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/ab/command_flags.h"
#include "cli/ab/metric_flags.h"
#include "cli/command_trust.h"
#include "cli/options.h"
#include "harness/ab/decision.h"
#include "harness/planning/plan.h"

namespace aqbench::cli {

// What was asked of `aqbench ab`.
struct AbRequest {
  std::set<std::string> given;  // flags of the command line

  // What is compared: two programs, or two values of one parameter of this program, or given samples.
  std::string binary_a, binary_b;
  AbCommandRequest commands;    // or two commands that are no aqbench
  AbMetricRequest metrics;      // metrics over seeds or runs, two methods, or two bundles
  std::optional<Axis> variant;  // with two values
  std::optional<std::filesystem::path> samples;
  bool calibrate = false;                           // this program against itself, and against itself delayed
  std::size_t live = 0;                             // comparisons of this program with itself; 0: not given
  std::optional<std::filesystem::path> resume;      // a bundle that was interrupted
  std::optional<std::filesystem::path> validation;  // --calibration: a bundle of --calibrate

  PlanRequest plan;                     // without faults and variant
  std::vector<Inject> injects;          // faults that are put into B on purpose
  std::vector<std::string> case_globs;  // of the planned cases; empty: all

  // How it is judged, as given; settings_of() makes the settings of it.
  struct Policy {
    std::string name;
    std::optional<double> tau, delta, alpha;  // shares
    std::optional<int> looks;
    std::uint64_t order_seed = 42;  // of the coins and of the bootstrap
    bool confirm = true;
    bool separately = false;
  } policy;
  AbSettings settings;
  std::optional<std::size_t> pairs;  // per look

  bool exec = false;              // start units anew instead of forking them
  bool different_builds = false;  // accept another build type or sanitizer
  bool allow_inconclusive = false;
  std::filesystem::path out;
  bool json = false;
  std::optional<std::filesystem::path> html;  // where its page is written
  std::optional<std::filesystem::path> sign;  // a private key
  CommandTrust trust;                         // given only with --resume

  // Returns whether this program is compared with itself, to know how far comparisons can be trusted here.
  bool validates() const { return calibrate || live > 0; }
};

// Returns the option table of `aqbench ab`.
CommandLine<AbRequest> ab_command_line();

// Checks what the flags mean together and works out the settings. Throws Error(usage) naming the flag.
void complete_ab_request(AbRequest& request);

}  // namespace aqbench::cli
