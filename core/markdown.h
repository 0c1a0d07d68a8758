#pragma once
// Markdown out of text that somebody else may have written.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// Text of a record or environment as it may stand anywhere in Markdown, table cells included: no control
// character, no HTML, no markup.
std::string md_escape(std::string_view text);

// A row of a table; cells are Markdown already.
std::string md_row(const std::vector<std::string>& cells);

// The heading of a table and its rule: the first `text_columns` left, the others right.
std::string md_head(const std::vector<std::string>& titles, std::size_t text_columns);

}  // namespace aqbench
