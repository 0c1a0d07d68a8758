#include "reports/site/site_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/drawing/drawing.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/text.h"
#include "reports/content/metrics_table.h"

namespace aqbench {
namespace {

// The cases of a run, those that are not ok first: what has a limit leaves out others.
std::vector<const SiteCase*> worst_first(const SiteRun& run) {
  std::vector<const SiteCase*> cases;
  for (const SiteCase& one : run.cases) cases.push_back(&one);
  std::ranges::stable_sort(cases, {}, [](const SiteCase* one) { return one->status == "ok"; });
  return cases;
}

// The newest values, each with its change since the run before and a link to its case.
std::string newest_section(const SiteSuite& suite, const SiteReports& reports) {
  const std::span<const SiteRun* const> runs = suite.runs;
  const SiteRun& newest = *runs.back();
  const SiteRun* const before = runs.size() > 1 ? runs[runs.size() - 2] : nullptr;
  std::map<std::string, const SiteCase*> earlier;
  if (before != nullptr)
    for (const SiteCase& one : before->cases) earlier[one.name] = &one;
  std::vector<SiteTableCase> cases;
  for (const SiteCase* const one : worst_first(newest)) {
    const auto old = earlier.find(one->name);
    cases.push_back({&newest, one, old == earlier.end() ? nullptr : old->second});
  }
  Section section{"newest", "Newest values", "",
                  site_cases(
                      cases, {"newest run", filled_metrics({&newest}), false},
                      [&](const SiteRun&) -> const SiteSuite& { return suite; }, reports)};
  section.blocks.emplace_back(Paragraph{"* changed since the run before."});
  return html_of(section);
}

std::string runs_section(std::span<const SiteRun* const> runs, const SiteReports& reports) {
  Table table = table_with({"run", "cases", "commit", "machine", "report"});
  table.label = "runs";
  for (std::size_t i = runs.size(); i-- > 0;) {
    const SiteRun& run = *runs[i];
    const auto report = reports.find(run.key);
    if (!has_room(table)) continue;
    table.rows.push_back(
        {{run.id}, html_cell(health_text(health_of(run))), {commit_of_run(run)}, {run.machine}});
    table.rows.back().push_back(report == reports.end()
                                    ? TableCell{"in the bundle"}
                                    : html_cell(fmt::format("<a href=\"../{}\">report of {}</a>",
                                                            report->second, xml_escape(run.id))));
  }
  return html_of(Section{"runs", "Runs", "", {std::move(table)}});
}

// The most cases of a suite that its plot has, at least as many as a suite has steps, and its JSON document.
constexpr std::size_t kMaxPlottedCases = kMaxSiteSteps, kMaxListedCases = 2000;

// Writes values as arrays of `row` numbers, "[1,2],[3,null]"; NaN is null.
std::string rows_text(std::span<const double> values, std::size_t row) {
  std::string text;
  text.reserve(8 * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += i == 0 ? "[" : i % row == 0 ? "],[" : ",";
    if (std::isnan(values[i]))
      text += "null";
    else
      fmt::format_to(std::back_inserter(text), "{:.5g}", values[i]);
  }
  return values.empty() ? text : text + "]";
}

}  // namespace

SiteFile suite_page(const std::string& name, const SiteSuite& suite, const SiteReports& reports) {
  const std::string file = site_file_name(name);
  const SiteRun& newest = *suite.runs.back();
  std::string body = fmt::format(
      "<p>{0} in the newest of {1} runs, {2}. Badge: <img alt=\"badge of the suite\" "
      "src=\"../badge/{3}.svg\">. <a href=\"../comparison/{3}.html\">What moved from run to run</a>. <a "
      "href=\"../baseline/accepted.html\">Accepted values</a>.</p>\n",
      health_text(health_of(newest)), suite.runs.size(), xml_escape(newest.started_utc), file);
  body += "<section id=\"trend\" class=\"scripted\"><h2>Over the runs</h2></section>\n";
  if (suite.names.of.size() > kMaxPlottedCases)
    body += fmt::format("<p class=\"dim\">The plot has {} of {} cases, those that moved first.</p>\n",
                        kMaxPlottedCases, suite.names.of.size());
  std::vector<SiteStepRow> rows;
  for (const SiteStep& step : suite.steps) rows.push_back(site_step_row(step, suite, reports));
  body += steps_section(rows, false, site_steps_lead(suite) + html_of(common_words(suite.names.common)));
  body += newest_section(suite, reports);
  body += runs_section(suite.runs, reports);
  return {fmt::format("suite/{}.html", file),
          site_page("suite " + shown_suite(name), 1, body, fmt::format("data/{}.js", file))};
}

SiteFile suite_badge(const std::string& suite, const SiteRun& newest) {
  const SiteHealth health = health_of(newest);
  const std::string left = shown_suite(suite), right = health.text();
  const auto left_px = 14 + 7 * display_width(left), right_px = 14 + 7 * display_width(right);
  return {
      fmt::format("badge/{}.svg", site_file_name(suite)),
      fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" "
          "aria-label=\"{1}: {2}\"><rect width=\"{3}\" height=\"20\" fill=\"#444c56\"/><rect x=\"{3}\" "
          "width=\"{4}\" height=\"20\" fill=\"{5}\"/><g fill=\"#fff\" font-family=\"system-ui,sans-serif\" "
          "font-size=\"12\"><text x=\"7\" y=\"14\">{1}</text><text x=\"{6}\" y=\"14\">{2}</text></g></svg>\n",
          left_px + right_px, xml_escape(left), right, left_px, right_px,
          !health.good() ? "#b3151f"
          : health.gate  ? "#1a7f37"
                         : "#57606a",
          left_px + 7)};
}

