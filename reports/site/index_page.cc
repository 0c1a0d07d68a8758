// The first page of a site: what got worse, the suites, where the rest is.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "metrics/value_change.h"
#include "reports/html/page.h"
#include "reports/site/site_pages.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxWorse = 12;

// The first worse metric of a case in a run; one cause moves many.
struct WorseRow {
  const SiteRun* since;
  const std::string* suite;
  const SiteStep* step;
  std::size_t others = 0;
};

// The newest changes for the worse of all suites.
std::string worse_section(const SiteSuites& suites, const SiteNames& names, const SiteSteps& steps,
                          const SiteReports& reports) {
  std::vector<WorseRow> rows;
  for (const auto& [suite, list] : steps)
    for (const SiteStep& step : list)
      if (step.worsening() > 0) {
        const SiteRun* const since = suites.at(suite)[step.since];
        const auto same = std::ranges::find_if(rows, [&](const WorseRow& row) {
          return row.since == since && row.suite == &suite && row.step->case_name == step.case_name;
        });
        if (same == rows.end())
          rows.push_back({since, &suite, &step});
        else
          ++same->others;
      }
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const WorseRow& row) { return row.since->started_utc; });
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxWorse); ++i) {
    const auto& [since, suite, step, others] = rows[i];
    const SiteMetric& metric = site_metrics()[step->metric];
    text += fmt::format(
        "<tr title=\"{}\"><td>{}</td><td data-label=\"suite\"><a href=\"suite/{}.html#steps\">{}</a></td>",
        xml_escape(step->case_name),
        case_link(*since, step->case_name, reports, xml_escape(names.at(*suite).of.at(step->case_name)), ""),
        site_file_name(*suite), xml_escape(shown_suite(*suite)));
    text += fmt::format(
        "<td data-label=\"metric\"><a href=\"metric/{}.html\">{}</a>{}</td><td "
        "data-label=\"before\">{}</td><td "
        "data-label=\"after\" class=\"bad\">{}</td><td data-label=\"change\" class=\"bad\">{}</td>",
        site_file_name(metric.name), xml_escape(metric.title),
        others == 0 ? std::string() : fmt::format(" and {} more", others),
        value_text(step->level.mean_before), value_text(step->level.mean_after),
        change_text(metric.better, step->level.mean_before, step->level.mean_after));
    text += fmt::format("<td data-label=\"since run\">{}</td><td data-label=\"commit\">{}</td></tr>\n",
                        xml_escape(since->id), xml_escape(commit_of_run(*since)));
  }
  if (text.empty())
    return page_section(
        "worse", "Newest changes for the worse",
        "<p>None: no value of any suite changed its level for the worse over the runs shown.</p>\n");
  text = table_open("newest changes for the worse",
                    {"case", "suite", "metric", "before", "after", "change", "since run", "commit"}) +
         text + kTableEnd;
  if (rows.size() > kMaxWorse)
    text += fmt::format("<p class=\"dim\">and {} older ones, on the pages of their suites</p>\n",
                        rows.size() - kMaxWorse);
  return page_section("worse", "Newest changes for the worse", text);
}

// The first metric with a better side that the newest run has.
std::optional<std::size_t> main_metric(const SiteRun& newest) {
  for (const std::size_t i : filled_metrics({&newest}))
    if (site_metrics()[i].better != Better::equal) return i;
  return std::nullopt;
}

