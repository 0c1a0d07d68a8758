#pragma once
// A whole HTML page: styles, content, data and scripts in one file without further requests.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/document/document.h"

namespace aqbench {

// Data that scripts ask for by their ids: id and bytes, embedded in base64.
using PageBlocks = std::vector<std::pair<std::string, std::string>>;

// What a page is made of. `header` and `body` are HTML; the rest is text that is escaped here.
struct PageParts {
  std::string title, header, body;
  std::string data_json;  // for the scripts; "" where there is none
  PageBlocks blocks;
  // Which scripts the page needs beside those of tables.
  bool plots = false, comparison = false, flames = false, viewer = false;
};

// Returns the page. Its content security policy allows only these scripts, by their hashes, and no requests,
// so no text of a record can run. The same parts give the same bytes.
std::string html_page(const PageParts& parts);

// Returns a section that is hidden without scripts, with an explanation: scripts draw in it.
std::string scripted_section(std::string_view id, std::string_view title, std::string_view explanation);

// Returns the text of a file in reports/html/assets/, by its name without folders: "report.js". Throws
// std::logic_error for any other name.
std::string_view page_asset(std::string_view file);

}  // namespace aqbench
