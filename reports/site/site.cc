#include "reports/site/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/sha256.h"
#include "core/text.h"
#include "reports/history/trend.h"
#include "reports/site/site_baselines.h"
#include "reports/site/site_comparisons.h"
#include "reports/site/site_pages.h"
#include "reports/site/site_run.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunsFile = "data/runs.jsonl";
constexpr const char* kPageFolders[] = {"suite", "scene",  "method", "metric",     "badge",   "api",
                                        "data",  "report", "assets", "comparison", "baseline"};

std::string folder_names(const std::vector<fs::path>& folders) {
  std::string names;
  for (const fs::path& folder : folders) names += (names.empty() ? "" : ", ") + folder.string();
  return names;
}

// What the site knew before: key -> line.
std::map<std::string, std::string> known_lines(const fs::path& out) {
  std::map<std::string, std::string> known;
  std::error_code error;
  if (!fs::exists(out / kRunsFile, error)) return known;
  const std::string text = read_text_file(out / kRunsFile);
  constexpr std::string_view kStart = "{\"key\":\"";
  for (const std::string_view line : split_at(text, '\n'))
    if (line.starts_with(kStart) && line.size() > kStart.size() + 64)
      known.emplace(line.substr(kStart.size(), 64), line);
  return known;
}

void check_out(const fs::path& out) {
  std::error_code error;
  if (!fs::exists(out, error) || fs::exists(out / kRunsFile, error) || fs::is_empty(out, error)) return;
  throw Error(ErrorKind::input, out.string() + ": is not empty and no site");
}

struct ReadRuns {
  std::vector<SiteRun> runs;
  std::vector<std::string> lines, problems;
  std::size_t read = 0;
};

// Returns the run of a line that the site has; nullopt where it cannot be read: its bundle is read once more.
std::optional<SiteRun> known_run(const std::string& line) {
  try {
    return site_run_of(line, kRunsFile);
  } catch (const Error&) {
    return std::nullopt;
  }
}

ReadRuns read_runs(const std::vector<fs::path>& bundles, const std::map<std::string, std::string>& known) {
  struct Slot {
    std::optional<SiteRun> run;
    std::string line, problem;
    bool was_read = false;
  };
  std::vector<Slot> slots(bundles.size());
  parallel_for(bundles.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) try {
        const auto found = known.find(site_key(bundles[i]));
        if (found != known.end()) {
          slots[i].line = found->second;
          slots[i].run = known_run(found->second);
        }
        slots[i].was_read = !slots[i].run;
        if (slots[i].was_read) {
          slots[i].line = site_line(read_site_run(bundles[i]));
          slots[i].run = site_run_of(slots[i].line, kRunsFile);
        }
        slots[i].run->folder = bundles[i].string();
      } catch (const Error& error) {
        slots[i].problem = error.what();
      }
  });
  ReadRuns all;
  std::set<std::string> keys;
  for (Slot& slot : slots) {
    if (!slot.run) {
      all.problems.push_back(slot.problem);
      continue;
    }
    if (!keys.insert(slot.run->key).second) continue;  // the same bundle twice
    all.read += slot.was_read ? 1 : 0;
    all.lines.push_back(std::move(slot.line));
    all.runs.push_back(std::move(*slot.run));
  }
  return all;
}

SiteSuites suites_of(const std::vector<SiteRun>& runs) {
  SiteSuites suites;
  for (const SiteRun& run : runs) suites[run.suite].push_back(&run);
  for (auto& [suite, list] : suites)
    std::ranges::sort(list, {}, [](const SiteRun* run) { return std::pair(run->started_utc, run->id); });
  return suites;
}

// Files are written where their text differs, and what is no file of the site any more is removed.
class SiteWriter {
 public:
  explicit SiteWriter(fs::path out) : out_(std::move(out)) {
    for (const char* const folder : kPageFolders) fs::create_directories(out_ / folder);
    // First of all: by this file the folder is known as a site, also after a run that was killed.
    if (!fs::exists(out_ / kRunsFile)) write_file(out_ / kRunsFile, "");
  }

