#pragma once
// Tables inside documents that cannot go stale: the text between two marker lines is generated.
//
//   <!-- aqbench:accuracy -->
//   ...
//   <!-- aqbench:end -->
//
// A marker may have arguments: <!-- aqbench:flags sweep -->. Markers inside fenced code are plain text.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/content/bundle_content.h"

namespace aqbench {

// The width of text in documents; rows of tables are as long as they are.
inline constexpr std::size_t kDocumentColumns = 120;

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

// A bundle and its name in documents, which is that of its folder.
struct NamedBundle {
  std::string name;
  BundleContent content;
};

// Returns the sections accuracy, comparisons, batching, environment and reproduce. A section's
// argument names the bundle; without one it is the first. The sections refer to `bundles`. A section whose
// data its bundle does not have throws Error(input), and each without any bundle Error(usage).
DocsSections bundle_sections(const std::vector<NamedBundle>& bundles);

// Returns the sections scenes, methods, metrics, suites and hotspots.
DocsSections registry_sections();

// Returns the sections machine, stages and peers. Their argument names a report of
// benchmarks/performance_benchmark.cc, in JSON and relative to the folder. They throw Error(input) for a
// report without the limits of the machine, and for fewer pairs than an interval needs.
DocsSections performance_sections(const std::filesystem::path& folder);

}  // namespace aqbench
