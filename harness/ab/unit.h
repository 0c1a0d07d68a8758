#pragma once
// One unit of a comparison: a fresh process that runs one case once cold and then warm, or a command several
// times. The former is either a fork of this process, or a program started anew: `BIN unit --request JSON
// --case NAME`, which prints JSON.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/processes/isolate.h"
#include "harness/ab/ab_command.h"
#include "harness/ab/benchmark_file.h"
#include "harness/ab/run.h"
#include "harness/measuring/build_info.h"
#include "harness/planning/plan.h"

namespace aqbench {

// The limits of a unit's process.
struct UnitLimits {
  IsolateOptions process;
  std::filesystem::path hidden = {};  // a folder that no method may reach: the comparison's bundle
};

// Returns the folder that whoever started this unit wants hidden from its method, and takes the variable that
// names it out of the environment, so that no program gets it; empty: none. A built-in method can still read
// it in /proc/self/environ: it is only the name of a place that it cannot reach.
std::filesystem::path take_hidden_folder();

// What a program says of itself: what it was built from, and the cases that it plans for a request.
struct UnitProgram {
  std::string sha256;  // of its file
  BuildInfo build;
  struct PlannedCase {
    std::string name;
    NamedValues options;

    template <class Row>
    static void members(const Row& row) {
      row("name", &PlannedCase::name);
      row("options", &PlannedCase::options);
    }
  };
  std::vector<PlannedCase> cases;

  template <class Row>
  static void members(const Row& row) {
    row("sha256", &UnitProgram::sha256);
    row.part(&UnitProgram::build);
    row("cases", &UnitProgram::cases);
  }
};

// Describes this program.
UnitProgram describe_this_program(const SweepPlan& plan);

// Asks `binary` to describe itself; without a slash it is looked up in PATH. Throws Error(input)
// "BINARY: ..." if it cannot be started, is no aqbench, is too old to know `unit`, or refuses the request;
// Error(interrupted).
UnitProgram describe_program(const std::string& binary, const PlanRequest& request, const UnitLimits& limits);

// Returns a unit that did not end well; `reason` is put on one line.
CaseResult failed_unit(Status status, std::string_view reason);

// Runs a unit as a fork of this process. Returns nullopt if it was cancelled; whatever else goes wrong stands
// in the unit's status and reason. With `score` its tiles are an artefact, where the case has any;
// keep_tiles() names them in the record.
std::optional<CaseResult> run_forked_unit(const Case& planned, bool score, const UnitLimits& limits);

// Runs a unit as a newly started program. Otherwise as run_forked_unit(), but without tiles.
std::optional<CaseResult> run_started_unit(const std::string& binary, const PlanRequest& request,
                                           const std::string& case_name, bool score,
                                           const UnitLimits& limits);

// Return what `aqbench unit --describe` and `aqbench unit` print.
Json unit_program_json(const UnitProgram& program);
Json unit_record_json(const Record& record);

// Returns what a unit keeps of the record of a case. Of each stage it takes the last samples, as many as
// there are warm runs, because the first sample is of the cold run. Where `wants_warm` is false the cold run
// suffices, as for metrics alone.
CaseResult unit_of(Record record, bool scored, bool wants_warm = true);

// How a unit runs its command.
struct CommandUnitPlan {
  int warmup = 0;  // runs that are thrown away
  int runs = 1;
  AbCommandRules rules;
  std::string benchmark = {};  // with rules.gbench: the one that is run; "": all
};

// What the process of a unit gave.
struct CommandAnswer {
  Record unit;  // with rules.gbench and no benchmark named its times are the process's
  std::vector<GbenchTimes> benchmarks = {};  // then all that it measured
  bool prints_gbench_report = false;         // without rules.gbench: its stdout is such a report
};

// Runs a unit: for each run prepares and runs. The unit has the
// wall times of the runs, as outcomes processor time and the largest resident size of one of its processes
// (never below this process's own), and the hash of stdout or of rules.compare_output, with the exit code
// where any is allowed. With rules.gbench it has the wall and CPU times per iteration of plan.benchmark
// instead, and no hash. A run that fails, or that did not write the file or measure the benchmark,
// fails the unit with a reason. Returns nullopt if it was cancelled.
std::optional<CommandAnswer> run_command_unit(const AbCommand& command, const CommandUnitPlan& plan,
                                              const UnitLimits& limits);

}  // namespace aqbench
