// The pages of a scene, a method and a metric, over the newest run of every suite.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "harness/records/case_name.h"
#include "metrics/registry.h"
#include "metrics/value_change.h"
#include "reports/content/metrics_table.h"
#include "reports/site/site_pages.h"

namespace aqbench {
namespace {

// Returns the steps of one metric over all suites.
std::string metric_steps(const std::string& metric, const SiteSuites& suites, const SiteReports& reports) {
  std::vector<SiteStepRow> rows;
  for (const auto& [name, suite] : suites)
    for (const SiteStep& step : suite.steps)
      if (site_metrics()[step.metric].name == metric)
        rows.push_back(site_step_row(step, suite, reports, suite_link(name)));
  std::ranges::stable_sort(rows, std::ranges::greater{}, &SiteStepRow::since_utc);
  return steps_section(rows, true);
}

// The tables of the newest runs: cases with given poses, and those whose method finds its poses itself.
std::string newest_tables(const SiteTableParts& parts, const std::vector<SiteTableCase>& cases,
                          const SiteSuites& suites, const SiteReports& reports) {
  std::vector<SiteTableCase> given, own;
  for (const SiteTableCase& at : cases) (has_own_poses(at.one->name) ? own : given).push_back(at);
  const auto blocks_of = [&](const std::vector<SiteTableCase>& some) {
    return site_cases(
        some, parts, [&](const SiteRun& run) -> const SiteSuite& { return suites.at(run.suite); }, reports);
  };
  const std::string title = "In the newest run of every suite";
  return html_of(Section{"newest", title, "", blocks_of(given)}) +
         html_of(Section{"newest_own", title + ", of methods with poses of their own", "", blocks_of(own)});
}

// The methods of the newest run of every suite against its scenes.
std::string leaderboards(std::size_t metric, const SiteSuites& suites, const SiteReports& reports) {
  std::string text;
  for (const auto& [name, suite] : suites)
    text += html_of(Section{"board-" + site_file_name(name),
                            shown_suite(name),
                            kMethodTablesNote,
                            {Picture{leaderboard(suite.runs, metric, reports, suite.steps)}}});
  return text;
}

}  // namespace

std::string leaderboard(std::span<const SiteRun* const> runs, std::size_t metric, const SiteReports& reports,
                        std::span<const SiteStep> steps) {
  const SiteMetric& known = site_metrics()[metric];
  const Results results = site_results(*runs.back(), {metric});
  const MetricColumn column{known.name, known.title, known.title};
  Table table = method_tables(results, {&column, 1}, true).front();
  std::vector<TableCell> missing, since;
  const std::size_t scenes =
      table.columns.size() == 2 ? 1 : table.columns.size() - 2;  // behind them the mean
  bool any = false;
  for (auto& row : table.rows) {
    std::set<std::string> cases;
    std::size_t lacking = 0;
    for (TableCell& cell : std::span(row).subspan(1, scenes)) {
      const std::string name = std::exchange(cell.subject, "");
      if (cell.text == "n/a") ++lacking;
      if (name.empty() || cell.text == "n/a") continue;
      any = true;
      cases.insert(name_without_seed(name));
      cell.html = case_link(*runs.back(), name, reports, xml_escape(cell.text));
    }
    missing.push_back({fmt::format("{}", lacking)});
    since.push_back(since_cell(runs, steps, [&](const SiteStep& step) {
      return step.metric == metric && cases.contains(name_without_seed(step.case_name));
    }));
  }
  if (!any) return "";
  add_column(table, {"missing", Align::right}, std::move(missing));
  add_column(table, {"since when"}, std::move(since));
  table.label = known.title + " of methods and scenes";
  return html_of(common_words(label_cases(method_groups(results)).common)) + html_of(table);
}

std::vector<SiteFile> subject_pages(const SiteSuites& suites, const SiteReports& reports) {
  std::vector<const SiteRun*> newest;
  for (const auto& [name, suite] : suites) newest.push_back(suite.runs.back());
  const std::vector<std::size_t> metrics = filled_metrics(newest);
  std::map<std::pair<std::string, std::string>, std::vector<SiteTableCase>> subjects;  // kind and name
  for (const SiteRun* const run : newest)
    for (const SiteCase& one : run->cases) {
      for (const std::size_t i : metrics) subjects[{"metric", site_metrics()[i].name}].push_back({run, &one});
      if (!one.scene.empty()) subjects[{"scene", one.scene}].push_back({run, &one});
      subjects[{"method", one.method}].push_back({run, &one});
    }
  std::vector<SiteFile> pages;
  for (const auto& [subject, cases] : subjects) {
    const auto& [kind, name] = subject;
    std::string lead, title = kind + " " + name;
    std::vector<std::size_t> columns = metrics;
    if (kind == "metric") {
      const auto metric = std::ranges::find(site_metrics(), name, &SiteMetric::name);
      columns = {static_cast<std::size_t>(metric - site_metrics().begin())};
      title = metric->title;
      lead = fmt::format("<p>{}: {}</p>\n", xml_escape(name), xml_escape(metric->definition)) +
             leaderboards(columns.front(), suites, reports) + metric_steps(name, suites, reports);
    }
    pages.emplace_back(
        fmt::format("{}/{}.html", kind, site_file_name(name)),
        site_page(title, 1, lead + newest_tables({name, columns, true}, cases, suites, reports), ""));
  }
  return pages;
}

}  // namespace aqbench
