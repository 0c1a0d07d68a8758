#pragma once
// Verdicts in words, the same on the terminal, in Markdown, on pages, in JUnit and on GitHub.

#include <string>
#include <utility>

#include "harness/gating/verdicts.h"
#include "reports/content/bundle_content.h"
#include "reports/content/case_groups.h"
#include "reports/document/document.h"

namespace aqbench {

// States what a gate decides on; part of every rendered report.
inline constexpr const char* kGatePolicy =
    "accuracy and tensor memory are gated; time is not gated: use aqbench ab";

// The text beside a column of sizes.
inline constexpr const char* kSizeNote =
    "size: the change in units of what is allowed, or allowed by default; of a percentage in points; the "
    "largest is first";

// Returns two numbers with three significant digits, with more where they differ but look the same:
// "0.767" and "4.40".
std::pair<std::string, std::string> number_pair(double before, double after);

// Returns the short names of the cases in a list.
ShortNames short_names_of(const Verdicts& verdicts);

// Returns a verdict as its rule names it, "REGRESSED", else "regressed".
std::string verdict_label(const VerdictRow& row);

// The parts of a verdict on two values, as the cells of a table: "n/a" or "" where there are none.
struct VerdictCells {
  std::string what;           // "accuracy mean [mm]"
  std::string before, after;  // "0.767", "4.40"
  std::string change;         // "5.7 x", "+5.1 %", "-0.4", "-57.6 points"
  std::string allowed;        // "± 5 %", "± 1 point", "exact"
  std::string size;           // change_size(): "14.8"
};
VerdictCells verdict_cells(const VerdictRow& row);

// Returns whether a value that passed is the same on both sides up to the last digits of arithmetic.
bool is_unchanged(const VerdictRow& row);

// Returns a row in a line without its case: "accuracy mean 0.767 -> 4.40 mm (5.7 x, allowed ± 5 %)", or what
// happened: "crashed: segmentation fault".
std::string verdict_row_text(const VerdictRow& row);

// Returns the worst value of a case, and how many more are like it: "... and 2 more values of this case".
std::string case_verdict_text(const CaseVerdicts& one);

// Returns what a list of verdicts comes to.
Banner banner_of(const Verdicts& verdicts);

// Returns what a list comes to that is shown and decides nothing: "WORSE", "BETTER" or "SAME".
Banner shown_banner_of(const Verdicts& verdicts);

// Returns the case that a reader asks about first: the worst that the gate refuses, a failed one, else the
// least accurate, or that whose images agree least. nullptr where nothing is known of any.
const Record* leading_record(const Results& results, const Verdicts* gated);

// Returns the warning that comes before all verdicts: there is no truth, or all points of a case lie to one
// side of it and no baseline has accepted that. "" if there is nothing to warn of.
std::string caution_of(const Results& results, const Verdicts* gated);

// Returns what a sweep comes to: the verdicts of its gate, else whether its cases ran; and whether they say
// anything of accuracy.
Banner banner_of(const BundleContent& content);

}  // namespace aqbench
