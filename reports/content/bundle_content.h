#pragma once
// The files in a bundle, sha256.txt, the list of their hashes, and what the derived files (summary.md,
// statement.json, report.html) are rendered from. All of it lies in the bundle, so that `aqbench verify` can
// render them again.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gating/baseline.h"
#include "harness/gating/gate.h"
#include "harness/records/results.h"

namespace aqbench {

// The name of the list in a bundle.
inline constexpr const char* kHashListName = "sha256.txt";

// The largest sha256.txt that is read, in bytes.
inline constexpr std::uintmax_t kMaxHashListBytes = std::uintmax_t{64} << 20;

// What is wrong with one file of a bundle.
struct Finding {
  std::string file;  // relative to the bundle
  std::string what;
  bool hinders = false;  // a link, no plain file, or a folder that cannot be listed
};

// What lies in a bundle's folder.
struct BundleListing {
  std::vector<std::string> files;  // relative paths of the regular files, sorted by bytes
  // What cannot be evidence: links, special files, empty folders, and names that `sha256sum -c` or another
  // system might read differently.
  std::vector<Finding> problems;
};
// Lists all that lies in a bundle's folder and below it.
BundleListing list_bundle_files(const std::filesystem::path& bundle);

// Throws Error(input) naming the first thing in a bundle, or below it, that is neither folder nor plain file:
// a link leads writing to another place, and a FIFO lets reading wait for ever. Call it before a bundle that
// another user may have made is read to be written to. A bundle that is not there holds nothing.
void require_plain_files(const std::filesystem::path& bundle);

// A file and its hash.
struct HashLine {
  std::string sha256;
  std::string path;
};

// Returns the lines "HEX  PATH" in the order given, then "# sha256 of the lines above: HEX".
std::string hash_list_text(const std::vector<HashLine>& lines);

// A list of hashes that was read.
struct HashList {
  std::vector<HashLine> lines;        // those that could be read
  std::vector<std::string> problems;  // empty if the text is exactly hash_list_text(lines), sorted by path
};
// Reads sha256.txt; what is wrong with it stands in the problems.
HashList parse_hash_list(std::string_view text);

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

// Appends to notes.txt, a note a line; line breaks and control characters of a note become blanks.
void add_notes(const std::filesystem::path& bundle, const std::vector<std::string>& notes);

// Returns the lines with the word "warning" or "warn", in upper or lower case. "0 warnings" and "forewarning"
// do not have it.
std::vector<LogWarning> warnings_of_log(std::string_view log, const std::string& file);

}  // namespace aqbench
