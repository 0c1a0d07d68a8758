#pragma once
// ab.json: what `aqbench ab` measured, every unit in order, and what follows from it. Its text is canonical,
// and "decision" is worked out again from the rest whenever it is read.

#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/ab/decision.h"
#include "harness/ab/run.h"
#include "harness/ab/samples.h"

namespace aqbench {

inline constexpr int kAbSchemaVersion = 2;
inline constexpr const char* kAbFile = "ab.json";

// As far as `aqbench ab` itself goes; a bundle with more is refused.
inline constexpr int kMostBootstrapDraws = 100000;
inline constexpr int kMostResolutionDraws = 10000;

struct AbReport;  // harness/ab/ab_report.h

// One side: a program, or this one with a variant's value.
struct AbSideInfo {
  std::string label;                  // as given: "build/old/aqbench", "kernel=torch"
  std::string variant;                // "kernel=torch"; "" where the sides are two programs
  std::vector<std::string> injected;  // faults on purpose
  std::string program_sha256;         // "" where nothing was run (--samples)
  std::string file_sha256;            // of the file named, which may be a script around the program; or ""
  std::string version, commit;
  bool dirty = false;
  std::string compiler, flags, build_type, sanitizers;
};

struct AbRunInfo {
  std::string id;  // the bundle's stamp; "" without one
  std::string started_utc, finished_utc;
  bool complete = true;            // false after an interruption
  std::string samples_file;        // --samples FILE; "" where units were run
  bool exec = false;               // units were started anew, not forked
  int warm_runs = 0;               // of a unit
  std::size_t pairs_per_look = 0;  // of each case; 0 with --samples, and for a calibration
  int resumed = 0;                 // how often it was gone on with after an interruption
};

struct AbDocument {
  AbRunInfo run;
  AbSettings settings;
  AbSideInfo a, b;
  std::vector<std::string> notes;  // one-sided options, builds that differ
  std::string environment_json = "{}";
  AbSamples samples;
};

// What the run was planned with; for follow_ab() (harness/ab/run.h).
AbRunOptions run_options_of(const AbDocument& document);

// The same program with the same options on both sides.
bool is_a_a(const AbDocument& document);

// With the decision, which is judge_ab(document). A number that was worked out has 12 significant digits, so
// that another libm, whose last bit may differ, gives the same text.
Json to_json(const AbDocument& document, const AbReport& report);
std::string ab_text(const AbDocument& document, const AbReport& report);

// Throws Error(input) "SOURCE: ..." as ab_samples_from_json(), Error(not_comparable) for another version. The
// decision in it is not read.
AbDocument ab_document_from_json(const Json& json, const std::string& source);

Json to_json(const AbRunInfo& run);
Json to_json(const AbSettings& settings);
Json to_json(const AbSideInfo& side);
AbRunInfo ab_run_from_json(const Json& json, const std::string& source);
AbSettings ab_settings_from_json(const Json& json, const std::string& source);
AbSideInfo ab_side_from_json(const Json& json, const std::string& source);

// A number that was worked out, with 12 significant digits; null for none and for what is not finite.
Json rounded_json(const std::optional<double>& value);

// The settings as a reader wants them: "alpha 0.01, tau 2 %, ...".
std::string settings_line(const AbSettings& settings);

}  // namespace aqbench
