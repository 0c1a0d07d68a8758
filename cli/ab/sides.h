#pragma once
// From the request of `aqbench ab` to two sides that can be run, and the parts of the command that run them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/ab/options.h"
#include "core/stopwatch.h"
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

// Plans both sides, checks that they mean the same cases, and fills document.run, .a, .b, .notes and
// .samples.cases. Throws Error(not_comparable) where options, build type or sanitizers differ, Error(input)
// for a program that cannot be asked, Error(usage) where no case is left.
AbSides plan_ab_sides(const AbRequest& request, int cancel_descriptor, AbDocument& document);

// Does the same for --cmd-a and --cmd-b: tries both commands, plans runs and pairs by the time that they took
// (a resumed comparison takes its plan from journal.jsonl), says on stderr how long it will take, and fills
// document.run, .settings, .a, .b and .samples.cases; `settle` gets settling_command(). Commands whose
// outputs differ get one pair. Throws Error(input) for a command that fails or does not exist, QuickEnd where
// --quick has no time for one run.
AbSides plan_command_sides(const AbRequest& request, const Arguments& arguments, int cancel_descriptor,
                           AbDocument& document, std::string& settle);

// Does the same for --calibrate and --live (AbValidation): plans the comparisons of one case, and
// fills document.run, .a, .b and .samples.cases. Throws Error(usage) where not exactly one case is chosen.
AbSides plan_validation(const AbRequest& request, int cancel_descriptor, AbDocument& document);

// Takes from a bundle of --calibrate what it says of this machine: a note, and the tau of its case if that
// runs here with the same options, threads and number of warm runs (else a note says what differs).
// document.environment, .run and .samples.cases must be filled. Throws Error(verification) if the bundle does
// not verify, Error(not_comparable) naming what differs if it is of another machine.
void apply_validation(const std::filesystem::path& bundle, const PlanRequest& request, AbDocument& document);

// Returns what was measured before as a comparison. Throws Error(usage), Error(input).
// - --bundle-a, --bundle-b: their cases paired by seed, in the order of A's. Times of sweeps were not
//   measured in pairs and are not judged. Throws as read_gate_input(), Error(not_comparable) where B has
//   no case of A's, other seeds, or a case with other options than its method's, Error(usage) for one
//   bundle twice.
// - --samples (A), --samples-b (B) of another tool (benchmark_file.h): two folders with as many files each
//   are pairs in the order of their names, a unit being a file; of two files the repetitions are the
//   units. One file of hyperfine with two commands needs no B. Benchmarks that one side lacks are noted.
// - Any other --samples is a file of units (ab_samples_from_lists()).
AbDocument recorded_document(const AbRequest& request);

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

// Pairs per look where --pairs is not given and the rule needs no more: without a slow run 23 show that a
// slow mode has less than 20 % of B's runs (find_slow_runs()).
inline constexpr std::size_t kUsualPairs = 24;

// Units that a trial measured, by case and side, which the comparison takes as its first pairs.
using FirstUnits = std::map<std::pair<std::size_t, AbSide>, CaseResult>;

// The first pairs of a trial.
struct FirstPairs {
  SteadyClock::time_point start = SteadyClock::now();
  FirstUnits units = {};
  std::size_t tried = 0;  // cases with a pair, or with a unit that failed
  bool failed = false;    // a unit of the last one did
  double spent_s = 0;     // since the start
};

// Measures a pair of each case as long as `go_on` says so, and says on stderr where the outputs differ, with
// the values that are compared. Throws Error(interrupted).
void measure_first_pairs(const AbUnitRunner& run, const AbDocument& document,
                         const std::function<bool()>& go_on, FirstPairs& pairs);

// Returns a runner that gives these units once, each in place of the first of its case and side.
AbUnitRunner with_first_units(AbUnitRunner run, FirstUnits first);

// Returns a time for a reader: "0.25 s", "1:05".
std::string duration_text(double seconds);

