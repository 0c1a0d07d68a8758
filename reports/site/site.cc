#include "reports/site/site.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/drawing/drawing.h"
#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "reports/bundle/verify.h"
#include "reports/content/commands.h"
#include "reports/content/run_sections.h"
#include "reports/html/page.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxCharts = 6;

constexpr const char* kSuiteNote =
    "Changes of level as `aqbench trend` finds them: they show where to look; gate and ab decide.";

// How a run went.
struct Health {
  std::string
      text;  // "3 of 4 ok, 1 skipped, injected faults, gate: FAIL, 2 values", or "4 of 4 ok, not gated"
  const char *look, *fill;  // as a class of pages, and of a badge
};

// Good is a run whose cases are ok or skipped, all that were planned, without injected faults, and that no
// gate refuses.
Health health_of(const Results& results, const std::optional<Verdicts>& gated) {
  const auto with = [&](Status status) {
    return static_cast<std::size_t>(std::ranges::count(results.records, status, &Record::status));
  };
  const std::size_t ok = with(Status::ok), skipped = with(Status::skipped),
                    all = std::max(results.run.planned_cases, results.records.size());
  const bool injected = has_injected_faults(results);
  std::string text = fmt::format("{} of {} ok", ok, all);
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  if (injected) text += ", injected faults";
  bool good = ok > 0 && ok + skipped == all && !injected;
  if (gated) {
    const auto failed =
        static_cast<std::size_t>(std::ranges::count_if(gated->rows, is_refused, &VerdictRow::verdict));
    const bool passes = gated->refusal.empty() && gated->exit_code() == ExitCode::pass;
    text += !gated->refusal.empty() ? ", gate: refused"
            : passes                ? ", gate: pass"
                                    : fmt::format(", gate: FAIL, {}", counted(failed, "value"));
    good = good && passes;
  } else if (good) {
    text += ", not gated";
  }
  if (!good) return {std::move(text), "bad", "#b3151f"};
  if (gated) return {std::move(text), "good", "#1a7f37"};
  return {std::move(text), "unknown", "#57606a"};
}

Health newest_health(const SiteSuite& suite) {
  return health_of(suite.history.runs.back().results, suite.runs.back().gated);
}

std::string badge_of(const Health& health) {
  return fmt::format("<span class=\"badge {}\">{}</span>", health.look, health.text);
}

std::string shown_suite(const SiteSuite& suite) {
  return suite.name.empty() ? "(chosen by hand)" : suite.name;
}

// Returns a text as HTML that leads to the case in the page of the run, where it has one.
std::string case_link(const SiteRun& run, const std::string& case_name, const std::string& text) {
  if (run.report.empty()) return xml_escape(text);
  std::string escaped;
  for (const char c : case_name)
    escaped +=
        is_plain(c, "/_.=:+-") ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return fmt::format("<a href=\"{}#case={}\">{}</a>", run.report, escaped, xml_escape(text));
}

// The methods and scenes of the newest run; each value leads to its case.
void add_methods(const SiteSuite& suite, std::vector<ReportBlock>& blocks) {
  Section methods = methods_section(suite.history.runs.back().results);
  for (ReportBlock& block : methods.blocks) {
    if (Table* const table = std::get_if<Table>(&block))
      for (auto& row : table->rows)
        for (TableCell& cell : row)
          if (const std::string name = std::exchange(cell.subject, ""); !name.empty()) {
            const std::string spread = std::exchange(cell.spread, "");
            cell.html =
                case_link(suite.runs.back(), name, cell.text + (spread.empty() ? "" : " ± " + spread));
          }
    blocks.push_back(std::move(block));
  }
  if (!methods.blocks.empty())
    blocks.emplace_back(Picture{"<p class=\"dim\">" + html_words(methods.note) + "</p>\n"});
}

// Of each case the value that changed most.
Picture trend_picture(const SiteSuite& suite) {
  const std::vector<TrendSeries> shown = leading_trends(suite.series, kMaxCharts);
  if (shown.empty()) return {};
  return {"<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"values over the runs\">" +
          svg_figure(trends_drawing(suite.history, shown)) + "</div>\n"};
}

