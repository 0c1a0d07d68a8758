#pragma once
// From the request of `aqbench ab` to two sides that can be run, and the parts of the command that run them.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/ab/options.h"
#include "harness/ab/document.h"
#include "harness/ab/run.h"
#include "harness/ab/unit.h"
#include "harness/records/case_result.h"

namespace aqbench::cli {

// Two sides that can be measured.
struct AbSides {
  AbUnitRunner runner;             // keeps all it needs alive
  std::vector<std::string> plans;  // SHA-256 of what A's and B's cases are
  std::shared_ptr<UnitLimits> limits =
      {};  // `hidden` is filled in once there is a bundle; none for command lines
};

// Returns "to settle it: aqbench ab ... (about 5:00, ...)": the comparison without --quick, with at least so
// many pairs in each look.
using Settling = std::function<std::string(std::size_t pairs)>;

// Plans both sides, checks that they mean the same cases, and fills document.run, .a, .b, .notes and
// .samples.cases. Throws Error(not_comparable) where options, build type or sanitizers differ, Error(input)
// for a program that cannot be asked, Error(usage) where no case is left.
AbSides plan_ab_sides(const AbRequest& request, int cancel_descriptor, AbDocument& document);

// Does the same for --cmd-a and --cmd-b: tries both commands, plans runs and pairs by the time that they took
// (a resumed comparison takes its plan from journal.jsonl), says on stderr how long it will take, and fills
// document.run, .settings, .a, .b and .samples.cases; `settle` gets settling(). Commands whose
// outputs differ get one pair. Throws Error(input) for a command that fails or does not exist, QuickEnd where
// --quick has no time for one run.
AbSides plan_command_sides(const AbRequest& request, const Arguments& arguments, int cancel_descriptor,
                           AbDocument& document, Settling& settle);

// Does the same for --calibrate and --live (AbValidation): plans the comparisons of one case, and
// fills document.run, .a, .b and .samples.cases. Throws Error(usage) where not exactly one case is chosen.
AbSides plan_validation(const AbRequest& request, int cancel_descriptor, AbDocument& document);

// Takes from a bundle of --calibrate what it says of this machine: a note, and the tau of its case if that
// runs here with the same options, threads and number of warm runs (else a note says what differs).
// document.environment, .run and .samples.cases must be filled. Throws Error(verification) if the bundle does
// not verify, Error(not_comparable) naming what differs if it is of another machine.
void apply_validation(const std::filesystem::path& bundle, const PlanRequest& request, AbDocument& document);

// Returns what was measured before as a comparison. Throws Error(usage), Error(input).
// - --bundle-a, --bundle-b: their cases paired by seed, in the order of A's, or all scenes of a method as
//   one case; of one bundle its methods against that of --method-a. Times of sweeps were not
//   measured in pairs and are not judged. Throws as read_gate_input(), Error(not_comparable) where B has
//   no case of A's, other seeds, or a case with other options than its method's, Error(usage) for one
//   bundle twice.
// - --samples (A), --samples-b (B) of another tool (benchmark_file.h): two folders with as many files each
//   are pairs in the order of their names, a unit being a file; of two files the repetitions are the
//   units. One file of hyperfine with two commands needs no B. Benchmarks that one side lacks are noted.
// - Any other --samples is a file of units (ab_samples_from_lists()).
AbDocument recorded_document(const AbRequest& request);

// Does it for --bundle-a.
AbDocument document_of_bundles(const AbRequest& request);

// Puts the values of the wanted metrics into the unit as its outcomes, and removes its metrics.
void take_metrics(const std::vector<AbOutcome>& outcomes, Record& unit);

// Returns a text that changes when the program is built again or replaced; "" for one that is looked up in
// PATH.
std::string file_state_of(const std::string& binary);

// Returns the limits of a unit; `cancel_descriptor` becomes readable on Ctrl-C.
UnitLimits ab_limits(double timeout_s, std::uint64_t memory_limit_bytes, int cancel_descriptor);

// Returns a line for each thing that a comparison uses with the user's rights: the programs or commands that
// it starts, or what the cases of both sides start and load.
std::vector<std::string> commands_of(const AbRequest& request);

// Returns the environment of the units, without the machine's load.
Json ab_environment(const AbRequest& request);

// Keeps the cases whose name matches one of the patterns (all without patterns). Throws Error(usage) for a
// pattern that matches none.
void keep_matching(SweepPlan& plan, const std::vector<std::string>& globs);

// Returns what an interrupted comparison was begun with. Throws as read_journal(), and Error(input) for a
// sweep.
JournalHeader ab_header(const std::filesystem::path& bundle);

}  // namespace aqbench::cli