// Returns "about 0:10, at most 0:40 with all top-ups and a confirmation" of looks that take so long.
std::string time_needed(const AbDocument& document, double look_s);

// Plans as many pairs for each look as --pairs says, else 24 or as many as the rule needs for so many judged
// quantities. Throws Error(usage) for too few pairs and for more than can be tested exactly.
void plan_pairs_per_look(const AbRequest& request, std::size_t judged, AbDocument& document);

// Measures first pairs for half a minute at most, and says on stderr how long the comparison will take.
// `document` must have its cases, settings and pairs per look. A unit that fails ends the trial: the
// comparison will say why. Throws Error(interrupted).
void estimate_by_first_pairs(AbUnitRunner& runner, AbDocument& document);

// Returns the seconds that --quick takes for its pairs and their trial: 55, or $AQBENCH_QUICK_S.
double quick_s();

// Thrown where a minute is too short for one pair: what is said in place of a verdict.
struct QuickEnd {
  std::string statement;
};

// Returns how many pairs of `pair_s` seconds --quick has time for after `spent_s`.
std::size_t quick_pairs(double pair_s, double spent_s);

// Returns the limit of a unit that must end with the minute, in seconds, or `own_s` where that is less.
double quick_timeout(double own_s, double spent_s);

// Plans one look without a confirmation.
void plan_one_look(AbDocument& document);

// Returns "to settle it: aqbench ab ... (about 5:00, ...)": the comparison without --quick, whose pairs take
// `pair_s` each. `document` must have the settings that it would run with.
std::string settling_command(const Arguments& arguments, const AbDocument& document, double pair_s);

// Plans both sides of a comparison of cases and measures a first pair of each, which counts. Where a minute
// has room for enough pairs of usual units, these are taken; else each unit is one run, and the cases that
// got no first pair are left out, with a note. `settle` gets settling_command(). Throws QuickEnd where not
// even one pair was done, and as plan_ab_sides().
AbSides plan_quick_sides(const AbRequest& request, const Arguments& arguments, int cancel_descriptor,
                         AbDocument& document, std::string& settle);

// Adds notes to a measured document where it has no verdict: how many pairs a minute had room for, what they
// measured, and the command that would settle it.
void note_quick(const std::string& settle, AbDocument& document);

// Both commands and what their units need, for as long as the runner lives. Arrays are indexed by side.
struct CommandPair {
  std::array<AbCommand, 2> commands;
  std::array<std::string, 2> files, file_states;  // of the program that a line starts with; "": not known
  AbCommandRules rules;
  std::vector<std::string> benchmarks;  // by case, of programs of Google Benchmark
  int warmup = 0, runs = 1;
  std::uint64_t order_seed = 0;
  UnitLimits limits;
  FirstUnits first = {};  // of the trial
};

// Runs one unit. `plan` has the runs and the benchmark.
std::optional<CommandAnswer> run_side(const CommandPair& pair, AbSide side, CommandUnitPlan plan);

// Runs a side once before the first pair. Throws Error(input) naming its flag if it fails,
// Error(interrupted), and with --quick QuickEnd naming the command that settles it if the minute is over.
CommandAnswer tried(CommandPair& pair, AbSide side, const std::string& settle);

// Runs both programs of Google Benchmark once: their benchmarks are the cases. Plans the pairs, notes what is
// not compared, and says on stderr how long it will take; returns settling_command(). With --quick and time
// for no more, the trial is the only pair. Throws as tried(), Error(not_comparable) naming a benchmark that B
// lacks, Error(usage) for too few pairs.
std::string plan_by_gbench_trial(const AbRequest& request, const Arguments& arguments, CommandPair& pair,
                                 AbDocument& document);

// Returns what an interrupted comparison was begun with. Throws as read_journal(), and Error(input) for a
// sweep.
JournalHeader ab_header(const std::filesystem::path& bundle);

}  // namespace aqbench::cli
