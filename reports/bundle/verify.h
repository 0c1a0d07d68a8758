#pragma once
// Verifies that a bundle still holds what was measured, and reads bundles that must verify. Every check runs,
// so that all problems are named at once.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "harness/gating/accept.h"
#include "harness/running/journal.h"
#include "reports/content/bundle_content.h"
#include "reports/document/document.h"

namespace aqbench {

// What verifying found.
struct VerifyReport {
  std::vector<Finding> findings;
  std::vector<std::string> notes;  // what could not be checked, and why
  std::string old_plan;     // of the notes: "plan not computed again (made by aqbench 0.1.0): ...", or ""
  std::string root_digest;  // "" if results.json cannot be read
  std::string metrics_digest;
  std::size_t files = 0;    // hashed and compared
  std::size_t records = 0;  // or units, see of_units
  bool of_units = false;    // the bundle is a comparison, and `records` counts its units
  bool complete = false;

  bool ok() const { return findings.empty(); }
};

// Returns the first problem, with the number of the others, "summary.md: is not what the bundle renders to
// (and 2 more)"; "" of a bundle that is verified.
std::string first_problem(const VerifyReport& report);

// Throws the first problem of `bundle` as Error(verification); a bundle that is verified passes.
void require_verified(const VerifyReport& report, const std::filesystem::path& bundle);

// Returns the page of a bundle, rendered from its records: the bundle's own report.html may hold scripts of
// strangers. `since` says since when its verdict holds, "" for unknown. Throws Error(verification) for a
// bundle that does not verify.
std::string bundle_page(const std::filesystem::path& bundle, const std::string& since = "");

// Returns "verified: ..." with the digests, or one line for each finding, its file first; and the notes.
std::string render_verify(const VerifyReport& report, const Screen& screen = {});

// What a list of hashes says of a bundle's files.
struct HashCheck {
  std::vector<Finding> findings;
  std::vector<HashLine> lines;  // empty where sha256.txt does not hold together
  std::size_t files = 0;        // compared with their hashes
};

// Compares files of a bundle, sorted by their paths, with sha256.txt, if that is among them. It does not name
// missing files that are `required`.
HashCheck check_hashes(const std::filesystem::path& bundle, const std::vector<std::string>& files,
                       const std::vector<std::string>& required);

// Returns a message without the path of its file, which a finding names already.
std::string without_path(std::string_view message, const std::filesystem::path& path);

// Returns what in results.json does not follow from the journal: run, plan, request, environment (but its
// load) and records. Names a run.id that is not the name of a folder.
std::vector<Finding> check_run(const Results& results, const JournalContents& journal);

// Compares the files that records name with the hashes there. `files` are all of the bundle, sorted. Throws
// as sha256_file_hex().
std::vector<Finding> check_case_files(const std::filesystem::path& bundle, const Results& results,
                                      const std::vector<std::string>& files);

// Reads the table of imported numbers once more and compares what it holds with the results. Throws
// Error(input, io) if it cannot be read.
std::vector<Finding> check_numbers(const std::filesystem::path& bundle, const Results& results,
                                   const JournalHeader& header);

// Compares the parts of bench.log with the hashes by which the lines of the journal mark them. Throws
// Error(input, io) if it cannot be read.
std::vector<Finding> check_log(const std::filesystem::path& bundle, bool complete,
                               const JournalContents& journal);

// Checks
// - sha256.txt against itself, and every file against it; missing and extra files, empty folders, links and
//   special files;
// - results.json against its schema, its canonical text and the journal, the journal's chain
//   and its marks in bench.log, and the plan against the one that this program makes of the request
//   (harness/running/plan_check.h), or imported numbers against their table; of a comparison the units
//   against the measuring loop
//   (comparison_problem());
// - the files of cases against the hashes in their records;
// - env.json, benchmark.json, inventory.txt and statement.json against what the rest gives, and summary.md if
//   this very build wrote it (derived_files()). Another build's summary.md and every report.html are checked
//   by their hashes alone.
// Fills `results`, where given, with those that it checked: good for use only if the report is ok(), and
// without the units of a comparison. Never throws for what is inside the folder; Error(input) if `bundle` is
// no folder.
VerifyReport verify_bundle(const std::filesystem::path& bundle, Results* results = nullptr);

// The argument RESULTS of `aqbench gate`, read.
struct GateInput {
  Results results;
  bool verified = false;      // false for a bare results.json
  bool of_benchmark = false;  // of another tool (harness/ab/benchmark_file.h): times alone, not in pairs
  std::string old_plan = {};  // VerifyReport::old_plan
};
// Reads a bundle, which is verified first, or a bare results.json or a file of another benchmark tool, which
// cannot be; one that does not say where it was measured is of this machine if it was `measured_here`. Throws
// Error(verification) naming the first finding and how many more there are, Error(input),
// Error(not_comparable).
GateInput read_gate_input(const std::filesystem::path& results_path, bool measured_here = false);

// Reads a bundle to be accepted, or a file of another benchmark tool. Throws as read_gate_input(),
// Error(input) for any other file, and Error(not_comparable) for a bundle whose plan only another build can
// compute again, unless that is allowed.
AcceptedRun read_accepted_run(const std::filesystem::path& bundle, bool measured_here = false,
                              bool old_plan = false);

}  // namespace aqbench
