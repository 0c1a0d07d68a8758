#pragma once
// Which values moved (changed) between two bundles, counted and sorted, for the pages that show it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/gating/verdicts.h"
#include "reports/content/case_names.h"
#include "reports/history/compare.h"

namespace aqbench {

// Returns short names of all cases that the report has rows of (reports/content/case_names.h).
ShortNames compared_names(const CompareReport& report);

// Returns 1 where B is worse, as metrics/value_change.h says or because it has lost the value, which no gate
// passes, -1 where it is better, else 0.
int worsening_of(const ComparedMetric& row);

// Returns the values that differ as a list of verdicts, which decides nothing.
Verdicts verdicts_of(const CompareReport& report);

// A value that differs; `metric` points into the report.
struct MovedRow {
  const ComparedMetric* metric = nullptr;
  int worse = 0;       // 1 worse, -1 better, 0 neither
  std::string change;  // as change_text() writes it, or why there is none
};

// Returns the values that differ, the largest change for the worse first.
std::vector<MovedRow> moved_rows(const CompareReport& report);

// Returns the HTML with which a value of a side is shown; takes the case, whether it is of B, and the number
// as HTML.
using MovedValueHtml =
    std::function<std::string(const std::string& case_name, bool of_b, const std::string& number)>;

// Returns the table of the values that differ as HTML, "" where none does: the first `most` rows, with a
// count of the others. `names` are those of compared_names(), or of more cases; `label` is what screen
// readers say.
std::string moved_table(const CompareReport& report, const ShortNames& names, const std::string& label,
                        std::size_t most = SIZE_MAX, const MovedValueHtml& value_html = {});

}  // namespace aqbench
