#pragma once
// What `aqbench ab` is asked for, and how it is read from the command line.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/gate_exports.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "harness/ab/ab_command.h"
#include "harness/ab/deciding_time.h"
#include "harness/ab/decision.h"
#include "harness/ab/samples.h"
#include "harness/planning/plan.h"

namespace aqbench::cli {

// Two commands that are compared instead of cases. Arrays are indexed by side: A, B.
struct AbCommandRequest {
  std::array<AbCommand, 2> sides;  // their folders as given; "": here
  std::array<std::string, 2> labels;
  AbCommandRules rules;
  bool outputs_may_differ = false;

  // Returns whether commands are compared.
  bool given() const { return !sides[0].line.empty() || !sides[1].line.empty(); }
};

// Metrics that are compared over seeds or runs.
struct AbMetricRequest {
  std::vector<std::string> names, margins;  // a margin is "5%", "0.1" or "NAME=5%"
  std::array<std::string, 2> methods;       // of A and B; "" where both run the same
  std::array<std::string, 2> bundles;       // finished sweeps in place of runs
  std::string paired_over = "seeds";        // or "runs"

  // Returns whether two finished bundles are compared.
  bool of_bundles() const { return !bundles[0].empty() || !bundles[1].empty(); }
};

// What was asked of `aqbench ab`.
struct AbRequest {
  GivenValues given;  // flags of the command line

  // What is compared: two programs, or two values of one parameter of this program, or given samples.
  std::string binary_a, binary_b;
  AbCommandRequest commands;    // or two commands that are no aqbench
  AbMetricRequest metrics;      // metrics over seeds or runs, two methods, or two bundles
  std::optional<Axis> variant;  // with two or more values: A has the first, B the others
  std::optional<std::filesystem::path> samples, samples_b;  // the latter of files of other tools
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
  DecideBy decide_by = DecideBy::automatic;
  std::optional<std::size_t> pairs;  // per look

  bool exec = false;              // start units anew instead of forking them
  bool different_builds = false;  // accept another build type or sanitizer
  bool allow_inconclusive = false;
  std::filesystem::path out;
  bool json = false, no_report = false;
  std::optional<std::filesystem::path> html;  // where its page is written
  GateExports exports;
  CommandTrust trust;  // given only with --resume

  // Returns whether this program is compared with itself, to know how far comparisons can be trusted here.
  bool validates() const { return calibrate || live > 0; }
  // Whether it judges what was measured before, so that nothing can go on.
  bool judges_recorded() const { return samples || metrics.of_bundles(); }
};

// Returns the option table of `aqbench ab`, the one place of its flags.
CommandLine<AbRequest> ab_command_line();

// Checks what the flags mean together and works out the settings. Throws Error(usage) naming the flag.
void complete_ab_request(AbRequest& request);

// Returns the metrics with unit, direction and margin, 5 % where none is given. Throws Error(usage) for a
// metric that the registry does not have or that has no ideal, and for a margin that cannot be read, is not
// above 0, is of a metric that was not named, or is given in % for a metric that should be near its ideal.
std::vector<AbOutcome> metric_outcomes(const AbMetricRequest& request);

// Returns a line for each command that a comparison of two commands runs with the user's rights: "A: LINE",
// "A is prepared by: ...", and where and with which environment it runs.
std::vector<std::string> command_lines_of(const AbCommandRequest& request);

}  // namespace aqbench::cli
