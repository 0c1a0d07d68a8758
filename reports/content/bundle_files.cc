#include "reports/content/bundle_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/sha256.h"
#include "core/table.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr std::string_view kOwnHashLead = "# sha256 of the lines above: ";
constexpr std::size_t kHexLength = 64;

bool is_plain_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("._=,:+@%-").find(c) != std::string_view::npos;
}

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

}  // namespace

bool is_bundle_path(std::string_view path) {
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string_view step = path.substr(0, slash);
    if (step.empty() || step == "." || step == ".." || !std::ranges::all_of(step, is_plain_character))
      return false;
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
}

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
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    bool empty = true;
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      empty = false;
      const fs::path& path = entries->path();
      const std::string relative = path.lexically_relative(bundle).string();
      const fs::file_status status = fs::symlink_status(path, error);
      if (error) break;
      if (!is_bundle_path(relative))
        listing.problems.push_back({printable(relative), "has a name that a bundle cannot hold"});
      else if (fs::is_directory(status))
        folders.push_back(path);
      else if (fs::is_regular_file(status))
        listing.files.push_back(relative);
      else
        listing.problems.push_back(
            {relative, fs::is_symlink(status) ? "is a symbolic link" : "is not a plain file"});
    }
    if (error) listing.problems.push_back({name_of(folder), "cannot be listed: " + error.message()});
    if (empty && !error && folder != bundle)
      listing.problems.push_back({name_of(folder), "is an empty folder"});
  }
  std::ranges::sort(listing.files);
  std::ranges::sort(listing.problems, {}, &Finding::file);
  return listing;
}

void require_plain_files(const std::filesystem::path& bundle) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::recursive_directory_iterator entries(bundle, error);  // follows no link
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    const fs::file_status status = entries->symlink_status(error);
    // What another process has just removed is not there.
    if (error || fs::is_regular_file(status) || fs::is_directory(status) || !fs::exists(status)) continue;
    throw input_error("{}: is {}, and a bundle holds folders and plain files alone",
                      printable(entries->path().string()),
                      fs::is_symlink(status) ? "a symbolic link" : "no plain file");
  }
}

std::string hash_list_text(const std::vector<HashLine>& lines) {
  std::string text;
  for (const HashLine& line : lines) text += line.sha256 + "  " + line.path + "\n";
  const std::string own = sha256_hex(text);
  return text.append(kOwnHashLead).append(own).append("\n");
}

HashList parse_hash_list(std::string_view text) {
  HashList list;
  const std::string_view whole = text;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('#') && text.empty()) break;  // its content is checked below
    HashLine parsed;
    if (const std::string problem = read_hash_line(line, parsed); !problem.empty())
      list.problems.push_back(fmt::format("line {} {}", number, problem));
    else
      list.lines.push_back(std::move(parsed));
  }
  if (!std::ranges::is_sorted(list.lines, std::ranges::less_equal{}, &HashLine::path))
    list.problems.emplace_back("paths are not sorted, or one occurs twice");
  if (list.problems.empty() && hash_list_text(list.lines) != whole)
    list.problems.emplace_back("has been changed: its last line is not the hash of the lines above");
  return list;
}

}  // namespace aqbench
