#pragma once
// The table of all cases of report.html.

#include <string>
#include <vector>

#include "harness/records/results.h"
#include "reports/content/bundle_content.h"
#include "reports/content/case_columns.h"
#include "reports/html/page.h"

namespace aqbench {

// Returns the table: cases that failed first, then those that the gate refuses, then the others by name.
// Columns that no case fills are left out, and so is the part of the names that all cases share. Below 700 px
// each row is a card, so that nothing is wider than the page. "" without records.
std::string cases_table(const BundleContent& content);

// Returns the cells that name a case, as name_cells() has them, with `note` behind the method.
std::vector<PageCell> name_page_cells(const CaseNames& names, const std::string& case_name,
                                      const std::string& note = "");

// Returns a table with processor time, memory, bytes, page faults and context switches of each case that ran
// a program; "" where none did. Columns that no case fills are left out.
std::string programs_html(const Results& results);

// Returns the table of the numbers of other benchmarks' protocols; "" where none ran.
std::string protocols_html(const Results& results);

}  // namespace aqbench
