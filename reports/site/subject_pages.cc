// The pages of a scene, a method and a metric, over the newest run of every suite.

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/text.h"
#include "harness/records/case_name.h"
#include "reports/html/page.h"
#include "reports/site/leaderboard.h"
#include "reports/site/site_pages.h"

namespace aqbench {
namespace {

struct SubjectCase {
  const SiteRun* run;
  const SiteCase* one;
};

// What a page is about, and the metrics that it shows.
struct Subject {
  std::string name;
  std::vector<std::size_t> metrics;
  const SiteSuites& suites;
  const SiteSteps& steps;

  bool has(std::size_t metric) const { return std::ranges::find(metrics, metric) != metrics.end(); }
};

std::string suite_link(const std::string& suite) {
  return fmt::format("<a href=\"../suite/{}.html\">{}</a>", site_file_name(suite),
                     xml_escape(shown_suite(suite)));
}

// Returns the steps of one metric over all suites.
std::string metric_steps(const std::string& metric, const SiteSuites& suites, const SiteNames& names,
                         const SiteSteps& steps, const SiteReports& reports) {
  struct Row {
    std::string started_utc, text;
  };
  std::vector<Row> found;
  for (const auto& [suite, list] : steps) {
    const std::vector<const SiteRun*>& runs = suites.at(suite);
    for (const SiteStep& step : list)
      if (site_metrics()[step.metric].name == metric)
        found.push_back({runs[step.since]->started_utc,
                         site_step_row(step, runs, {&names.at(suite), &reports, suite_link(suite)})});
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Row::started_utc);
  std::vector<std::string> rows;
  for (Row& row : found) rows.push_back(std::move(row.text));
  return steps_section(site_step_titles(true), rows);
}

// Returns the table of the cases with these metrics, each value with a link to its case.
std::string subject_table(const Subject& subject, const std::vector<SubjectCase>& cases,
                          const SiteReports& reports) {
  std::vector<std::string> all, titles = {"case", "suite"};
  for (const SubjectCase& at : cases) all.push_back(at.one->name);
  for (const std::size_t i : subject.metrics) titles.push_back(site_metrics()[i].title);
  titles.emplace_back("since when");
  const ShortNames names = shorten_names(all);
  std::string text = common_html(names.common) + table_open(subject.name, titles);
  for (const auto& [run, one] : cases) {
    std::vector<PageCell> cells = {{case_link(*run, one->name, reports, xml_escape(names.of.at(one->name)))},
                                   {suite_link(run->suite)}};
    for (const std::size_t i : subject.metrics)
      cells.push_back({case_link(*run, one->name, reports, value_text(one->values[i]))});
    cells.push_back(since_cell(subject.suites.at(run->suite), subject.steps.at(run->suite),
                               [&, name = &one->name](const SiteStep& step) {
                                 return step.case_name == *name && subject.has(step.metric);
                               }));
    text += table_row(titles, cells, case_attributes(one->name, false));
  }
  return text + kTableEnd;
}

// The tables of the newest runs: cases with given poses, and those whose method finds its poses itself.
std::string newest_tables(const Subject& subject, const std::vector<SubjectCase>& cases,
                          const SiteReports& reports) {
  std::vector<SubjectCase> given, own;
  for (const SubjectCase& at : cases) (has_own_poses(at.one->name) ? own : given).push_back(at);
  std::string text;
  if (!given.empty())
    text +=
        page_section("newest", "In the newest run of every suite", subject_table(subject, given, reports));
  if (!own.empty())
    text += page_section("newest_own", "In the newest run of every suite, of methods with poses of their own",
                         subject_table(subject, own, reports));
  return text;
}

// The methods of the newest run of every suite against its scenes.
std::string leaderboards(std::size_t metric, const SiteSuites& suites, const SiteSteps& steps,
                         const SiteReports& reports) {
  std::string text;
  for (const auto& [suite, runs] : suites)
    text += page_section("board-" + site_file_name(suite),
                         fmt::format("<a href=\"../suite/{}.html\">{}</a>", site_file_name(suite),
                                     xml_escape(shown_suite(suite))),
                         leaderboard(runs, metric, reports, steps.at(suite)),
                         "Means over seeds. Bold: the best of a scene, and those that a paired test over the "
                         "seeds cannot tell from it.");
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> subject_pages(const SiteSuites& suites,
                                                               const SiteNames& names, const SiteSteps& steps,
                                                               const SiteReports& reports) {
  std::vector<const SiteRun*> newest;
  for (const auto& [suite, runs] : suites) newest.push_back(runs.back());
  const std::vector<std::size_t> metrics = filled_metrics(newest);
  std::map<std::pair<std::string, std::string>, std::vector<SubjectCase>> subjects;  // kind and name
  for (const SiteRun* const run : newest)
    for (const SiteCase& one : run->cases) {
      for (const std::size_t i : metrics) subjects[{"metric", site_metrics()[i].name}].push_back({run, &one});
      if (!one.scene.empty()) subjects[{"scene", one.scene}].push_back({run, &one});
      subjects[{"method", one.method}].push_back({run, &one});
    }
  std::vector<std::pair<std::string, std::string>> pages;
  for (const auto& [subject, cases] : subjects) {
    const auto& [kind, name] = subject;
    std::string lead, title = kind + " " + name;
    std::vector<std::size_t> columns = metrics;
    if (kind == "metric") {
      const auto metric = std::ranges::find(site_metrics(), name, &SiteMetric::name);
      columns = {static_cast<std::size_t>(metric - site_metrics().begin())};
      title = metric->title;
      lead = fmt::format("<p>{}: {}</p>\n", xml_escape(name), xml_escape(metric->definition)) +
             leaderboards(columns.front(), suites, steps, reports) +
             metric_steps(name, suites, names, steps, reports);
    }
    pages.emplace_back(
        fmt::format("{}/{}.html", kind, site_file_name(name)),
        site_page(title, 1, lead + newest_tables({name, columns, suites, steps}, cases, reports), ""));
  }
  return pages;
}

}  // namespace aqbench
