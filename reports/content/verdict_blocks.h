#pragma once
// A list of verdicts as blocks of a report, the same for gate, ab, compare and trend.

#include <cstddef>
#include <string>
#include <vector>

#include "harness/gating/verdicts.h"
#include "reports/content/verdict_text.h"

namespace aqbench {

// Returns the colour of a verdict; none of one that decides nothing.
Colour colour_of(const VerdictRow& row);

// Returns the other values of a case that changed, a line each.
std::vector<std::string> other_lines(const CaseVerdicts& one);

// How a list of verdicts is shown.
struct VerdictView {
  enum class Rows { worst, judged, all };  // one for each case, for each value with a label, for each value
  Rows rows = Rows::worst;
  const char *before = "before", *after = "after";  // titles of columns
  bool reasons_apart = false;                       // cases without two numbers are lines above the table
  bool passes = false;                              // cases that passed and changed have a row, too
  std::size_t most = SIZE_MAX;                      // rows
};

// Returns a table of the cases in their order, without columns that none fills; the other values of a case
// unfold.
Table verdict_table(const std::vector<CaseVerdicts>& cases, const ShortNames& names,
                    const VerdictView& view = {});

// Returns reasons, table, and how many cases are as before.
std::vector<ReportBlock> verdict_blocks(const Verdicts& verdicts, const ShortNames& names,
                                        const VerdictView& view = {});

// How a page shows them.
inline constexpr VerdictView kPageView{.passes = true, .most = 200};

// Returns the blocks, and the notes of the list, as a section.
Section verdicts_section(const Verdicts& verdicts, const ShortNames& names, const VerdictView& view,
                         std::string note);

}  // namespace aqbench
