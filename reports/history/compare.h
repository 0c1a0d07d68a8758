#pragma once
// Two bundles side by side: accuracy, memory, stages, batching, and times as a trend; which values moved
// (changed), as text and as one page.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/gating/verdicts.h"
#include "reports/content/case_groups.h"
#include "reports/content/verdict_blocks.h"
#include "reports/document/document.h"

namespace aqbench {

// What two bundles have in common and where they differ. It points into both results.
struct CompareReport {
  std::string a, b;                // "RUN, commit COMMIT" of each side
  std::string refusal;             // why nothing was compared; else empty
  std::vector<std::string> notes;  // cases on one side alone, other options, other status
  // Differences of the comparability keys, "cpu_model is Y, A's X". Empty: the keys are equal.
  std::vector<std::string> key_differences;
  std::vector<std::pair<const Record*, const Record*>> cases;  // that were compared: of A and of B
  ShortNames names;                                            // of these
  std::vector<VerdictRow> metrics;                             // with tensor memory of stages
};

// Compares two results, which must outlive the report; reads no file. Cases whose options differ are not
// compared, and the notes name them.
CompareReport compare_results(const Results& a, const Results& b);

// Returns the values that differ, or all of them, as a list of verdicts, which decides nothing.
Verdicts verdicts_of(const CompareReport& report, bool all = false);

// Returns the sections: notes, values, stages and times. The last two say what times are: a trend, or
// a trend from the same machine key. What is equal is counted and not listed unless `all`.
std::vector<Section> compare_sections(const CompareReport& report, VerdictView view, bool all = false);

// Returns the comparison for a terminal. Values that are equal are counted and not listed unless `all`.
std::string render_compare(const CompareReport& report, bool all = false, const Screen& screen = {});

// One side of the comparison: its records, and the bundle whose clouds are shown ("" for a bare
// results.json).
struct ComparedSide {
  const Results* results = nullptr;
  std::filesystem::path bundle;
};

// Returns the page: notes, metrics that differ with the largest change for the worse first, stages, times,
// the clouds of both sides of every case, to be turned side by side or as B minus A, the stages of both over
// time, and of profiles their samples against each other. It needs no other file and has at most 10 MB.
// Throws Error(io, input) for files of a bundle that cannot be read.
std::string compare_page(const CompareReport& report, const ComparedSide& a, const ComparedSide& b);

}  // namespace aqbench
