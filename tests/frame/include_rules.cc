#include "tests/frame/include_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "scenes/core/files.h"

namespace aqbench {
namespace {

struct Folder {
  std::string_view prefix;
  std::set<std::string_view> may_use;  // prefixes, its own included
};

// Longer prefixes first: a file belongs to the first that fits.
const std::vector<Folder>& folders() {
  static const std::vector<Folder> table = {
      {"scenes/core/", {"scenes/core/"}},
      {"scenes/optics/", {"scenes/core/", "scenes/optics/"}},
      {"scenes/", {"scenes/core/", "scenes/optics/", "scenes/"}},
      {"metrics/", {"scenes/core/", "scenes/optics/", "scenes/", "metrics/"}},
      {"pipeline/", {"scenes/core/", "scenes/optics/", "scenes/", "pipeline/"}},
      {"harness/cli/",
       {"scenes/core/", "scenes/optics/", "scenes/", "metrics/", "pipeline/", "harness/", "reports/",
        "harness/cli/"}},
      {"harness/", {"scenes/core/", "scenes/optics/", "scenes/", "metrics/", "pipeline/", "harness/"}},
      {"reports/",
       {"scenes/core/", "scenes/optics/", "scenes/", "metrics/", "pipeline/", "harness/", "reports/"}},
  };
  return table;
}

const Folder* folder_of(std::string_view path) {
  for (const Folder& folder : folders())
    if (path.starts_with(folder.prefix)) return &folder;
  return nullptr;
}

// The top folder: what has a library and headers of its own for others.
std::string_view top_folder(std::string_view path) { return path.substr(0, path.find('/')); }

constexpr std::array<std::string_view, 7> kHeavyPrefixes = {"torch/",  "ATen/",    "c10/",    "caffe2/",
                                                            "open3d/", "embree3/", "opencv2/"};

bool is_heavy(const Include& include) {
  if (include.path == "nlohmann/json.hpp") return true;
  return std::ranges::any_of(kHeavyPrefixes, [&](std::string_view p) { return include.path.starts_with(p); });
}

// Written by the build beside the sources.
constexpr std::string_view kGenerated = "aqbench_source_state.h";

bool may_see_truth(std::string_view path) {
  return !path.starts_with("pipeline/") || path.starts_with("pipeline/simulated") ||
         path == "pipeline/registry.cc";
}

class RuleChecker {
 public:
  explicit RuleChecker(const std::vector<SourceFile>& files) {
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
    }
    std::ranges::sort(violations_);
    return std::move(violations_);
  }

 private:
  void report(const SourceFile& file, const Include& include, std::string_view what) {
    violations_.push_back(fmt::format("{}:{}: {}", file.path, include.line, what));
  }

  void check_direction(const SourceFile& file, const Include& include) {
    if (!include.quoted || include.path == kGenerated) return;
    const Folder* const from = folder_of(file.path);
    const Folder* const to = folder_of(include.path);
    if (from == nullptr || to == nullptr || !files_.contains(include.path)) {
      report(file, include, fmt::format("\"{}\" is not a source file of the project", include.path));
    } else if (!from->may_use.contains(to->prefix)) {
      report(file, include, fmt::format("{} may not use {}: \"{}\"", from->prefix, to->prefix, include.path));
    }
  }

  void check_library(const SourceFile& file, const Include& include) {
    if (include.path == "torch/torch.h" || include.path.ends_with("/Open3D.h"))
      report(file, include, fmt::format("<{}> is too heavy for anybody", include.path));
    if (include.path.starts_with("boost/program_options") && !file.path.starts_with("harness/cli/"))
      report(file, include, "Boost.Program_options outside harness/cli");
    if (!include.quoted || top_folder(file.path) == top_folder(include.path)) return;
    // Only chains within one folder: where a chain crosses into the next, it is reported there.
    const std::string_view folder = top_folder(include.path);
    const std::string chain = find_chain(
        include.path, is_heavy, [&](const Include& next) { return top_folder(next.path) == folder; });
    if (!chain.empty()) report(file, include, "a header for other folders is heavy: " + chain);
  }

  void check_truth(const SourceFile& file) {
    if (may_see_truth(file.path)) return;
    const std::string chain = find_chain(
        file.path,
        [](const Include& include) {
          return include.path == "scenes/scene.h" || include.path == "scenes/surface.h";
        },
        [](const Include&) { return true; });
    if (!chain.empty()) report(file, file.includes.front(), "a real method reaches the truth: " + chain);
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

  std::map<std::string, const SourceFile*> files_;
  std::vector<std::string> violations_;
};

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
  for (const char* const folder : {"scenes", "metrics", "pipeline", "harness", "reports"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc" && extension != ".inc") continue;
      files.push_back({std::filesystem::relative(entry.path(), root).generic_string(),
                       parse_includes(read_file(entry.path()))});
    }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::vector<std::string> include_violations(const std::vector<SourceFile>& files) {
  return RuleChecker(files).check();
}

}  // namespace aqbench