// The mean over the cases of their main metric, each in units of its newest value, as a small line over the
// runs.
std::string sparkline(const std::vector<const SiteRun*>& runs) {
  const auto metric = main_metric(*runs.back());
  if (!metric) return "";
  std::map<std::string, double> newest;
  for (const SiteCase& one : runs.back()->cases)
    if (one.values[*metric] && *one.values[*metric] > 0) newest[one.name] = *one.values[*metric];
  std::vector<double> values;
  for (const SiteRun* const run : runs) {
    double sum = 0, count = 0;
    for (const SiteCase& one : run->cases)
      if (const auto found = newest.find(one.name); found != newest.end() && one.values[*metric]) {
        sum += *one.values[*metric] / found->second;
        ++count;
      }
    if (count > 0) values.push_back(sum / count);
  }
  if (values.size() < 2) return "";
  const auto [low, high] = std::ranges::minmax(values);
  constexpr double kWidth = 120, kHeight = 24;
  std::string line;
  for (std::size_t i = 0; i < values.size(); ++i)
    line += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L",
                        3 + (kWidth - 6) * static_cast<double>(i) / static_cast<double>(values.size() - 1),
                        high > low ? 3 + (kHeight - 6) * (high - values[i]) / (high - low) : kHeight / 2);
  const std::string title = site_metrics()[*metric].title;
  return fmt::format(
      "<svg class=\"spark\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{} over {} runs\"><path "
      "d=\"{}\"/></svg> <small>{}</small>",
      kWidth, kHeight, xml_escape(title), values.size(), line, xml_escape(title));
}

// Bundles, reports and baselines that could not be read, each with its reason.
std::string not_shown_section(const std::vector<std::string>& problems) {
  std::string list;
  for (const std::string& problem : problems)
    list += fmt::format("<li>{}</li>\n", xml_escape(printable(problem)));
  return page_section(
      "not-shown", "Not shown", list.empty() ? "" : "<ul>\n" + list + "</ul>\n",
      "Bundles, reports and baselines that could not be read when this site was written. Of one "
      "that the site knew, what it knew stays on the other pages. <code>aqbench verify</code> "
      "says more of a bundle.");
}

}  // namespace

std::pair<std::string, std::string> index_page(const SiteSuites& suites, const SiteNames& names,
                                               const SiteSteps& steps, const SiteReports& reports,
                                               const std::vector<std::string>& problems) {
  std::string body =
      table_open("suites", {"suite", "newest run", "over the runs", "cases", "runs", "what moved"});
  std::map<std::string, std::string> scenes, methods;
  for (const auto& [suite, runs] : suites) {
    const SiteRun& newest = *runs.back();
    body += fmt::format(
        "<tr><td><a href=\"suite/{0}.html\">{1}</a></td><td data-label=\"newest run\">{2}</td><td "
        "data-label=\"over the runs\">{5}</td><td data-label=\"cases\">{3}</td><td "
        "data-label=\"runs\">{4}</td><td data-label=\"what moved\"><a "
        "href=\"comparison/{0}.html\">from run to run of {1}</a></td></tr>\n",
        site_file_name(suite), xml_escape(shown_suite(suite)), xml_escape(newest.id),
        health_text(health_of(newest)), runs.size(), sparkline(runs));
    for (const SiteCase& one : newest.cases) {
      if (!one.scene.empty()) scenes[one.scene];
      methods[one.method];
    }
  }
  body += kTableEnd;
  std::string subjects = table_open("scenes, methods, metrics", {"page", "kind"});
  const auto link = [&](const char* kind, const std::string& name) {
    subjects +=
        fmt::format("<tr><td><a href=\"{0}/{1}.html\">{2}</a></td><td data-label=\"kind\">{0}</td></tr>\n",
                    kind, site_file_name(name), xml_escape(name));
  };
  for (const auto& [name, unused] : scenes) link("scene", name);
  for (const auto& [name, unused] : methods) link("method", name);
  std::vector<const SiteRun*> newest_runs;
  for (const auto& [suite, runs] : suites) newest_runs.push_back(runs.back());
  for (const std::size_t i : filled_metrics(newest_runs)) link("metric", site_metrics()[i].name);
  return {
      "index.html",
      site_page(
          "aqbench", 0,
          worse_section(suites, names, steps, reports) +
              page_section("suites", "Suites", body,
                           "<a href=\"baseline/accepted.html\">Accepted values, and who accepted them</a>.") +
              not_shown_section(problems) +
              page_section("subjects", "Scenes, methods, metrics", subjects + kTableEnd,
                           "The search finds any of them."),
          "")};
}

}  // namespace aqbench