SiteFile suite_endpoint(const std::string& suite, const SiteRun& newest) {
  const SiteHealth health = health_of(newest);
  const Json gate = newest.gate ? Json(newest.gate->passes ? "pass" : "fail") : Json(nullptr);
  std::vector<const SiteCase*> listed = worst_first(newest);
  listed.resize(std::min(listed.size(), kMaxListedCases));
  Json cases = Json::object();
  for (const SiteCase* const one : listed) {
    Json values = {{"status", one->status}};
    for (std::size_t i = 0; i < one->values.size(); ++i)
      if (one->values[i]) values[site_metrics()[i].name] = *one->values[i];
    cases[one->name] = std::move(values);
  }
  const Json json = {{"schemaVersion", 1},
                     {"label", shown_suite(suite)},
                     {"message", health.text()},
                     {"color", !health.good() ? "red"
                               : health.gate  ? "green"
                                              : "lightgrey"},
                     {"run", newest.id},
                     {"commit", newest.commit},
                     {"gate", gate},
                     {"injected_faults", newest.injected > 0},
                     {"cases_left_out", newest.cases.size() - listed.size()},
                     {"cases", std::move(cases)}};
  return {fmt::format("api/{}.json", site_file_name(suite)),
          json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

std::vector<SiteFile> site_assets() {
  const auto asset = [](const char* file) { return std::string(page_asset(file)); };
  return {{"assets/site.css", asset("report.css") + std::string(chart_style()) + asset("uPlot.min.css")},
          {"assets/report.js", asset("report.js")},
          {"assets/uplot.js", asset("uPlot.iife.min.js") + "\n" + asset("plots.js")},
          {"assets/site.js", asset("site.js")}};
}

SiteFile suite_data(const std::string& name, const SiteSuite& suite) {
  const std::vector<const SiteRun*>& runs = suite.runs;  // clang 14 captures no structured binding
  std::map<std::string, std::size_t> places;
  Json cases = Json::array();
  const auto add_case = [&](const std::string& case_name) {
    if (places.size() < kMaxPlottedCases && places.emplace(case_name, places.size()).second)
      cases.push_back(case_name);
  };
  // Of very many cases those that moved.
  std::set<std::string> all;
  for (const SiteRun* const run : runs)
    for (const SiteCase& one : run->cases) all.insert(one.name);
  if (all.size() > kMaxPlottedCases)
    for (const SiteStep& step : suite.steps) add_case(step.case_name);
  for (const SiteRun* const run : runs)
    for (const SiteCase& one : run->cases) add_case(one.name);
  Json labels = Json::array();
  for (const Json& one : cases) labels.push_back(suite.names.of.at(one.get<std::string>()));
  Json titles = Json::object();
  for (const SiteMetric& metric : site_metrics()) titles[metric.name] = metric.title;
  Json at = Json::array();
  for (const SiteRun* const run : runs) at.push_back({run->id, run->started_utc, commit_of_run(*run)});
  std::string text =
      "window.aqbench_suite=" +
      Json({{"suite", name}, {"runs", at}, {"cases", cases}, {"labels", labels}, {"titles", titles}})
          .dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::size_t each = places.size() * runs.size();  // values of a metric: a row for each case
  std::vector<double> values(site_metrics().size() * each, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (const SiteCase& one : runs[run]->cases) {
      const auto known = places.find(one.name);
      if (known == places.end()) continue;
      const std::size_t place = known->second * runs.size() + run;
      for (std::size_t i = 0; i < one.values.size(); ++i)
        if (one.values[i]) values[i * each + place] = *one.values[i];
    }
  std::vector<std::string> parts(site_metrics().size());
  parallel_for(parts.size(), 1, [&](std::size_t metric, std::size_t) {
    parts[metric] = rows_text(std::span(values).subspan(metric * each, each), runs.size());
  });
  text += ";\nwindow.aqbench_values={";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += fmt::format("{}\"{}\":[{}]", i == 0 ? "" : ",\n", site_metrics()[i].name, parts[i]);
  return {fmt::format("data/{}.js", site_file_name(name)),
          text + "};\nwindow.aqbench_steps=" + site_steps_json(suite.steps, places) + ";\n"};
}

}  // namespace aqbench
