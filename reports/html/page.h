#pragma once
// A whole HTML page: styles, content, data and scripts in one file without further requests.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aqbench {

// What a page is made of. `header` and `body` are HTML; the rest is text that is escaped here.
struct PageParts {
  std::string title, header, body;
  std::string data_json;                                    // for the scripts; "" where there is none
  std::vector<std::pair<std::string, std::string>> blocks;  // id and bytes, embedded in base64
  // Which scripts the page needs beside those of tables.
  bool plots = false, comparison = false, stages = false, viewer = false;
};

// Returns the page. Its content security policy allows only these scripts, by their hashes, and no requests,
// so no text of a record can run. The same parts give the same bytes.
std::string html_page(const PageParts& parts);

// Returns a section with its heading, "" where the body is empty. `id` is what links lead to.
std::string page_section(std::string_view id, std::string_view title, const std::string& body,
                         std::string_view explanation = "");

// Returns a section that is hidden without scripts, with an explanation: scripts draw in it.
std::string scripted_section(std::string_view id, std::string_view title, std::string_view explanation);

// Returns a paragraph that says what all cases of a table share, "" for nothing.
std::string common_html(const std::string& common);

// Returns a list of these items of HTML, the first `most` with a count of the others; "" without any.
std::string list_html(const std::vector<std::string>& items, std::size_t most = SIZE_MAX);

// Returns lines of text as such a list.
std::string text_list(std::vector<std::string> lines, std::size_t most = SIZE_MAX);

// Returns the beginning of a table that can be sorted, up to its body. `label` is what screen readers say;
// without the class "lively" it cannot be sorted.
std::string table_open(std::string_view label, const std::vector<std::string>& titles,
                       std::string_view classes = "lively cards unbroken");

// A cell of such a table.
struct PageCell {
  std::string html;
  std::string classes = {};     // "bad"
  std::string attributes = {};  // " data-turn"
};

// Returns a row below these titles. Numbers stand at the right, words and first cells at the left; below 700
// px the title stands before the cell. `attributes` are those of the row: " title=\"NAME\"".
std::string table_row(const std::vector<std::string>& titles, const std::vector<PageCell>& cells,
                      const std::string& attributes = "");

// Returns the attributes of a row about a case: its whole name, which a click opens where `opens`.
std::string case_attributes(const std::string& case_name, bool opens = true);

// The end of a table that table_open() began.
inline constexpr const char* kTableEnd = "</tbody></table></div>\n";

// Returns such a table of these rows of HTML, "" without any.
std::string page_table(std::string_view label, const std::vector<std::string>& titles,
                       const std::string& rows);

// Returns JSON as it may stand inside of a script element.
std::string json_in_html(std::string json);

}  // namespace aqbench
