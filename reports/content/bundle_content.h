#pragma once
// What the derived files of a bundle (summary.md, statement.json, report.html) are rendered from. All of it
// lies in the bundle, so that `aqbench verify` can render them again.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gating/baseline.h"
#include "harness/gating/gate.h"
#include "harness/records/results.h"

namespace aqbench {

// The names in a bundle of the baseline that the run was gated on, and of the notes of --note, one on each
// line.
inline constexpr const char* kBaselineCopyName = "baseline.json";
inline constexpr const char* kNotesName = "notes.txt";

// A line of a log that warns.
struct LogWarning {
  std::string file;      // relative to the bundle
  std::size_t line = 0;  // from 1
  std::string text;      // one line, at most 200 bytes
};

// What a bundle says.
struct BundleContent {
  Results results;
  std::optional<Baseline> baseline;
  std::optional<Verdicts> gated;  // the results against the baseline, where there is one
  std::vector<std::string> notes;
  std::vector<LogWarning> warnings;
  std::string tests;  // what tests.log says: "passed", "failed: ..."; "" where no tests were asked for
};

// Reads the rest of a bundle whose results have been read. Throws Error(input, io) naming the file.
BundleContent read_bundle_content(const std::filesystem::path& bundle, Results results);

// Reads the rest of a bundle into `content`, which has its results. Throws Error(input, io) naming the file.
void read_beside_results(const std::filesystem::path& bundle, BundleContent& content);

// Gates the results on the baseline and keeps both.
void set_baseline(BundleContent& content, Baseline baseline);

// Reads notes.txt, a note a line. Throws Error(input, io).
std::vector<std::string> read_notes(const std::filesystem::path& file);

// Returns what notes.txt holds with these notes; line breaks and control characters of a note become blanks.
std::string notes_text(const std::vector<std::string>& notes);

// Appends notes_text() to notes.txt.
void add_notes(const std::filesystem::path& bundle, const std::vector<std::string>& notes);

// Returns the lines with the word "warning" or "warn", in upper or lower case. "0 warnings" and "forewarning"
// do not have it.
std::vector<LogWarning> warnings_of_log(std::string_view log, const std::string& file);

}  // namespace aqbench
