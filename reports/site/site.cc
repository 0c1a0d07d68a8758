#include "reports/site/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/sha256.h"
#include "core/text.h"
#include "reports/bundle/verify.h"
#include "reports/site/site_baselines.h"
#include "reports/site/site_pages.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPageFolders[] = {"suite", "scene",  "method", "metric",     "badge",   "api",
                                        "data",  "report", "assets", "comparison", "baseline"};

std::string folder_names(const std::vector<fs::path>& folders) {
  std::string names;
  for (const fs::path& folder : folders) names += (names.empty() ? "" : ", ") + folder.string();
  return names;
}

// Names the files that the site has, a line each: no others are ever removed.
constexpr const char* kSiteFilesFile = "data/files.txt";

// Whether the folder has nothing but what a killed call leaves before it has written the file of runs:
// folders of a site, all empty but for a file of runs that was being written.
bool is_begun_site(const fs::path& out) {
  const std::string written = (out / kSiteRunsFile).string() + ".tmp";
  for (const fs::path& folder : entries_of(out)) {
    if (std::ranges::find(kPageFolders, folder.filename().string()) == std::end(kPageFolders)) return false;
    for (const fs::path& file : entries_of(folder))
      if (!file.string().starts_with(written)) return false;
  }
  return true;
}

// A site's folders and its file of runs are no links: a link may lead to files of another owner.
void check_out(const fs::path& out) {
  std::error_code error;
  for (const char* const folder : kPageFolders)
    if (fs::is_symlink(out / folder, error))
      throw Error(ErrorKind::input,
                  fmt::format("{}: is a symbolic link, and no folder of a site", (out / folder).string()));
  if (!fs::exists(out, error) || fs::is_empty(out, error) || is_site(out) || is_begun_site(out)) return;
  throw Error(ErrorKind::input, out.string() + ": is not empty and no site");
}

SiteSuites suites_of(const std::vector<SiteRun>& runs, DecideBy decide_by) {
  SiteSuites suites;
  for (const SiteRun& run : runs) suites[run.suite].runs.push_back(&run);
  for (auto& [name, suite] : suites) {
    std::ranges::sort(suite.runs, {},
                      [](const SiteRun* run) { return std::pair(run->started_utc, run->id); });
    suite.names = site_short_names(suite.runs);
    suite.steps = site_steps(suite.runs, decide_by);
  }
  return suites;
}

// Takes the commits from the paths of the runs. Throws Error(usage) where no path has one.
void name_commits(const std::string& pattern, std::vector<SiteRun>& runs) {
  bool matched = false;
  for (SiteRun& run : runs)
    if (const auto commit = commit_in_path(pattern, run.folder)) {
      run.folder_commit = *commit;
      matched = true;
    }
  if (!matched) throw usage_error("--commit-of '{}': no bundle or file lies there", pattern);
}

// Gates the newest run of each suite where it was not gated by itself. One whose bundle cannot be read now
// passes none.
void gate_newest(const SiteSuites& suites, const std::vector<SiteBaseline>& baselines, SiteReading& read) {
  std::vector<SiteRun*> newest;
  for (SiteRun& run : read.runs)
    if (suites.at(run.suite).runs.back() == &run) newest.push_back(&run);
  std::vector<std::string> problems(newest.size());
  parallel_for(newest.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (read.kept.contains(newest[i]->key))
        newest[i]->gate = SiteGate{"its bundle cannot be read", false};
      else if (!newest[i]->gate)
        newest[i]->gate = gate_of(*newest[i], baselines, problems[i]);
  });
  for (std::string& problem : problems)
    if (!problem.empty()) read.problems.push_back(std::move(problem));
}

// Files are written where their text differs, and what is no file of the site any more is removed.
class SiteWriter {
 public:
  explicit SiteWriter(fs::path out) : out_(std::move(out)) {
    // First of all: by this file the folder is known as a site, also after a run that was killed.
    fs::create_directories((out_ / kSiteRunsFile).parent_path());
    if (!fs::exists(out_ / kSiteRunsFile)) write_file(out_ / kSiteRunsFile, "");
    for (const char* const folder : kPageFolders) fs::create_directories(out_ / folder);
    if (!path_exists(out_ / kSiteFilesFile)) return;
    const std::string list = read_file(out_ / kSiteFilesFile);
    for (const std::string_view path : split_at(list, '\n')) had_.emplace(path);
  }

  void write(const SiteFile& file) {
    keep(file.first);
    std::error_code error;
    const fs::path path = out_ / file.first;
    if (fs::is_symlink(path, error)) fs::remove(path, error);  // the link, not what it leads to
    if (fs::file_size(path, error) == file.second.size() && !error && read_file(path) == file.second) return;
    write_file(path, file.second);
  }

  void keep(const std::string& path) { kept_.insert(path); }

  std::size_t pages() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(kept_, [](const std::string& path) { return path.ends_with(".html"); }));
  }

  // Call it last.
  void remove_others() {
    keep(kSiteFilesFile);
    std::string list;
    for (const std::string& path : kept_) list += path + "\n";
    write({kSiteFilesFile, list});
    for (const char* const folder : kPageFolders)
      for (const auto& entry : fs::directory_iterator(out_ / folder)) {
        std::error_code ignored;  // a page that cannot be removed stays and nothing leads to it
        const std::string path = fmt::format("{}/{}", folder, entry.path().filename().string());
        if (!kept_.contains(path) && had_.contains(path)) fs::remove(entry.path(), ignored);
      }
  }

 private:
  fs::path out_;
  std::set<std::string> kept_, had_;  // of this call, and of the one before
};