  void write(const std::pair<std::string, std::string>& file) {
    keep(file.first);
    std::error_code error;
    const fs::path path = out_ / file.first;
    if (fs::file_size(path, error) == file.second.size() && !error && read_file(path) == file.second) return;
    write_file(path, file.second);
  }

  void keep(const std::string& path) { kept_.insert(path); }

  std::size_t pages() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(kept_, [](const std::string& path) { return path.ends_with(".html"); }));
  }

  void remove_others() const {
    for (const char* const folder : kPageFolders)
      for (const auto& entry : fs::directory_iterator(out_ / folder)) {
        std::error_code ignored;  // a page that cannot be removed stays and nothing leads to it
        if (!kept_.contains(fmt::format("{}/{}", folder, entry.path().filename().string())))
          fs::remove(entry.path(), ignored);
      }
  }

 private:
  fs::path out_;
  std::set<std::string> kept_;
};

// The copies of the newest runs' reports. One that is not the file that its bundle's list names is left out,
// with a line in `problems`; so is a copy that somebody changed, which is made anew.
SiteReports copy_reports(const SiteSuites& suites, std::size_t most, const fs::path& out, SiteWriter& writer,
                         std::vector<std::string>& problems) {
  SiteReports reports;
  for (const auto& [suite, runs] : suites)
    for (std::size_t i = runs.size() - std::min(most, runs.size()); i < runs.size(); ++i) {
      const SiteRun& run = *runs[i];
      const std::string path = fmt::format("report/{}-{}.html", site_file_name(run.id), run.key.substr(0, 8));
      try {
        const std::optional<std::string> sha256 = site_report_sha256(run.folder);
        if (!sha256) continue;
        std::error_code error;
        if (!fs::exists(out / path, error) || sha256_hex(read_file(out / path)) != *sha256)
          write_file(out / path, site_report(run.folder, *sha256));
      } catch (const Error& problem) {
        if (problem.kind() == ErrorKind::io) throw;
        problems.emplace_back(problem.what());
        continue;
      }
      writer.keep(path);
      reports[run.key] = path;
    }
  return reports;
}

}  // namespace

SiteSummary write_site(const SiteRequest& request) {
  check_out(request.out);
  const std::vector<fs::path> bundles = find_bundles(request.folders);
  if (bundles.empty())  // a folder that was mistyped must not empty a site
    throw Error(ErrorKind::input, folder_names(request.folders) + ": no bundle there; nothing is written");
  SiteBaselines baselines = read_site_baselines(request.folders, request.baselines);
  ReadRuns read = read_runs(bundles, known_lines(request.out));
  const SiteSuites suites = suites_of(read.runs);
  SiteWriter writer(request.out);
  const SiteReports reports = copy_reports(suites, request.reports, request.out, writer, read.problems);
  SiteSteps steps;
  SiteNames names;
  for (const auto& [suite, runs] : suites) {
    const std::vector<SiteStep>& found = steps[suite] = site_steps(runs);
    const ShortNames& shorter = names[suite] = site_short_names(runs);
    writer.write(suite_page(suite, runs, shorter, reports, found));
    writer.write(suite_data(suite, runs, shorter, found));
    writer.write(comparisons_page(suite, runs, reports));
    writer.write(suite_badge(suite, *runs.back()));
    writer.write(suite_endpoint(suite, *runs.back()));
  }
  for (const auto& page : subject_pages(suites, names, steps, reports)) writer.write(page);
  for (const auto& asset : site_assets()) writer.write(asset);
  writer.write(index_page(suites));
  writer.write(baselines_page(baselines.found, read.runs, reports));
  std::ranges::move(baselines.problems, std::back_inserter(read.problems));
  std::string lines;
  for (const std::string& line : read.lines) lines += line + "\n";
  writer.write({kRunsFile, lines});
  writer.remove_others();
  return {read.runs.size(), read.read, writer.pages(), std::move(read.problems)};
}

}  // namespace aqbench
