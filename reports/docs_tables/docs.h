#pragma once
// Tables inside documents that cannot go stale: what stands between two marker lines is generated.
//
//   <!-- aqbench:accuracy -->
//   ...
//   <!-- aqbench:end -->
//
// A marker may have arguments: <!-- aqbench:flags sweep -->. Markers inside fenced code are text.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// Gives the Markdown of a section, without the markers, ending in a line break. May throw Error.
using DocsSection = std::function<std::string(const std::vector<std::string>& arguments)>;
using DocsSections = std::map<std::string, DocsSection>;

struct DocsChange {
  std::size_t line = 0;  // of the first line that differs, in the text as it was
  std::string section;
};

struct FilledDocs {
  std::string text;
  std::vector<DocsChange> changes;  // sections that were stale
  std::size_t sections = 0;
};

// Everything outside of the markers stays as it is. Throws Error(input) "FILE:LINE: ..." for an unknown
// section (naming near ones), a marker that is not closed, one inside another, and what a section throws.
FilledDocs fill_docs(std::string_view text, const std::string& file, const DocsSections& sections);

}  // namespace aqbench
