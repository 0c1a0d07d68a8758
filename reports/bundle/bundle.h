#pragma once
// A run on disk: the evidence. Who writes the files of a bundle:
//   results.json summary.md env.json    finalise_bundle()
//   report.html                         finalise_bundle(), unless it is switched off (reports/html/report.h)
//   benchmark.json                      finalise_bundle(): the times in Google Benchmark's format
//   inventory.txt statement.json        finalise_bundle()
//   sha256.txt                          finalise_bundle(), over all the others; `sha256sum -c` reads it
//   notes.txt baseline.json             the command, if asked for (reports/content/bundle_content.h)
//   tests.log                           the command, if asked for (reports/content/commands.h)
//   commands.txt                        the command (reports/content/commands.h)
//   bench.log journal.jsonl tiles/*.csv the sweep, as it runs; journal.jsonl also the comparison (aqbench ab)
// A bundle of a comparison has no bench.log, benchmark.json, inventory.txt and statement.json. Evidence are
// the journal, results.json, the files of cases and their hashes; summary.md and report.html are views of
// them.

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/ab/document.h"
#include "harness/ab/report.h"
#include "harness/planning/plan.h"
#include "harness/running/journal.h"
#include "reports/content/bundle_content.h"

namespace aqbench {

// Returns "20250520T101112Z".
std::string bundle_stamp(std::chrono::system_clock::time_point time);

// Returns the name of a bundle's folder, "20250520T101112Z", however its path is written:
// "out/20250520T101112Z/", ".".
std::string bundle_name(const std::filesystem::path& bundle);

// Throws Error(input) unless there is a folder. Every command says it in these words.
void require_bundle_folder(const std::filesystem::path& bundle);

// Creates OUT/<stamp>/, or <stamp>-1, -2, .. where the name is taken, and OUT itself where it is missing. The
// folder is new and of this run alone, even if many start in the same second. Throws Error(io).
std::filesystem::path create_bundle_dir(const std::filesystem::path& out,
                                        std::chrono::system_clock::time_point now);

// Returns the results of the cases that a journal has, finished now.
Results results_of_run(const SweepPlan& plan, const Journal& journal, Json environment);

// Returns the files that every bundle has, sha256.txt included.
std::vector<std::string> required_bundle_files(bool of_comparison = false);
// Returns the further files that finalise_bundle() always writes.
std::vector<std::string> derived_bundle_files(bool of_comparison = false);

// A file of a bundle that follows from the others.
struct DerivedFile {
  std::string name;
  std::function<std::string()> render;
};
// A comparison and its verdicts.
struct JudgedComparison {
  AbDocument document;
  AbReport report;
};
// Takes the units, which may be 200 000, out of the results of a comparison and judges them; nullptr for a
// sweep. Throws as document_of() and judge_ab().
std::shared_ptr<const JudgedComparison> take_comparison(Results& results);

// Returns what follows from the results and the files beside them; `judged` are the units of a comparison,
// and `content` must outlive the result.
std::vector<DerivedFile> derived_files(const BundleContent& content,
                                       const std::shared_ptr<const JudgedComparison>& judged);

// Returns report.html. `bundle` has the pictures. Throws as render_html_report() and ab_page().
std::string render_page(const std::filesystem::path& bundle, const BundleContent& content,
                        const JudgedComparison* judged);

// Writes results.json, record by record, and all files derived from it, then sha256.txt over every file in
// the folder. Each file is whole or absent. It may be called again after a resumed run. Throws Error(io), and
// Error(input) naming a required file that is absent or anything in the folder that cannot be evidence (a
// link, a socket, an odd name).
// Without a page it removes an old one.
void finalise_bundle(const std::filesystem::path& bundle, Results results, bool with_page = true);

// Does the last step of finalise_bundle(): removes what a killed write left, then writes sha256.txt. Throws
// as finalise_bundle().
void write_hash_list(const std::filesystem::path& bundle, const std::vector<std::string>& required);

// The names of the files in a bundle.
inline constexpr const char* kStatementName = "statement.json";
inline constexpr const char* kInventoryName = "inventory.txt";
// The table of imported numbers.
inline constexpr const char* kNumbersName = "numbers.txt";
// A signature by an older version of aqbench, over sha256.txt; it is not checked.
inline constexpr const char* kOldSignatureName = "signature.json";

// Returns statement.json. Its subjects are `files` in their order. The cases are its tests: passedTests are
// ok; warnedTests were skipped, are new against the baseline or could not be compared with it; failedTests
// failed, crashed, timed out or are worse than the baseline. The result is FAILED if a test failed or the
// gate does not pass, WARNED if a test is warned or the run is incomplete, else PASSED.
std::string statement_text(const BundleContent& content, const std::vector<HashLine>& files);

// A file and its size.
struct InventoryItem {
  std::string path;
  std::uintmax_t bytes = 0;
};

// Returns inventory.txt: a line for each file with its size, its path and what it is, then the sums.
std::string inventory_text(const std::vector<InventoryItem>& items);

}  // namespace aqbench
