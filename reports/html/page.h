#pragma once
// A whole HTML page: styles, content, data and scripts in one file without further requests. And a list of
// verdicts on it: the banner at its head, and a row for each case.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/gating/verdicts.h"
#include "reports/content/verdict_text.h"

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
  // Implicit, so that a row is a list of HTML.
  PageCell(std::string text, std::string names = {}, std::string others = {})
      : html(std::move(text)), classes(std::move(names)), attributes(std::move(others)) {}
  PageCell(const char* text) : html(text) {}

  std::string html;
  std::string classes;     // "bad"
  std::string attributes;  // " data-turn"
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

// Returns the banner as HTML.
std::string banner_html(const Banner& banner);

// Returns a value of a side as HTML that may lead to its case; takes the number as HTML.
using VerdictLink =
    std::function<std::string(const std::string& case_name, bool after, const std::string& number)>;

// Returns the table of the verdicts: a row for each case that changed or failed, with its worst value; its
// other values unfold. The cases that stayed are counted. `before` and `after` name the columns: "A", "B";
// `label` is what screen readers say. Returns "" without verdicts.
std::string verdicts_html(const Verdicts& verdicts, const ShortNames& names, const std::string& label,
                          const std::string& before, const std::string& after, const VerdictLink& link = {});

// Returns verdicts_html() as the section with id "verdicts".
std::string verdicts_section(const Verdicts& verdicts, const std::string& before, const std::string& after,
                             const std::string& explanation);

// Return the text of a file in reports/html/assets/. Scripts are in the order in which a page needs them.
std::string_view page_style();
std::string_view page_script();           // report.js
std::string_view plot_style();            // third_party/uplot/uPlot.min.css
std::string_view plot_library_script();   // third_party/uplot/uPlot.iife.min.js
std::string_view plot_script();           // plots.js
std::string_view plot_page_script();      // plots_page.js
std::string_view ab_page_script();        // ab_page.js
std::string_view bars_script();           // bars.js
std::string_view stages_page_script();    // stages_page.js
std::string_view view_data_script();      // view_data.js
std::string_view viewer_camera_script();  // viewer_camera.js
std::string_view viewer_gl_script();      // viewer_gl.js
std::string_view viewer_plain_script();   // viewer_plain.js
std::string_view viewer_script();         // viewer.js
std::string_view viewer_page_script();    // viewer_page.js
std::string_view site_script();           // site.js

}  // namespace aqbench
