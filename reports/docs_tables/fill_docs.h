#pragma once
// Tables inside documents that cannot go stale: the text between two marker lines is generated.
//
//   <!-- aqbench:accuracy -->
//   ...
//   <!-- aqbench:end -->
//
// A marker may have arguments: <!-- aqbench:flags sweep -->. Markers inside fenced code are plain text.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// Returns the Markdown of a section, without the markers, ending in a line break. May throw Error.
using DocsSection = std::function<std::string(const std::vector<std::string>& arguments)>;
// The sections by the word after "aqbench:".
using DocsSections = std::map<std::string, DocsSection>;

// A section that was stale.
struct DocsChange {
  std::size_t line = 0;  // of the first line that differs, counted from 1 in the old text
  std::string section;
};

// A document whose sections were filled.
struct FilledDocs {
  std::string text;
  std::vector<DocsChange> changes;
  std::size_t sections = 0;  // all of them, stale or not
};

// Fills the sections of a document; everything outside of the markers stays as it is. Throws Error(input)
// "FILE:LINE: ..." for an unknown section (naming near ones), a marker that is not closed, one inside
// another, and any error of a section with the same place in front.
FilledDocs fill_docs(std::string_view text, const std::string& file, const DocsSections& sections);

}  // namespace aqbench
