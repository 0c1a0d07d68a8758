#include "reports/site/site.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "reports/bundle/verify.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSiteFolders[] = {"report", "badge", "data"};
// Names the files of the site, a line each: no others are ever removed, and by it a folder is known as a
// site.
constexpr const char* kSiteFiles = "data/files.txt";

// A site's folders are no links: a link may lead to files of another owner.
void check_out(const fs::path& out) {
  std::error_code error;
  for (const char* const folder : kSiteFolders)
    if (fs::is_symlink(out / folder, error))
      throw input_error("{}: is a symbolic link, and no folder of a site", (out / folder).string());
  if (!fs::is_empty(out, error) && !is_file(out / kSiteFiles))
    throw input_error("{}: is not empty and no site", out.string());
}

// Removes a file that an earlier call wrote.
void remove_old(const fs::path& out, const fs::path& file) {
  std::error_code ignored;  // a page that cannot be removed stays and nothing leads to it
  if (file.lexically_normal() == file && file.has_parent_path() && !file.is_absolute() &&
      *file.begin() != ".." && !fs::is_symlink(out / file.parent_path(), ignored))
    fs::remove(out / file, ignored);
}

// What the gate says of a run: against the accepted values in its bundle, else, of the newest run of a suite,
// against those of its baseline. A gate that cannot look refuses.
std::optional<Verdicts> gated_of(const TrendRun& run, const Baseline* baseline,
                                 std::vector<std::string>& problems) {
  if (baseline != nullptr && baseline->accepted_bundle == run.id) baseline = nullptr;
  const fs::path own = run.folder / kBaselineCopyName;
  if (!is_file(own) && baseline == nullptr) return std::nullopt;
  try {
    return gate(run.results, is_file(own) ? read_baseline(own) : *baseline);
  } catch (const Error& error) {
    problems.push_back(fmt::format("{}: not gated: {}", run.folder.string(), error.what()));
    Verdicts refused;
    refused.refusal = error.what();
    return refused;
  }
}

// The runs of each suite with what the gate says of them.
std::vector<SiteSuite> suites_of(TrendHistory history, const SiteRequest& request,
                                 std::vector<std::string>& problems) {
  std::map<std::string, SiteSuite> by_name;
  for (TrendRun& run : history.runs) by_name[run.results.run.suite].history.runs.push_back(std::move(run));
  std::vector<Baseline> baselines;
  for (const fs::path& file : request.baselines) baselines.push_back(read_baseline(file));
  TrendOptions options;
  options.decide_by = request.decide_by;
  std::vector<SiteSuite> suites;
  for (auto& [name, suite] : by_name) {
    suite.name = name;
    suite.series = detect_trends(suite.history, options);
    const auto baseline = std::ranges::find(baselines, name, &Baseline::suite);
    for (const TrendRun& run : suite.history.runs)
      suite.runs.push_back({gated_of(
          run, &run == &suite.history.runs.back() && baseline != baselines.end() ? &*baseline : nullptr,
          problems)});
    suites.push_back(std::move(suite));
  }
  return suites;
}

// Since when the worst value that the gate of a run refuses is as it is: "" where the history does not say.
std::string since_text(const SiteSuite& suite, std::size_t run) {
  const std::optional<Verdicts>& gated = suite.runs[run].gated;
  if (!gated || gated->rows.empty() || !is_refused(gated->rows.front().verdict)) return "";
  const VerdictRow& worst = gated->rows.front();
  std::string text;
  for (const TrendSeries& series : suite.series)
    for (const ChangePoint& change : series.changes)
      if (series.case_name == worst.case_name && series.metric == worst.metric &&
          series.runs[change.index] <= run)
        text = "since run " + run_name(suite.history.runs[series.runs[change.index]]);
  return text;
}

// Adds the pages of the newest runs of a suite, rendered from their records; the file of another benchmark
// tool is its own page.
void add_reports(std::size_t most, SiteSuite& suite, std::map<std::string, std::string>& files) {
  for (std::size_t i = suite.runs.size() - std::min(most, suite.runs.size()); i < suite.runs.size(); ++i) {
    const TrendRun& run = suite.history.runs[i];
    const bool other_tool = !run.file.empty();
    if (other_tool && !is_file(run.folder)) continue;
    std::string& path = suite.runs[i].report;
    path = fmt::format("report/{}-{}{}", site_file_name(run.id), root_digest(run.results).substr(0, 8),
                       other_tool ? ".json" : ".html");
    files[path] = other_tool ? read_file(run.folder) : bundle_page(run.folder, since_text(suite, i));
  }
}

}  // namespace

SiteSummary write_site(const SiteRequest& request) {
  const fs::path& out = request.out;
  if (path_exists(out) && !folder_exists(out)) throw input_error("{}: is not a folder", out.string());
  TrendHistory history = read_history(request.folders, request.commit_of);
  SiteSummary summary{history.runs.size(), 0, history.problems};
  if (history.runs.empty()) {  // a folder that was mistyped must not empty a site
    std::vector<std::string> folders;
    for (const fs::path& folder : request.folders) folders.push_back(folder.string());
    throw input_error("{}: no bundle there; nothing is written{}", fmt::join(folders, ", "),
                      history.problems.empty() ? "" : "; " + history.problems.front());
  }
  std::vector<SiteSuite> suites = suites_of(std::move(history), request, summary.problems);
  std::map<std::string, std::string> files;
  for (SiteSuite& suite : suites) {
    add_reports(request.reports, suite, files);
    files[fmt::format("badge/{}.svg", site_file_name(suite.name))] = suite_badge(suite);
  }
  files["index.html"] = site_page(suites, summary.problems);

  fs::create_directories(out);
  const FileLock alone = FileLock::wait_folder(out);  // several jobs may publish one site
  check_out(out);
  for (const char* const folder : kSiteFolders) fs::create_directories(out / folder);
  const std::string had = is_file(out / kSiteFiles) ? read_file(out / kSiteFiles) : "";
  write_file(out / kSiteFiles, had);  // from here on the folder is a site, also where this call is killed
  std::string list = std::string(kSiteFiles) + "\n";
  for (const auto& [path, text] : files) {
    std::error_code error;
    if (fs::is_symlink(out / path, error)) fs::remove(out / path, error);  // the link, not what it leads to
    write_file(out / path, text);
    list += path + "\n";
    summary.pages += path.ends_with(".html") ? 1 : 0;
  }
  for (const std::string_view path : split_at(had, '\n'))
    if (path != kSiteFiles && !files.contains(std::string(path))) remove_old(out, path);
  write_file(out / kSiteFiles, list);
  return summary;
}

}  // namespace aqbench
