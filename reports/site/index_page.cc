// The first page of a site: what got worse, the suites, where the rest is. And what moved from run to run of
// a suite, as `aqbench compare` shows it.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "metrics/value_change.h"
#include "reports/content/metrics_table.h"
#include "reports/content/verdict_blocks.h"
#include "reports/history/compare.h"
#include "reports/site/site_pages.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxWorse = 12;

// The first worse metric of a case in a run; one cause moves many.
struct WorseRow {
  const SiteRun* since;
  const SiteSuites::value_type* suite;
  const SiteStep* step;
  std::size_t others = 0;
};

// The newest changes for the worse of all suites.
std::string worse_section(const SiteSuites& suites, const SiteReports& reports) {
  std::vector<WorseRow> rows;
  for (const auto& suite : suites)
    for (const SiteStep& step : suite.second.steps)
      if (step.worsening() > 0) {
        const SiteRun* const since = suite.second.runs[step.since];
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
  Table table =
      table_with({"case", "suite", "metric", ">before", ">after", ">change", "since run", "commit"});
  table.label = "newest changes for the worse";
  table.left_out = rows.size() - std::min(rows.size(), kMaxWorse);
  table.rest_in = "the pages of their suites";
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxWorse); ++i) {
    const auto& [since, suite, step, others] = rows[i];
    const SiteMetric& metric = site_metrics()[step->metric];
    const auto [before, after] = number_pair(step->level.mean_before, step->level.mean_after);
    table.rows.push_back(
        {html_cell(case_link(*since, step->case_name, reports,
                             xml_escape(suite->second.names.of.at(step->case_name)), "")),
         html_cell(suite_link(suite->first, "")),
         html_cell(fmt::format("<a href=\"metric/{}.html\">{}</a>{}", site_file_name(metric.name),
                               xml_escape(metric.title),
                               others == 0 ? std::string() : fmt::format(" and {} more", others))),
         {before},
         {after, Colour::red},
         {change_text(metric.unit, metric.better, step->level.mean_before, step->level.mean_after),
          Colour::red},
         html_cell(steps_link(suite->first, xml_escape(since->id), "")),
         {commit_of_run(*since)}});
    table.subjects.push_back({step->case_name});
  }
  const Paragraph none{
      rows.empty() ? "None: no value of any suite changed its level for the worse over the runs shown." : ""};
  return html_of(Section{"worse", "Newest changes for the worse", "", {none, std::move(table)}});
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
  // A change of 5 % fills half of the height: a smaller one must not look like a large one.
  const double low = std::min(0.95, std::ranges::min(values)),
               high = std::max(1.05, std::ranges::max(values));
  constexpr double kWidth = 120, kHeight = 24;
  std::string line;
  for (std::size_t i = 0; i < values.size(); ++i)
    line += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L",
                        3 + (kWidth - 6) * static_cast<double>(i) / static_cast<double>(values.size() - 1),
                        3 + (kHeight - 6) * (high - values[i]) / (high - low));
  const std::string title = site_metrics()[*metric].title;
  return fmt::format(
      "<svg class=\"spark\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{} over {} runs\"><path "
      "d=\"{}\"/></svg> <small>{}</small>",
      kWidth, kHeight, xml_escape(title), values.size(), line, xml_escape(title));
}

// Bundles, reports and baselines that could not be read, each with its reason.
std::string not_shown_section(const std::vector<std::string>& problems) {
  return html_of(Section{
      "not-shown",
      "Not shown",
      "Bundles, reports and baselines that could not be read when this site was written. Of one that the "
      "site knew, what it knew stays on the other pages. `aqbench verify` says more of a bundle.",
      {Lines{problems}}});
}

constexpr std::size_t kMaxPairs = 10, kMaxNotes = 10;

