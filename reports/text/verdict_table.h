#pragma once
// A list of verdicts as text: for a terminal and in Markdown.

#include <cstddef>
#include <span>
#include <string>

#include "core/table.h"
#include "harness/gating/verdicts.h"
#include "reports/content/verdict_text.h"

namespace aqbench {

// Returns a banner as a line for the terminal, in the colour of its kind.
std::string render_banner(const Banner& banner, bool colours = false, std::size_t width = kScreenColumns);

// Returns the colour of a verdict; none of one that decides nothing.
Colour colour_of(const VerdictRow& row);

// A row of a table of values, and how many others of its case are like it.
struct ListedValue {
  const VerdictRow* row;
  std::size_t more = 0;
};

// Returns a table of these values without columns that none fills; the columns of the value and of its two
// numbers have these titles.
Table values_table(std::span<const ListedValue> values, const ShortNames& names,
                   const char* value = "worst value", const char* before = "before",
                   const char* after = "after");

// How a list of verdicts is shown: a row for each case, or with `all` one for each value.
struct VerdictView {
  bool colours = false, all = false;
  std::size_t width = kScreenColumns;
  const char *before = "before", *after = "after";  // titles of columns
};

// Returns the reasons of cases without two values to compare, and a table of the others, worst first.
std::string verdict_tables(const Verdicts& verdicts, const ShortNames& names, const VerdictView& view = {});

// Returns a row for each case with a verdict that is no plain pass, worst first, with its worst value; then
// what is new, and the banner as the last line. `all` gives a row for each value, passes included.
std::string render_verdicts(const Verdicts& verdicts, bool colours = false, bool all = false,
                            std::size_t width = kScreenColumns);

// Returns a table of the first 40 cases that render_verdicts() lists, then further values in a fold; what is
// left out is counted.
std::string verdicts_markdown(const Verdicts& verdicts);

}  // namespace aqbench
