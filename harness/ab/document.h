#pragma once
// What ab.json holds: how a comparison was run and every unit it measured, in order. The decision in the file
// is never read: report.h computes it again from the rest.

#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/ab/ab_command.h"
#include "harness/ab/decision.h"
#include "harness/ab/run.h"
#include "harness/ab/samples.h"
#include "harness/ab/validation.h"
#include "harness/measuring/build_info.h"

namespace aqbench {

// The oldest version of ab.json that is read, the one since which a bundle has pairs.jsonl, and the one that
// is written.
inline constexpr int kOldestAbSchemaVersion = 2;
inline constexpr int kAbSchemaVersionWithPairs = 3;
inline constexpr int kAbSchemaVersion = 5;

// The name of the file in a bundle.
inline constexpr const char* kAbFile = "ab.json";

// The limits of what a file may ask its reader to compute; `aqbench ab` itself takes no more.
inline constexpr int kMaxBootstrapDraws = 100000;
inline constexpr int kMaxResolutionDraws = 10000;

// One side: a program, or this program with one value of a variant.
struct AbSideInfo {
  std::string label;                  // as the user gave it: "build/old/aqbench", "kernel=torch"
  std::string variant;                // "kernel=torch"; "" where the sides are two programs
  std::vector<std::string> injected;  // faults that were put in on purpose
  std::string program_sha256;         // "" where nothing was run (--samples)
  std::string file_sha256;            // of the file that the user named, perhaps a script around it; or ""
  BuildInfo build;
  // Set where the side is a command that is no aqbench: the hashes above are then of it, and of its file.
  std::optional<AbCommand> command = {};
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
  bool quick = false;  // two methods with as many pairs as fitted into a minute (of commands: `commands`)
};

// A comparison: all that ab.json holds but the decision.
struct AbDocument {
  int schema_version = kAbSchemaVersion;
  AbRunInfo run;
  AbSettings settings;
  AbSideInfo a, b;
  std::vector<std::string> notes;  // options given to one side alone, differences of the builds
  JsonBox environment;
  AbSamples samples;
};

// Returns the options that the run was planned with, for follow_ab().
AbRunOptions run_options_of(const AbDocument& document);

// Returns what was found out before the first pair, as pairs.jsonl holds it: for commands, and for methods
// with --quick, the number of pairs and runs that a trial asked for and what is judged; else an empty object.
Json journal_plan_of(const AbDocument& document);

// Fills in the document what journal_plan_of() gave. Throws Error(input) "SOURCE: ...".
void take_journal_plan(const Json& plan, const std::string& source, AbDocument& document);

// Returns what pairs.jsonl says was run for a side: "PROGRAM", or "FILE:PROGRAM" where the user named a file.
std::string subject_of(const AbSideInfo& side);

// Returns whether both sides are the same program with the same options.
bool is_a_a(const AbDocument& document);

// Reads ab.json. Throws Error(input) "SOURCE: ..." as ab_samples_from_json(), and Error(not_comparable) for
// another schema version.
AbDocument ab_document_from_json(const Json& json, const std::string& source);

// Return parts of ab.json.
Json to_json(const AbRunInfo& run);
Json to_json(const AbSettings& settings);
Json to_json(const AbSideInfo& side);

// Returns the settings for a reader: "tau 2 %, delta 5 %, alpha 0.01, 3 planned looks, ...".
std::string settings_line(const AbSettings& settings);

}  // namespace aqbench