std::string pair_section(const SiteRun& a, const SiteRun& b, const ShortNames& names,
                         const SiteReports& reports) {
  std::vector<std::size_t> metrics = filled_metrics({&a, &b});
  std::erase(metrics, site_time_place());  // times vary by themselves, and the trend shows them
  const CompareReport report = compare_results(site_results(a, metrics), site_results(b, metrics));
  const Verdicts verdicts = verdicts_of(report);
  const auto side = [](const SiteRun& run) {
    return fmt::format("{}, commit {} {}", xml_escape(run.id),
                       xml_escape(run.commit.empty() ? "not known" : run.commit.substr(0, 12)),
                       health_text(health_of(run)));
  };
  Section section{"to-" + site_file_name(b.id), fmt::format("{} to {}", a.id, b.id)};
  section.blocks.emplace_back(Picture{fmt::format("<p>A: {}<br>B: {}</p>\n", side(a), side(b))});
  // Without times, equal records are equal values and no sign of one bundle given twice.
  if (!report.refusal.empty()) {
    section.blocks.emplace_back(Paragraph{"All values are the same."});
  } else {
    VerdictView view{.before = "A", .after = "B", .passes = true, .most = 200};
    view.link = [&](const std::string& case_name, bool after, const std::string& number) {
      return case_link(after ? b : a, case_name, reports, number);
    };
    section.blocks.emplace_back(shown_banner_of(verdicts));
    std::ranges::move(verdict_blocks(verdicts, {"", names.of}, view), std::back_inserter(section.blocks));
  }
  section.blocks.emplace_back(Lines{report.notes, kMaxNotes});
  return html_of(section);
}

}  // namespace

SiteFile index_page(const SiteSuites& suites, const SiteReports& reports,
                    const std::vector<std::string>& problems) {
  Table table = table_with({"suite", "newest run", "over the runs", "cases", ">runs", "what moved"}),
        subjects = table_with({"page", "kind"});
  table.label = "suites";
  subjects.label = "scenes, methods, metrics";
  std::set<std::string> scenes, methods;
  for (const auto& [name, suite] : suites) {
    const SiteRun& newest = *suite.runs.back();
    table.rows.push_back({html_cell(suite_link(name, "")),
                          {newest.id},
                          html_cell(sparkline(suite.runs)),
                          html_cell(health_text(health_of(newest))),
                          {std::to_string(suite.runs.size())},
                          html_cell(fmt::format("<a href=\"comparison/{}.html\">from run to run of {}</a>",
                                                site_file_name(name), xml_escape(shown_suite(name))))});
    for (const SiteCase& one : newest.cases) {
      if (!one.scene.empty()) scenes.insert(one.scene);
      methods.insert(one.method);
    }
  }
  const auto link = [&](const char* kind, const std::string& name, const std::string& title) {
    if (has_room(subjects))
      subjects.rows.push_back({html_cell(fmt::format("<a href=\"{}/{}.html\">{}</a>", kind,
                                                     site_file_name(name), xml_escape(title))),
                               {kind}});
  };
  for (const std::string& name : scenes) link("scene", name, name);
  for (const std::string& name : methods) link("method", name, name);
  std::vector<const SiteRun*> newest_runs;
  for (const auto& [name, suite] : suites) newest_runs.push_back(suite.runs.back());
  for (const std::size_t i : filled_metrics(newest_runs))
    link("metric", site_metrics()[i].name, site_metrics()[i].title);
  return {"index.html",
          site_page("aqbench", 0,
                    worse_section(suites, reports) +
                        html_of(Section{
                            "suites",
                            "Suites",
                            "",
                            {Picture{"<p class=\"dim\"><a href=\"baseline/accepted.html\">Accepted values, "
                                     "and who accepted them</a>.</p>\n"},
                             std::move(table)}}) +
                        not_shown_section(problems) +
                        html_of(Section{"subjects",
                                        "Scenes, methods, metrics",
                                        "The search finds any of them.",
                                        {std::move(subjects)}}),
                    "")};
}

SiteFile comparisons_page(const std::string& suite, std::span<const SiteRun* const> runs,
                          const SiteReports& reports) {
  const std::string file = site_file_name(suite);
  const std::size_t pairs = std::min(runs.size() - 1, kMaxPairs);
  const ShortNames names = site_short_names(runs.last(pairs + 1));
  std::string body = fmt::format(
      "<p><a href=\"../suite/{}.html\">suite {}</a>. What <code>aqbench compare</code> shows of the headline "
      "metrics, the newest pair first; all metrics, stages and clouds of two bundles: <code>aqbench compare "
      "A B --html FILE</code>. Times are in the trend: they vary by themselves.</p>\n",
      file, xml_escape(shown_suite(suite)));
  body += html_of(common_words(names.common));
  if (pairs == 0) body += "<p>There is one run: nothing to compare it with.</p>\n";
  for (std::size_t i = 0; i < pairs; ++i)
    body += pair_section(*runs[runs.size() - 2 - i], *runs[runs.size() - 1 - i], names, reports);
  if (runs.size() - 1 > pairs)
    body += fmt::format("<p class=\"dim\">and {} older pairs</p>\n", runs.size() - 1 - pairs);
  return {fmt::format("comparison/{}.html", file),
          site_page("from run to run: " + shown_suite(suite), 1, body, "")};
}

}  // namespace aqbench
