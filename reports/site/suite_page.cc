#include "reports/site/site.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/drawing/drawing.h"
#include "core/sha256.h"
#include "core/text.h"
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

}  // namespace aqbench