// Returns the result of `read`; nullopt, with a line in `problems`, if a bundle cannot be read.
template <class Read>
std::optional<std::string> readable(const Read& read, std::vector<std::string>& problems) {
  try {
    return read();
  } catch (const Error& problem) {
    problems.emplace_back(problem.what());
    return std::nullopt;
  }
}

// The hashes of the pages of runs that this site has made, a line each.
constexpr const char* kSiteReportsFile = "data/reports.txt";

std::map<std::string, std::string> known_reports(const fs::path& out) {
  std::map<std::string, std::string> known;
  if (!path_exists(out / kSiteReportsFile)) return known;
  const HashList list = parse_hash_list(read_file(out / kSiteReportsFile));
  if (list.problems.empty())
    for (const HashLine& line : list.lines) known[line.path] = line.sha256;
  return known;
}

// Renders the pages of the newest runs and returns where they lie. A bundle that does not verify has none,
// with a line in `problems`; a page that was changed is made again. Of a bundle that cannot be read any more
// the page stays.
SiteReports make_reports(const SiteSuites& suites, std::size_t most, const fs::path& out, SiteWriter& writer,
                         const std::set<std::string>& kept, std::vector<std::string>& problems) {
  SiteReports reports;
  const std::map<std::string, std::string> known = known_reports(out);
  std::map<std::string, std::string> made;
  for (const auto& [name, suite] : suites)
    for (std::size_t i = suite.runs.size() - std::min(most, suite.runs.size()); i < suite.runs.size(); ++i) {
      const SiteRun& run = *suite.runs[i];
      const bool other_tool = is_of_other_tool(run.folder);  // its own file is the page
      const std::string path = fmt::format("report/{}-{}{}", site_file_name(run.id), run.key.substr(0, 8),
                                           other_tool ? ".json" : ".html");
      const auto before = known.find(path);
      if (before != known.end() && path_exists(out / path) && sha256_file_hex(out / path) == before->second) {
        made[path] = before->second;
      } else {
        if (kept.contains(run.key) || (other_tool && !is_file(run.folder))) continue;
        const auto page = readable(
            [&] { return std::optional(other_tool ? read_file(run.folder) : bundle_page(run.folder)); },
            problems);
        if (!page) continue;
        write_file(out / path, *page);
        made[path] = sha256_hex(*page);
      }
      writer.keep(path);
      reports[run.key] = path;
    }
  std::vector<HashLine> lines;
  for (const auto& [path, sha256] : made) lines.push_back({sha256, path});
  writer.write({kSiteReportsFile, hash_list_text(lines)});
  return reports;
}

// One of each suite, made side by side.
std::vector<SiteFile> comparison_pages(const SiteSuites& suites, const SiteReports& reports) {
  std::vector<const SiteSuites::value_type*> all;
  for (const auto& suite : suites) all.push_back(&suite);
  std::vector<SiteFile> pages(all.size());
  parallel_for(all.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      pages[i] = comparisons_page(all[i]->first, all[i]->second.runs, reports);
  });
  return pages;
}

}  // namespace

SiteSummary write_site(const SiteRequest& request) {
  if (path_exists(request.out) && !folder_exists(request.out))
    throw Error(ErrorKind::input, request.out.string() + ": is not a folder", request.out.string());
  std::vector<UnlistedFolder> unlisted;
  const std::vector<fs::path> bundles = find_bundles(request.folders, &unlisted);
  if (bundles.empty() && unlisted.empty())  // a folder that was mistyped must not empty a site
    throw Error(ErrorKind::input, folder_names(request.folders) + ": no bundle there; nothing is written");
  fs::create_directories(request.out);
  const FileLock alone = FileLock::wait_folder(request.out);  // several jobs may publish one site
  check_out(request.out);
  SiteBaselines baselines = read_site_baselines(request.folders, request.baselines);
  SiteReading read = read_site_runs(bundles, unlisted, request.out);
  std::ranges::move(baselines.problems, std::back_inserter(read.problems));
  if (!request.commit_of.empty()) name_commits(request.commit_of, read.runs);
  const SiteSuites suites = suites_of(read.runs, request.decide_by);
  gate_newest(suites, baselines.found, read);
  SiteWriter writer(request.out);
  const SiteReports reports =
      make_reports(suites, request.reports, request.out, writer, read.kept, read.problems);
  for (const SiteFile& page : comparison_pages(suites, reports)) writer.write(page);
  for (const auto& [name, suite] : suites) {
    writer.write(suite_page(name, suite, reports));
    writer.write(suite_data(name, suite));
    writer.write(suite_badge(name, *suite.runs.back()));
    writer.write(suite_endpoint(name, *suite.runs.back()));
  }
  for (const SiteFile& page : subject_pages(suites, reports)) writer.write(page);
  for (const SiteFile& asset : site_assets()) writer.write(asset);
  writer.write(index_page(suites, reports, read.problems));
  writer.write(baselines_page(baselines.found, read.runs, reports));
  std::string lines;
  for (const std::string& line : read.lines) lines += line + "\n";
  writer.write({kSiteRunsFile, lines});
  writer.remove_others();
  return {read.runs.size(), read.read, writer.pages(), std::move(read.problems)};
}

}  // namespace aqbench
