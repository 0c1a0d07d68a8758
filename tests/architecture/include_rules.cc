#include "tests/architecture/include_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>

#include "core/files.h"
#include "core/text.h"

namespace aqbench {
namespace {

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == path.npos ? 0 : slash + 1));
}

// A header and its source count as one: "core/text" for both core/text.h and core/text.cc.
std::string stem_of(std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); }

constexpr std::array<std::string_view, 9> kHeavyPrefixes = {
    "torch/", "ATen/", "c10/", "caffe2/", "open3d/", "embree3/", "opencv2/", "OpenEXR/", "tiffio.h"};

bool is_heavy(const Include& include) {
  if (include.path == "nlohmann/json.hpp") return true;
  return std::ranges::any_of(kHeavyPrefixes, [&](std::string_view p) { return include.path.starts_with(p); });
}

// Written by the build beside the sources.
constexpr std::string_view kGenerated = "aqbench_source_state.h";

bool may_see_truth(std::string_view path) {
  return !path.starts_with("pipeline/") || path.starts_with("pipeline/simulated/") ||
         path == "pipeline/registry.cc";
}

class RuleChecker {
 public:
  RuleChecker(const std::vector<SourceFile>& files, const FolderTable& table) : table_(table) {
    for (const SourceFile& file : files) files_.emplace(file.path, &file);
  }

  std::vector<std::string> check() {
    for (const auto& [path, file] : files_) {
      for (const Include& include : file->includes) {
        check_direction(*file, include);
        check_library(*file, include);
      }
      check_truth(*file);
      check_own_header(*file);
      if (file->lines > kMaxLinesPerFile)
        violations_.push_back(fmt::format("{}: {} lines, at most {}: give a part a file of its own", path,
                                          file->lines, kMaxLinesPerFile));
    }
    check_folders();
    check_circles();
    std::ranges::sort(violations_);
    return std::move(violations_);
  }

 private:
  void report(const SourceFile& file, const Include& include, std::string_view what) {
    violations_.push_back(fmt::format("{}:{}: {}", file.path, include.line, what));
  }

  void check_direction(const SourceFile& file, const Include& include) {
    if (!include.quoted || include.path == kGenerated) return;
    const std::string from = folder_of(file.path), to = folder_of(include.path);
    const auto row = table_.find(from);
    if (!files_.contains(include.path))
      report(file, include, fmt::format("\"{}\" is not a source file of the project", include.path));
    else if (from != to && row != table_.end() && !row->second.contains(to))
      report(
          file, include,
          fmt::format("{} may not use {} (table of docs/architecture.md): \"{}\"", from, to, include.path));
  }

  void check_folders() {
    std::set<std::string> folders;
    for (const auto& [path, file] : files_) folders.insert(folder_of(path));
    for (const std::string& folder : folders)
      if (!table_.contains(folder))
        violations_.push_back(fmt::format("{}: not in the table of docs/architecture.md", folder));
    for (const auto& [folder, allowed] : table_)
      if (!folders.contains(folder))
        violations_.push_back(
            fmt::format("{}: in the table of docs/architecture.md, but without files", folder));
  }

  // Visits every stem once; one met again while it is still open closes a circle.
  void check_circles() {
    std::map<std::string, std::set<std::string>> used;
    for (const auto& [path, file] : files_)
      for (const Include& include : file->includes)
        if (include.quoted && files_.contains(include.path) && stem_of(path) != stem_of(include.path))
          used[stem_of(path)].insert(stem_of(include.path));
    std::set<std::string> done;
    std::vector<std::string> open;
    for (const auto& [stem, uses] : used) visit_stem(stem, used, done, open);
  }

  void visit_stem(const std::string& stem, const std::map<std::string, std::set<std::string>>& used,
                  std::set<std::string>& done, std::vector<std::string>& open) {
    if (const auto again = std::ranges::find(open, stem); again != open.end()) {
      std::string circle;
      for (auto step = again; step != open.end(); ++step) circle += *step + " -> ";
      violations_.push_back(fmt::format("{}: includes in a circle: {}{}", stem, circle, stem));
      return;
    }
    if (!done.insert(stem).second) return;
    open.push_back(stem);
    if (const auto uses = used.find(stem); uses != used.end())
      for (const std::string& next : uses->second) visit_stem(next, used, done, open);
    open.pop_back();
  }

  void check_library(const SourceFile& file, const Include& include) {
    if (include.path == "torch/torch.h" || include.path.ends_with("/Open3D.h"))
      report(file, include, fmt::format("<{}> is too heavy: include a smaller header", include.path));
    if (include.path.starts_with("boost/program_options") && !file.path.starts_with("core/command_line/"))
      report(file, include, "Boost.Program_options outside core/command_line");
    if (!include.quoted || folder_of(file.path) == folder_of(include.path)) return;
    if (include.path == "core/json_members.h" && file.path.ends_with(".cc")) return;  // for sources alone
    // Only chains within one folder: where a chain crosses into the next, it is reported there.
    const std::string folder = folder_of(include.path);
    const std::string chain = find_chain(include.path, is_heavy,
                                         [&](const Include& next) { return folder_of(next.path) == folder; });
    if (!chain.empty()) report(file, include, "a header for other folders is heavy: " + chain);
  }

  void check_truth(const SourceFile& file) {
    if (may_see_truth(file.path)) return;
    const std::string chain = find_chain(
        file.path,
        [](const Include& include) {
          return include.path == "scenes/scene.h" || include.path == "scenes/surfaces/surface.h";
        },
        [](const Include&) { return true; });
    if (!chain.empty())
      report(file, file.includes.front(), "reaches the truth, which only pipeline/simulated/ may: " + chain);
  }

