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

// Returns a row for each case with a verdict that is no plain pass, worst first, with its worst value; then
// what is new, and the banner as the last line. `all` gives a row for each value, passes included.
std::string render_verdicts(const Verdicts& verdicts, bool colours = false, bool all = false,
                            std::size_t width = kScreenColumns);

// Returns a table of the cases that render_verdicts() lists, then their further values in a fold, in at most
// `max_bytes`: what does not fit is counted.
std::string verdicts_markdown(const Verdicts& verdicts, std::size_t max_bytes);

}  // namespace aqbench
