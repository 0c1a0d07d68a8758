#pragma once
// results.json: the measurements of a sweep or of a comparison, in memory and on disk. Its text is canonical:
// one Results has one text.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "core/json.h"
#include "core/members.h"
#include "harness/records/record.h"

namespace aqbench {

// Returns the "comparability" of an environment; null if it has none.
Json comparability_of(const Json& environment);

// Returns "cpu_model is "B", WHOSE "A"" for each difference, in the order of names. `whose` is the owner of
// `before`: "the baseline's".
std::vector<std::string> comparability_differences(const Json& before, const Json& now,
                                                   std::string_view whose);

// The version of results.json, which goes up when its fields change.
inline constexpr int kResultsSchemaVersion = 4;

// The request and times of a run.
struct RunInfo {
  std::string id;            // the bundle's stamp, "20250520T101112Z"
  std::string suite;         // "" if cases were chosen by hand
  std::string started_utc;   // "2025-05-20T10:11:12Z"
  std::string finished_utc;  // the same
  bool complete = false;     // every planned case has a record; false after an interruption
  std::size_t planned_cases = 0;
  std::string plan_sha256;  // of the planned cases: the journal's first link
  int text_version = 0;     // of records of older versions
  JsonBox requested;        // options as given on the command line
  JsonBox effective;        // options as applied

  template <class Row>
  static void members(const Row& row) {
    row("id", &RunInfo::id, kNotEmpty, "The bundle's stamp.");
    row("suite", &RunInfo::suite, kOrNull, "Null where cases were chosen by hand.");
    row("started_utc", &RunInfo::started_utc, kUtc);
    row("finished_utc", &RunInfo::finished_utc, kUtc);
    row("complete", &RunInfo::complete, 0, "Every planned case has a record.");
    row("planned_cases", &RunInfo::planned_cases);
    row("plan_sha256", &RunInfo::plan_sha256, kSha256,
        "Of the planned cases; the first link of the journal.");
    row("requested", &RunInfo::requested, 0, "Options as given.");
    row("effective", &RunInfo::effective, 0, "Options as they took effect.");
    row("text_version", &RunInfo::text_version, kNotNegative,
        "Of older versions, which numbered their texts.");
  }
};

// The content of results.json.
struct Results {
  RunInfo run;
  JsonBox environment;          // as in env.json
  std::vector<Record> records;  // sorted by case name; names are unique. Of a comparison: units as they ran
  // Of a comparison: what was compared and how (harness/ab/document.h), else empty.
  JsonBox comparison = {};

  bool is_comparison() const;

  // All but the records, which are written and read one by one.
  template <class Row>
  static void members(const Row& row) {
    row("run", &Results::run);
    row("comparison", &Results::comparison, kLeftOut,
        "Of aqbench ab: sides, settings, cases, how units were run.");
    row("environment", &Results::environment, 0, "As in env.json.");
  }
};

// Returns the document with its records sorted by case name (bytewise), units in the given order. Throws
// Error(input) for a repeated record_key().
Json to_json(const Results& results);

// Returns the bytes of results.json: indented, final newline, records sorted.
std::string results_text(const Results& results);

// Passes the same bytes to `write`, record by record, without holding all of them in memory.
void write_results_text(const Results& results, const WriteBytes& write);

// Returns the SHA-256 of the bytes of results.json.
std::string results_sha256(const Results& results);

// Returns the JSON Schema (draft-07) of results.json, of which every document read is an instance.
std::string results_schema_text();

// Reads a document. Throws Error(input) "SOURCE: records[3].status: ..." where it does not follow the schema,
// Error(not_comparable) for another schema_version. A null metric without a reason (from an edited file) is
// read as undefined, so that a gate fails it like any other null.
Results results_from_json(const Json& json, const std::string& source);

// Reads the text of a document. Throws like results_from_json() and parse_strict_json().
Results results_from_text(std::string_view text, const std::string& source);

// Reads a file record by record, with little more memory than its result. Throws like results_from_text() and
// Error(io); read_results() also Error(input) for a comparison.
Results read_results(const std::filesystem::path& results_json);
Results read_any_results(const std::filesystem::path& results_json);

// Throws Error(input) naming the file if these are results of a comparison.
void require_sweep(const Results& results, const std::filesystem::path& file);

// Returns one record as compact JSON, the input of digests.
std::string record_text(const Record& record);

// Returns the SHA-256 over the records as compact JSON lines sorted by case: the same for any order or
// sharding.
std::string root_digest(const Results& results);

// Returns whether cases were run and timed: every time is in the root digest, so no second run has the same.
bool has_own_times(const Results& results);

// Returns the SHA-256 over what must not depend on threads, resumption or time: case, status, options,
// metrics and output hash of each record.
std::string metrics_digest(const Results& results);

// The maximum estimated size of a plan's records; a larger plan is refused before a run
// (harness/planning/plan.h). 100 000 cases of a simulated method fit.
inline constexpr std::uint64_t kMaxPlannedResultsBytes = std::uint64_t{1} << 30;

// The maximum size of a results.json that is read: twice a plan's limit, so that no permitted sweep is lost
// because its records exceed the estimate. The file is read record by record.
inline constexpr std::uint64_t kMaxResultsFileBytes = 2 * kMaxPlannedResultsBytes;

// The limits of text parsed at once: one record, or a whole file.
inline constexpr JsonLimits kResultsJson = {.max_bytes = std::size_t{512} << 20};

// Returns the commit of the repository that the programs of a run come from, as commit_text() writes it;
// "several commits" where they differ, "" where no record has one.
std::string users_commit(const Results& results);

// Returns that commit in full; "" where records differ or none has one.
std::string full_users_commit(const Results& results);

}  // namespace aqbench
