#pragma once
// A whole HTML page: styles, content, data and scripts in one file without further requests.

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

// Returns the beginning of a table that can be sorted, up to its body. `label` is what screen readers say;
// without the class "lively" it cannot be sorted.
std::string table_open(std::string_view label, const std::vector<std::string>& titles,
                       std::string_view classes = "lively cards unbroken");

// The end of a table that table_open() began.
inline constexpr const char* kTableEnd = "</tbody></table></div>\n";

// Returns such a table of these rows of HTML, "" without any.
std::string page_table(std::string_view label, const std::vector<std::string>& titles,
                       const std::string& rows);

// Returns JSON as it may stand inside of a script element.
std::string json_in_html(std::string json);

}  // namespace aqbench
