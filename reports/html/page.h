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

// A cell of a table.
struct PageCell {
  // Implicit, so that a row is a list of HTML.
  PageCell(std::string text, std::string names = {}, std::string others = {})
      : html(std::move(text)), classes(std::move(names)), attributes(std::move(others)) {}
  PageCell(const char* text) : html(text) {}

  std::string html;
  std::string classes;     // "bad"
  std::string attributes;  // " data-turn"
};

// The most rows of one table: a large sweep would fill hundreds of megabytes.
inline constexpr std::size_t kMaxTableRows = 1000;

// A table, row by row. Numbers stand at the right, words and first cells at the left; below 700 px the title
// stands before each cell.
class PageTable {
 public:
  explicit PageTable(std::vector<std::string> titles) : titles_(std::move(titles)) {}

  // Adds a row; beyond kMaxTableRows it is counted alone, and html() says how many are left out.
  // `attributes` are those of the row: " title=\"NAME\"".
  void add(const std::vector<PageCell>& cells, const std::string& attributes = "");

  // Returns whether the table shows another row; if not, counts one as left out.
  bool has_room() {
    if (count_ < kMaxTableRows) return true;
    ++count_;
    return false;
  }

  // Return the table as HTML, and "" without rows. `label` is what screen readers say; without the class
  // "lively" it cannot be sorted.
  std::string html(std::string_view label, std::string_view classes = "lively cards unbroken") const;
  std::string html_of_rows(std::string_view label) const { return rows_.empty() ? "" : html(label); }

 private:
  std::vector<std::string> titles_;
  std::string rows_;
  std::size_t count_ = 0;
};

// Returns the attributes of a row about a case: its whole name, which a click opens where `opens`.
std::string case_attributes(const std::string& case_name, bool opens = true);

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

// Returns the text of a file in reports/html/assets/, by its name without folders: "report.js". Throws
// std::logic_error for any other name.
std::string_view page_asset(std::string_view file);

}  // namespace aqbench
