#pragma once
// A comparison: how it was run and every unit it measured, in order. results.json holds it; verdicts are in
// no file: report.h computes them from the rest.

#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/ab/ab_command.h"
#include "harness/ab/decision.h"
#include "harness/ab/run.h"
#include "harness/ab/samples.h"
#include "harness/measuring/build_info.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"

namespace aqbench {

// The version of what `aqbench ab --json` prints.
inline constexpr int kAbJsonVersion = 5;

// The limits of what a file may ask its reader to compute; `aqbench ab` itself takes no more.
inline constexpr int kMaxBootstrapDraws = 100000;
inline constexpr int kMaxResolutionDraws = 10000;

// The delay of the whole run in B, where there is one.
inline constexpr const char* kValidationDelay = "+5%";

// The number of comparisons where the user gives none, and the most.
inline constexpr std::size_t kUsualComparisons = 20, kMaxComparisons = 1000;

// A validation of `ab` on this machine (`aqbench ab --calibrate`): a number of ordinary comparisons of a side
// with itself, and as many in which B is delayed on purpose. Each is a case of one document, judged alone.
struct AbValidation {
  std::string case_name;
  std::size_t comparisons = 0;  // of the side with itself
  std::string delay = {};       // kValidationDelay: as many comparisons with that in B follow; "": none
  // What the case's time depends on besides program and machine: "roma_like.points", "threads", "warm_runs".
  std::vector<std::pair<std::string, std::string>> case_settings = {};

  template <class Row>
  static void members(const Row& row) {
    row("case", &AbValidation::case_name);
    row("comparisons", &AbValidation::comparisons);
    row("delay", &AbValidation::delay);
    row("case_settings", &AbValidation::case_settings);
  }

  // Returns the number of comparisons in all.
  std::size_t total() const { return delay.empty() ? comparisons : 2 * comparisons; }
  // Returns whether B is delayed in the comparison at index i.
  bool is_delayed(std::size_t i) const { return i >= comparisons; }
  // Returns the name of that comparison: "CASE A/A 3", "CASE +5% 3".
  std::string name_of(std::size_t i) const;
};

// One side: a program, or this program with one value of a variant.
struct AbSideInfo {
  std::string label = {};                  // as the user gave it: "build/old/aqbench", "kernel=torch"
  std::string variant = {};                // "kernel=torch"; "" where the sides are two programs
  std::vector<std::string> injected = {};  // faults that were put in on purpose
  std::string program_sha256 = {};         // "" where nothing was run (--samples)
  std::string file_sha256 = {};  // of the file that the user named, perhaps a script around it; or ""
  BuildInfo build = {};
  // Set where the side is a command that is no aqbench: the hashes above are then of it, and of its file.
  std::optional<AbCommand> command = {};

  template <class Row>
  static void members(const Row& row) {
    row("label", &AbSideInfo::label);
    row("variant", &AbSideInfo::variant);
    row("injected", &AbSideInfo::injected);
    row("program_sha256", &AbSideInfo::program_sha256);
    row("file_sha256", &AbSideInfo::file_sha256);
    row.part(&AbSideInfo::build);
    row("command", &AbSideInfo::command, kLeftOut);
  }
};

// When and how the units were run.
struct AbRunInfo {
  std::string id;  // the stamp in the bundle's name; "" without a bundle
  std::string started_utc, finished_utc;
  bool complete = true;            // false after an interruption
  std::string samples_file;        // FILE of --samples; "" where units were run
  bool exec = false;               // each unit was a newly started program, not a fork of this one
  int warm_runs = 0;               // of a unit
  std::size_t pairs_per_look = 0;  // of each case; 0 with --samples
  int resumed = 0;                 // how often the run was interrupted and continued
  std::optional<AbCommandRules> commands = {};  // where two commands are compared
  std::string paired_over;                      // "seeds" or "runs" where metrics are compared, else ""
  std::optional<AbValidation> validation = {};  // where the cases are comparisons of one side with itself
  bool unpaired = false;  // A and B of --samples were not measured by turns: only what is worse counts
  bool quick = false;     // two methods with as many pairs as fitted into a minute (of commands: `commands`)

  // Returns whether the clock ended it, at any pair.
  bool is_quick() const { return quick || (commands && commands->quick); }

  template <class Row>
  static void members(const Row& row) {  // the others stand in "run" of results.json
    row("samples_file", &AbRunInfo::samples_file);
    row("exec", &AbRunInfo::exec);
    row("warm_runs", &AbRunInfo::warm_runs, kNotNegative);
    row("pairs_per_look", &AbRunInfo::pairs_per_look);
    row("resumed", &AbRunInfo::resumed, kNotNegative);
    row("commands", &AbRunInfo::commands, kLeftOut);
    row("paired_over", &AbRunInfo::paired_over, kLeftOut);
    row("unpaired", &AbRunInfo::unpaired, kLeftOut);
    row("quick", &AbRunInfo::quick, kLeftOut);
    row("validation", &AbRunInfo::validation, kLeftOut);
  }
};

// A comparison without its verdicts.
struct AbDocument {
  AbRunInfo run;
  AbSettings settings;
  AbSideInfo a, b;
  std::vector<std::string> notes;  // options given to one side alone, differences of the builds
  JsonBox environment;
  AbSamples samples;

  template <class Row>
  static void members(const Row& row) {
    row("run", &AbDocument::run);
    row("settings", &AbDocument::settings);
    row("a", &AbDocument::a);
    row("b", &AbDocument::b);
    row("notes", &AbDocument::notes);
    row.part(&AbDocument::samples);
  }
};

// Returns the header of the journal of a comparison that is about to begin. `plans` are the SHA-256 of what
// defines the cases of each side.
JournalHeader journal_header_of(const AbDocument& document, const std::vector<std::string>& arguments,
                                const std::vector<std::string>& plans);

// Fills in the document what was found out before the first pair: pairs per look, warm runs and settings.
// Throws Error(input) "journal.jsonl: ...".
void take_plan(const JournalHeader& header, AbDocument& document);

// Returns the cases of a journal that was read.
std::vector<AbCase> cases_of(const JournalHeader& header);

// Returns whether both sides are the same program with the same options.
bool is_a_a(const AbDocument& document);

// Returns what results.json holds: the document, with the units of its samples as records.
Results results_of(AbDocument document, const JournalHeader& header);

// Returns what B measured as the results of a sweep of the suite "ab": a record for each case with the warm
// runs, CPU times and stages of B's units, and its metrics; of a metric that was compared, the median of the
// units. A history of comparisons is that of their B.
Results results_of_b(const AbDocument& document);

// Reads a comparison back, whose units are moved out of the results. Throws Error(input) "results.json: ..."
// as add_units() and check_pairs().
AbDocument document_of(Results&& results);

// Returns a problem of a verified bundle's results: units that were dropped, added or moved, or that the
// journal does not begin with. Returns "" if there is none.
std::string comparison_problem(const AbDocument& document, const Json& comparison,
                               const JournalHeader& header, std::size_t resumptions);

// Returns the settings for a reader: "tau 2 %, delta 5 %, alpha 0.01, 3 planned looks, ...".
std::string settings_line(const AbSettings& settings);

}  // namespace aqbench
