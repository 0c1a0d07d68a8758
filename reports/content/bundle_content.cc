#include "reports/content/bundle_content.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <regex>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/records/bundle_path.h"
#include "reports/content/commands.h"

namespace aqbench {
namespace {

constexpr std::string_view kOwnHashLead = "# sha256 of the lines above: ";
constexpr std::size_t kHexLength = 64;

// One "HEX  PATH" line, or what is wrong with it.
std::string read_hash_line(std::string_view line, HashLine& parsed) {
  if (line.size() < kHexLength + 3 || !is_sha256_hex(line.substr(0, kHexLength)) ||
      line.substr(kHexLength, 2) != "  ")
    return "is not 'SHA256  PATH'";
  parsed.sha256 = line.substr(0, kHexLength);
  parsed.path = line.substr(kHexLength + 2);
  if (!is_bundle_path(parsed.path))
    return fmt::format("names '{}', no path in a bundle", printable(parsed.path));
  return "";
}

constexpr std::size_t kMaxNoteBytes = 4000;
constexpr std::uintmax_t kMaxNotesBytes = std::uintmax_t{16} << 20;

bool bundle_has(const std::filesystem::path& bundle, const char* file) { return path_exists(bundle / file); }

// Of bench.log and tests.log, where they exist.
std::vector<LogWarning> read_warnings(const std::filesystem::path& bundle) {
  std::vector<LogWarning> warnings;
  for (const char* const file : {"bench.log", "tests.log"})
    if (bundle_has(bundle, file))
      for (LogWarning& warning : warnings_of_log(read_log_file(bundle / file), file))
        warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace

BundleListing list_bundle_files(const std::filesystem::path& bundle) {
  namespace fs = std::filesystem;
  BundleListing listing;
  std::vector<fs::path> folders = {bundle};
  while (!folders.empty()) {
    const fs::path folder = folders.back();
    folders.pop_back();
    const auto name_of = [&](const fs::path& path) {
      return printable(path.lexically_relative(bundle).string());
    };
    // Not by directory_iterator: that of GCC 12 ends the program where memory is refused.
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
    std::error_code error(entries == nullptr ? errno : 0, std::generic_category());
    bool empty = true;
    while (!error) {
      errno = 0;
      const dirent* const entry = ::readdir(entries.get());
      if (entry == nullptr) {
        error.assign(errno, std::generic_category());  // 0 at the end
        break;
      }
      if (std::string_view(entry->d_name) == "." || std::string_view(entry->d_name) == "..") continue;
      empty = false;
      const fs::path path = folder / entry->d_name;
      const std::string relative = path.lexically_relative(bundle).string();
      const fs::file_status status = fs::symlink_status(path, error);
      if (status.type() == fs::file_type::not_found) error.clear();  // another process has just removed it
      if (error) break;
      if (!is_bundle_path(relative))
        listing.problems.push_back({printable(relative), "has a name that a bundle cannot hold"});
      else if (fs::is_directory(status))
        folders.push_back(path);
      else if (fs::is_regular_file(status))
        listing.files.push_back(relative);
      else if (fs::exists(status))
        listing.problems.push_back(
            {relative, fs::is_symlink(status) ? "is a symbolic link" : "is not a plain file", true});
    }
    const bool gone = folder != bundle && error == std::errc::no_such_file_or_directory;
    if (error && !gone)
      listing.problems.push_back({name_of(folder), "cannot be listed: " + error.message(), true});
    if (empty && !error && folder != bundle)
      listing.problems.push_back({name_of(folder), "is an empty folder"});
  }
  std::ranges::sort(listing.files);
  std::ranges::sort(listing.problems, {}, &Finding::file);
  return listing;
}

void require_plain_files(const std::filesystem::path& bundle) {
  if (!folder_exists(bundle)) return;
  for (const Finding& problem : list_bundle_files(bundle).problems)
    if (problem.hinders)
      throw input_error(
          "{}: {}{}", printable((bundle / problem.file).string()), problem.what,
          problem.what.starts_with("is ") ? ", and a bundle holds folders and plain files alone" : "");
}

std::string hash_list_text(const std::vector<HashLine>& lines) {
  std::string text;
  for (const HashLine& line : lines) text += line.sha256 + "  " + line.path + "\n";
  const std::string own = sha256_hex(text);
  return text.append(kOwnHashLead).append(own).append("\n");
}

HashList parse_hash_list(std::string_view text) {
  HashList list;
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with('#') && i + 1 == lines.size()) break;  // its content is checked below
    HashLine parsed;
    if (const std::string problem = read_hash_line(lines[i], parsed); !problem.empty())
      list.problems.push_back(fmt::format("line {} {}", i + 1, problem));
    else
      list.lines.push_back(std::move(parsed));
  }
  if (!std::ranges::is_sorted(list.lines, std::ranges::less_equal{}, &HashLine::path))
    list.problems.emplace_back("paths are not sorted, or one occurs twice");
  if (list.problems.empty() && hash_list_text(list.lines) != text)
    list.problems.emplace_back("has been changed: its last line is not the hash of the lines above");
  return list;
}

void set_baseline(BundleContent& content, Baseline baseline) {
  content.gated = gate(content.results, baseline);
  content.baseline = std::move(baseline);
}

BundleContent read_bundle_content(const std::filesystem::path& bundle, Results results) {
  BundleContent content;
  content.results = std::move(results);
  read_beside_results(bundle, content);
  return content;
}

void read_beside_results(const std::filesystem::path& bundle, BundleContent& content) {
  if (bundle_has(bundle, kBaselineCopyName)) set_baseline(content, read_baseline(bundle / kBaselineCopyName));
  if (bundle_has(bundle, kNotesName)) {
    const std::string notes = read_text_file(bundle / kNotesName, kMaxNotesBytes);
    for (const std::string_view note : lines_of(notes)) content.notes.emplace_back(note);
  }
  if (bundle_has(bundle, kTestsLog)) {
    content.tests = test_result(read_log_file(bundle / kTestsLog));
    if (content.tests.empty()) content.tests = "cut off: tests.log has no result";
  }
  content.warnings = read_warnings(bundle);
}

void add_notes(const std::filesystem::path& bundle, const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  std::string text = bundle_has(bundle, kNotesName) ? read_file(bundle / kNotesName, kMaxNotesBytes) : "";
  for (const std::string& note : notes) text += one_line(note, kMaxNoteBytes) + "\n";
  write_file(bundle / kNotesName, text);
}

std::vector<LogWarning> warnings_of_log(std::string_view log, const std::string& file) {
  constexpr std::size_t kMaxBytes = 200;
  static const std::regex kWarns("\\bwarn(ing)?\\b", std::regex::icase);
  std::vector<LogWarning> warnings;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(log)) {
    ++number;
    if (std::regex_search(line.begin(), line.end(), kWarns))
      warnings.push_back({file, number, one_line(line, kMaxBytes)});
  }
  return warnings;
}

}  // namespace aqbench
