#pragma once
// One unit of a comparison: a fresh process that runs one case once cold and then warm. Either a fork of this
// process, or a program started anew: `BIN unit --request JSON --case NAME`, which prints JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/ab/run.h"
#include "harness/measuring/build_info.h"
#include "harness/planning/plan.h"

namespace aqbench {

inline constexpr int kUnitProtocol = 1;

struct UnitLimits {
  double timeout_s = 0;
  std::uint64_t memory_limit_bytes = 0;
  int cancel_descriptor = -1;
};

// A program that says what it is and which cases a request means to it.
struct UnitProgram {
  std::string sha256;  // of its file
  BuildInfo build;
  struct PlannedCase {
    std::string name;
    std::vector<std::pair<std::string, ParameterValue>> options;
  };
  std::vector<PlannedCase> cases;
};

// Of this program.
UnitProgram describe_this_program(const SweepPlan& plan);

// Asks `binary` (a path; looked up in PATH without a slash). Throws Error(input) "BINARY: ..." if it cannot
// be started, is no aqbench, is too old to know `unit`, or refuses the request; Error(interrupted).
UnitProgram describe_program(const std::string& binary, const PlanRequest& request, const UnitLimits& limits);

// A unit that did not end well; `reason` becomes one line.
AbUnitAnswer failed_unit(Status status, std::string_view reason);

// nullopt: cancelled. Whatever else goes wrong stands in the unit's status and reason.
std::optional<AbUnitAnswer> run_forked_unit(const Case& planned, bool score, const UnitLimits& limits);
std::optional<AbUnitAnswer> run_started_unit(const std::string& binary, const PlanRequest& request,
                                             const std::string& case_name, bool score,
                                             const UnitLimits& limits);

// What `aqbench unit` prints.
Json unit_program_json(const UnitProgram& program);
Json unit_record_json(const Record& record);

// The warm samples of a record: of each stage the last as many as there are warm runs, since the cold one
// comes first.
AbUnitAnswer unit_answer(const Record& record, bool scored);

}  // namespace aqbench