  void check_own_header(const SourceFile& file) {
    if (!file.path.ends_with(".cc")) return;
    const std::string header = file.path.substr(0, file.path.size() - 2) + "h";
    if (!files_.contains(header)) return;
    if (file.includes.empty() || file.includes.front().path != header)
      violations_.push_back(fmt::format("{}:1: the first include must be \"{}\"", file.path, header));
  }

  // "A.h -> B.h -> c.h" from `start` to a wanted include over quoted ones that are to be followed, "" if none
  // is reached.
  template <class Wanted, class Followed>
  std::string find_chain(const std::string& start, const Wanted& wanted, const Followed& followed) {
    std::set<std::string> seen;
    return find_chain(start, wanted, followed, seen);
  }

  template <class Wanted, class Followed>
  std::string find_chain(const std::string& path, const Wanted& wanted, const Followed& followed,
                         std::set<std::string>& seen) {
    const auto found = files_.find(path);
    if (found == files_.end() || !seen.insert(path).second) return {};
    for (const Include& include : found->second->includes) {
      if (wanted(include)) return fmt::format("{} -> {}", path, include.path);
      if (!include.quoted || !followed(include)) continue;
      if (const std::string rest = find_chain(include.path, wanted, followed, seen); !rest.empty())
        return fmt::format("{} -> {}", path, rest);
    }
    return {};
  }

  const FolderTable& table_;
  std::map<std::string, const SourceFile*> files_;
  std::vector<std::string> violations_;
};

// "`core/`, `scenes/cloud/`" -> {"core/", "scenes/cloud/"}
std::vector<std::string> backquoted(std::string_view cell) {
  const std::vector<std::string_view> parts = split_at(cell, '`');
  std::vector<std::string> names;
  for (std::size_t i = 1; i + 1 < parts.size(); i += 2) names.emplace_back(parts[i]);
  return names;
}

// A row of the table of folders.
struct FolderRow {
  std::string folder;
  std::vector<std::string> may_use;  // by name
  bool all_above = false;
};

std::vector<FolderRow> folder_rows(std::string_view document) {
  std::vector<FolderRow> rows;
  bool inside = false;
  for (const std::string_view line : split_at(document, '\n')) {
    if (!line.starts_with("|")) {
      inside = false;
      continue;
    }
    const std::vector<std::string_view> cells = split_at(line, '|');
    if (line.starts_with("| folder |")) inside = cells.size() > 3;
    if (!inside || line.starts_with("| folder |") || line.starts_with("|---")) continue;
    const std::vector<std::string> folders = backquoted(cells[1]);
    if (folders.size() != 1) throw std::runtime_error(fmt::format("one folder in each row: {}", line));
    rows.push_back({folders[0], backquoted(cells[3]), cells[3].find("all above") != line.npos});
  }
  return rows;
}

// Cuts blanks and then `word` off the front of the line; false if something else stands there.
bool take_word(std::string_view& line, std::string_view word) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with(word)) return false;
  line.remove_prefix(word.size());
  return true;
}

}  // namespace

std::vector<Include> parse_includes(std::string_view text) {
  std::vector<Include> includes;
  for (int line_number = 1; !text.empty(); ++line_number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!take_word(line, "#") || !take_word(line, "include")) continue;
    const bool quoted = take_word(line, "\"");
    if (!quoted && !take_word(line, "<")) continue;
    includes.push_back({std::string(line.substr(0, line.find(quoted ? '"' : '>'))), quoted, line_number});
  }
  return includes;
}

std::vector<SourceFile> read_source_files(const std::filesystem::path& root) {
  std::vector<SourceFile> files;
  for (const char* const folder :
       {"core", "scenes", "metrics", "pipeline", "harness", "reports", "cli", "aqbench", "python"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc" && extension != ".inc") continue;
      const std::string text = read_file(entry.path());
      files.push_back({std::filesystem::relative(entry.path(), root).generic_string(), parse_includes(text),
                       static_cast<std::size_t>(std::ranges::count(text, '\n'))});
    }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

FolderTable parse_folder_table(std::string_view document) {
  FolderTable table;
  std::set<std::string> above;
  for (const FolderRow& row : folder_rows(document)) {
    std::set<std::string> allowed;
    if (row.all_above) allowed = above;
    for (const std::string& name : row.may_use) {
      if (!above.contains(name))
        throw std::runtime_error(fmt::format("{} is no folder above {}", name, row.folder));
      allowed.insert(name);
    }
    table.emplace(row.folder, allowed);
    above.insert(row.folder);
  }
  return table;
}

std::vector<std::string> unused_allowances(const std::vector<SourceFile>& files, std::string_view document) {
  std::map<std::string, std::set<std::string>> used;
  for (const SourceFile& file : files)
    for (const Include& include : file.includes)
      if (include.quoted) used[folder_of(file.path)].insert(folder_of(include.path));
  std::vector<std::string> unused;
  for (const FolderRow& row : folder_rows(document))
    for (const std::string& name : row.may_use)
      if (!used[row.folder].contains(name))
        unused.push_back(fmt::format("{} may use {}, but no file does", row.folder, name));
  return unused;
}

std::vector<std::string> include_violations(const std::vector<SourceFile>& files, const FolderTable& table) {
  return RuleChecker(files, table).check();
}

}  // namespace aqbench
