#pragma once
// What the derived files of a bundle (summary.md, statement.json, report.html) are rendered from: all of it
// lies in the bundle, so that `aqbench verify` can render them again.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/gating/baseline.h"
#include "harness/records/results.h"
#include "reports/content/log_warnings.h"

namespace aqbench {

inline constexpr const char* kBaselineCopyName = "baseline.json";  // the baseline that the run was gated on
inline constexpr const char* kNotesName = "notes.txt";             // of --note, a line each

struct BundleContent {
  Results results;
  std::optional<Baseline> baseline;
  std::vector<std::string> notes;
  std::vector<LogWarning> warnings;
  std::string tests;  // what tests.log says: "passed", "failed: ..."; "" where tests were not asked for
};

// The content of a bundle whose results have been read. Throws Error(input, io) naming the file.
BundleContent read_bundle_content(const std::filesystem::path& bundle, Results results);

// Appends to notes.txt; line breaks and control characters of a note become blanks.
void add_notes(const std::filesystem::path& bundle, const std::vector<std::string>& notes);

}  // namespace aqbench