Table runs_table(const SiteSuite& suite) {
  Table table = table_with({"run", "commit", "cases"});
  table.label = "runs";
  for (std::size_t i = suite.runs.size(); i-- > 0;) {
    const TrendRun& run = suite.history.runs[i];
    const std::string& report = suite.runs[i].report;
    if (!has_room(table)) continue;
    table.rows.push_back({report.empty() ? TableCell{run.id}
                                         : html_cell(fmt::format("<a href=\"{}\">report of {}</a>", report,
                                                                 xml_escape(run.id))),
                          {commit_text(run)},
                          html_cell(badge_of(health_of(run.results, suite.runs[i].gated)))});
  }
  return table;
}

Section suite_section(const SiteSuite& suite) {
  Section section{"suite-" + site_file_name(suite.name), shown_suite(suite), kSuiteNote};
  if (suite.runs.size() > 1) section.blocks.emplace_back(trend_banner(suite.history, suite.series));
  section.blocks.emplace_back(Picture{
      fmt::format("<p>{} in the newest of {}, {}.</p>\n", badge_of(newest_health(suite)),
                  counted(suite.runs.size(), "run"), xml_escape(suite.history.runs.back().started_utc))});
  const auto link = [&](std::size_t run, const std::string& case_name, const std::string& text) {
    return case_link(suite.runs[run].report.empty() ? suite.runs.back() : suite.runs[run], case_name, text);
  };
  std::ranges::move(trend_blocks(suite.history, suite.series, link), std::back_inserter(section.blocks));
  section.blocks.emplace_back(trend_picture(suite));
  add_methods(suite, section.blocks);
  section.blocks.emplace_back(runs_table(suite));
  return section;
}

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

std::string site_file_name(std::string_view name) {
  std::string file;
  for (const char c : name)
    file += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ? c : '.';
  return file == name && !name.empty() ? file : fmt::format("{}-{}", file, sha256_hex(name).substr(0, 8));
}

std::string site_page(const std::vector<SiteSuite>& suites, const std::vector<std::string>& problems) {
  PageParts parts;
  parts.title = "aqbench: " + (suites.size() == 1 ? shown_suite(suites[0]) : counted(suites.size(), "suite"));
  parts.header = fmt::format("<h1>{}</h1>\n", xml_escape(parts.title));
  Table table = table_with({"suite", "newest run", "cases", ">runs", "over the runs"});
  table.label = "suites";
  for (const SiteSuite& suite : suites) {
    const Banner banner = trend_banner(suite.history, suite.series);
    table.rows.push_back({html_cell(fmt::format("<a href=\"#suite-{}\">{}</a>", site_file_name(suite.name),
                                                xml_escape(shown_suite(suite)))),
                          {suite.history.runs.back().id},
                          html_cell(badge_of(newest_health(suite))),
                          {std::to_string(suite.runs.size())},
                          {suite.runs.size() > 1 ? banner_line(banner) : ""}});
    parts.body += html_of(suite_section(suite));
  }
  if (suites.size() > 1) parts.body = html_of(Section{"suites", "Suites", "", {table}}) + parts.body;
  parts.body += html_of(
      Section{"not-shown", "Not shown", "`aqbench verify` says more of a bundle.", {Lines{problems}}});
  return html_page(parts);
}

std::string suite_badge(const SiteSuite& suite) {
  const Health health = newest_health(suite);
  const std::string left = shown_suite(suite);
  const auto left_px = 14 + 7 * display_width(left), right_px = 14 + 7 * display_width(health.text);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" "
      "aria-label=\"{1}: {2}\"><rect width=\"{3}\" height=\"20\" fill=\"#444c56\"/><rect x=\"{3}\" "
      "width=\"{4}\" height=\"20\" fill=\"{5}\"/><g fill=\"#fff\" font-family=\"system-ui,sans-serif\" "
      "font-size=\"12\"><text x=\"7\" y=\"14\">{1}</text><text x=\"{6}\" y=\"14\">{2}</text></g></svg>\n",
      left_px + right_px, xml_escape(left), health.text, left_px, right_px, health.fill, left_px + 7);
}

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
