#pragma once
// From the request of `aqbench ab` to two sides that can be run.

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/ab/options.h"
#include "harness/ab/document.h"
#include "harness/ab/run.h"
#include "harness/ab/unit.h"

namespace aqbench::cli {

// Two sides that can be measured.
struct AbSides {
  AbUnitRunner runner;             // keeps all it needs alive
  std::vector<std::string> plans;  // SHA-256 of what A's and B's cases are
  // Of the units; `hidden` is to be filled in once there is a bundle. None for command lines, which are not
  // shut in.
  std::shared_ptr<UnitLimits> limits = {};
};

// Plans both sides, checks that they mean the same cases, and fills document.run, .a, .b, .notes and
// .samples.cases. Throws Error(not_comparable) where options, build type or sanitizers differ, Error(input)
// for a program that cannot be asked, Error(usage) where no case is left.
AbSides plan_ab_sides(const AbRequest& request, int cancel_descriptor, AbDocument& document);

// Returns a text that changes when the program is built again or replaced; empty
// for a program that is looked up in PATH.
std::string file_state_of(const std::string& binary);

// Returns the limits of a unit: those of the plan, and the descriptor that becomes readable on Ctrl-C.
UnitLimits ab_limits(const SweepPlan& plan, int cancel_descriptor);

// Returns a line for each thing that a comparison uses with the user's rights and that is no part of this
// program: the two programs or commands that it starts, or what the cases of both sides start and load; and
// the key that it signs with.
std::vector<std::string> commands_of(const AbRequest& request);

// Returns what a document says of a side. `label` is its path or variant.
AbSideInfo ab_side_info(const UnitProgram& program, const std::string& label);

// Returns the environment before the first unit.
Json ab_environment(const AbRequest& request);

// Returns the environment with the machine's load now, after the last unit.
Json with_load_after(Json environment);

// Keeps the cases whose name matches one of the patterns (all without patterns). Throws Error(usage) for a
// pattern that matches none.
void keep_matching(SweepPlan& plan, const std::vector<std::string>& globs);

}  // namespace aqbench::cli
