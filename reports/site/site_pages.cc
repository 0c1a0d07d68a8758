#include "reports/site/site_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/drawing/svg.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "reports/content/case_groups.h"
#include "reports/html/assets.h"
#include "reports/html/page.h"

namespace aqbench {
namespace {

struct SiteHealth {
  std::size_t ok = 0, skipped = 0, all = 0;
  bool good() const { return ok > 0 && ok + skipped == all; }
  std::string text() const {
    return fmt::format("{} of {} ok{}", ok, all, skipped == 0 ? "" : fmt::format(", {} skipped", skipped));
  }
};

SiteHealth health_of(const SiteRun& run) {
  const auto with = [&](const char* status) {
    return static_cast<std::size_t>(std::ranges::count(run.cases, status, &SiteCase::status));
  };
  return {with("ok"), with("skipped"), std::max(run.planned, run.cases.size())};
}

std::string health_text(const SiteHealth& health) {
  return fmt::format("<span class=\"badge {}\">{}</span>", health.good() ? "good" : "bad", health.text());
}

// `depth` is how many folders the page is below the root of the site.
std::string site_page(const std::string& title, int depth, const std::string& body,
                      const std::string& data_script) {
  const std::string root = depth == 0 ? "" : "../";
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src 'self' file: data:; style-src 'self' file: 'unsafe-inline'; "
      "script-src "
      "'self' file:; base-uri 'none'\">\n<title>{0}</title>\n<link rel=\"stylesheet\" "
      "href=\"{1}assets/site.css\">\n"
      "</head>\n<body>\n<header><nav aria-label=\"site\"><a href=\"{1}index.html\">all suites</a></nav>\n"
      "<h1>{0}</h1></header>\n<main>\n{2}</main>\n<script src=\"{1}assets/report.js\"></script>\n",
      xml_escape(title), root, body);
  if (!data_script.empty())
    page += fmt::format(
        "<script src=\"{0}assets/uplot.js\"></script>\n<script src=\"{0}{1}\"></script>\n<script "
        "src=\"{0}assets/site.js\"></script>\n",
        root, data_script);
  return page + "</body>\n</html>\n";
}

std::string table_open(const std::string& label, const std::vector<std::string>& titles) {
  std::string text = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"lively "
      "cards unbroken\"><thead><tr>",
      xml_escape(label));
  for (const std::string& title : titles) text += fmt::format("<th scope=\"col\">{}</th>", xml_escape(title));
  return text + "</tr></thead>\n<tbody>\n";
}

std::string value_text(const std::optional<double>& value) { return value ? table_number(*value) : "n/a"; }

// Which metrics any of the cases has.
std::vector<std::size_t> filled_metrics(const std::vector<const SiteRun*>& runs) {
  std::vector<std::size_t> filled;
  for (std::size_t i = 0; i < site_metrics().size(); ++i)
    if (std::ranges::any_of(runs, [&](const SiteRun* run) {
          return std::ranges::any_of(run->cases,
                                     [&](const SiteCase& one) { return one.values[i].has_value(); });
        }))
      filled.push_back(i);
  return filled;
}

// The newest values, each with its change since the run before.
std::string newest_table(std::span<const SiteRun* const> runs) {
  const SiteRun& newest = *runs.back();
  const SiteRun* const before = runs.size() > 1 ? runs[runs.size() - 2] : nullptr;
  std::map<std::string, const SiteCase*> earlier;
  if (before != nullptr)
    for (const SiteCase& one : before->cases) earlier[one.name] = &one;
  const std::vector<std::size_t> metrics = filled_metrics({&newest});
  std::vector<std::string> titles = {"case", "status"};
  for (const std::size_t i : metrics) titles.push_back(site_metrics()[i].title);
  std::string text = table_open("newest run", titles);
  for (const SiteCase& one : newest.cases) {
    text +=
        fmt::format("<tr data-series=\"{0}\"><td>{0}</td><td data-label=\"status\"{2}>{1}</td>",
                    xml_escape(one.name), xml_escape(one.status), one.status == "ok" ? "" : " class=\"bad\"");
    const auto old = earlier.find(one.name);
    for (const std::size_t i : metrics) {
      std::string change;
      if (old != earlier.end() && one.values[i] && old->second->values[i] &&
          *one.values[i] != *old->second->values[i])
        change = fmt::format(" title=\"{} in the run before\"", value_text(old->second->values[i]));
      text += fmt::format("<td data-label=\"{}\"{}>{}{}</td>", xml_escape(site_metrics()[i].title), change,
                          value_text(one.values[i]), change.empty() ? "" : " *");
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n<p class=\"dim\">* changed since the run before.</p>\n";
}

std::string runs_table(std::span<const SiteRun* const> runs, const SiteReports& reports) {
  std::string text = table_open("runs", {"run", "cases", "commit", "machine", "report"});
  for (std::size_t i = runs.size(); i-- > 0;) {
    const SiteRun& run = *runs[i];
    const auto report = reports.find(run.key);
    text += fmt::format(
        "<tr><td>{}</td><td data-label=\"cases\">{}</td><td data-label=\"commit\">{}</td><td "
        "data-label=\"machine\">{}</td><td data-label=\"report\">{}</td></tr>\n",
        xml_escape(run.id), health_text(health_of(run)), xml_escape(run.commit.substr(0, 12)),
        xml_escape(run.machine),
        report == reports.end()
            ? "in the bundle"
            : fmt::format("<a href=\"../{}\">report of {}</a>", report->second, xml_escape(run.id)));
  }
  return text + "</tbody></table></div>\n";
}

std::string shown_suite(const std::string& suite) { return suite.empty() ? "(chosen by hand)" : suite; }

constexpr std::size_t kMostStepRows = 200;

constexpr const char* kStepsNote =
    "Steps as <code>aqbench trend</code> finds them: every change of a value that does not vary by itself "
    "(exact), else change points with their p. They show where to look; gate and ab decide.";

// Returns the table of the rows, which stand with the newest first.
std::string steps_section(const std::vector<std::string>& titles, const std::vector<std::string>& rows,
                          const std::string& lead = "") {
  if (rows.empty()) return "";
  std::string text = lead + table_open("changes of level", titles);
  for (std::size_t i = 0; i < std::min(rows.size(), kMostStepRows); ++i) text += rows[i];
  text += "</tbody></table></div>\n";
  if (rows.size() > kMostStepRows)
    text += fmt::format("<p class=\"dim\">and {} more, older ones</p>\n", rows.size() - kMostStepRows);
  return page_section("steps", "Where a level changed", text, kStepsNote);
}

// Returns the steps of one metric over all suites.
std::string metric_steps(const std::string& metric, const SiteSuites& suites, const SiteSteps& steps) {
  struct Row {
    std::string started_utc, text;
  };
  std::vector<Row> found;
  for (const auto& [suite, list] : steps)
    for (const SiteStep& step : list)
      if (site_metrics()[step.metric].name == metric) {
        const std::vector<const SiteRun*>& runs = suites.at(suite);
        found.push_back(
            {runs[step.since]->started_utc,
             site_step_row(step, runs,
                           fmt::format("<td data-label=\"suite\"><a href=\"../suite/{}.html\">{}</a></td>",
                                       site_file_name(suite), xml_escape(shown_suite(suite))))});
      }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Row::started_utc);
  std::vector<std::string> titles = site_step_titles(), rows;
  titles.insert(titles.begin() + 1, "suite");
  for (Row& row : found) rows.push_back(std::move(row.text));
  return steps_section(titles, rows);
}

}  // namespace

std::string site_file_name(std::string_view name) {
  std::string file;
  for (const char c : name)
    file += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ? c : '.';
  return file == name && !name.empty() ? file : fmt::format("{}-{}", file, sha256_hex(name).substr(0, 8));
}

std::pair<std::string, std::string> suite_page(const std::string& suite, std::span<const SiteRun* const> runs,
                                               const SiteReports& reports, std::span<const SiteStep> steps) {
  const std::string file = site_file_name(suite);
  std::string body = fmt::format(
      "<p>{} in the newest of {} runs, {}. Badge: <img alt=\"badge of the suite\" "
      "src=\"../badge/{}.svg\"></p>\n",
      health_text(health_of(*runs.back())), runs.size(), xml_escape(runs.back()->started_utc), file);
  body += "<section id=\"trend\" class=\"scripted\"><h2>Over the runs</h2></section>\n";
  std::vector<std::string> rows;
  for (const SiteStep& step : steps) rows.push_back(site_step_row(step, runs, ""));
  body += steps_section(site_step_titles(), rows, site_steps_lead(steps, runs));
  body += page_section("newest", "Newest values", newest_table(runs));
  body += page_section("runs", "Runs", runs_table(runs, reports));
  return {fmt::format("suite/{}.html", file),
          site_page("suite " + shown_suite(suite), 1, body, fmt::format("data/{}.js", file))};
}

std::pair<std::string, std::string> suite_badge(const std::string& suite, const SiteRun& newest) {
  const SiteHealth health = health_of(newest);
  const std::string left = shown_suite(suite), right = health.text();
  const auto left_px = 14 + 7 * display_width(left), right_px = 14 + 7 * display_width(right);
  return {
      fmt::format("badge/{}.svg", site_file_name(suite)),
      fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" "
          "aria-label=\"{1}: "
          "{2}\"><rect width=\"{3}\" height=\"20\" fill=\"#444c56\"/><rect x=\"{3}\" width=\"{4}\" "
          "height=\"20\" fill=\"{5}\"/><g fill=\"#fff\" font-family=\"system-ui,sans-serif\" "
          "font-size=\"12\"><text x=\"7\" y=\"14\">{1}</text><text x=\"{6}\" y=\"14\">{2}</text></g></svg>\n",
          left_px + right_px, xml_escape(left), right, left_px, right_px,
          health.good() ? "#1a7f37" : "#b3151f", left_px + 7)};
}

std::pair<std::string, std::string> suite_endpoint(const std::string& suite, const SiteRun& newest) {
  const SiteHealth health = health_of(newest);
  Json cases = Json::object();
  for (const SiteCase& one : newest.cases) {
    Json values = {{"status", one.status}};
    for (std::size_t i = 0; i < one.values.size(); ++i)
      if (one.values[i]) values[site_metrics()[i].name] = *one.values[i];
    cases[one.name] = std::move(values);
  }
  const Json json = {{"schemaVersion", 1},       {"label", shown_suite(suite)},
                     {"message", health.text()}, {"color", health.good() ? "green" : "red"},
                     {"run", newest.id},         {"commit", newest.commit},
                     {"cases", std::move(cases)}};
  return {fmt::format("api/{}.json", site_file_name(suite)),
          json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

std::pair<std::string, std::string> index_page(const SiteSuites& suites) {
  std::string body = table_open("suites", {"suite", "newest run", "cases", "runs"});
  std::map<std::string, std::string> scenes, methods;
  for (const auto& [suite, runs] : suites) {
    const SiteRun& newest = *runs.back();
    body += fmt::format(
        "<tr><td><a href=\"suite/{}.html\">{}</a></td><td data-label=\"newest run\">{}</td><td "
        "data-label=\"cases\">{}</td><td data-label=\"runs\">{}</td></tr>\n",
        site_file_name(suite), xml_escape(shown_suite(suite)), xml_escape(newest.id),
        health_text(health_of(newest)), runs.size());
    for (const SiteCase& one : newest.cases) {
      if (!one.scene.empty()) scenes[one.scene];
      methods[one.method];
    }
  }
  body += "</tbody></table></div>\n";
  std::string subjects = table_open("scenes, methods, metrics", {"page", "kind"});
  const auto link = [&](const char* kind, const std::string& name) {
    subjects +=
        fmt::format("<tr><td><a href=\"{0}/{1}.html\">{2}</a></td><td data-label=\"kind\">{0}</td></tr>\n",
                    kind, site_file_name(name), xml_escape(name));
  };
  for (const auto& [name, unused] : scenes) link("scene", name);
  for (const auto& [name, unused] : methods) link("method", name);
  for (const SiteMetric& metric : site_metrics()) link("metric", metric.name);
  return {"index.html",
          site_page("aqbench", 0,
                    page_section("suites", "Suites", body) +
                        page_section("subjects", "Scenes, methods, metrics",
                                     subjects + "</tbody></table></div>\n", "The search finds any of them."),
                    "")};
}

std::vector<std::pair<std::string, std::string>> subject_pages(const SiteSuites& suites,
                                                               const SiteSteps& steps) {
  std::vector<const SiteRun*> newest;
  for (const auto& [suite, runs] : suites) newest.push_back(runs.back());
  const std::vector<std::size_t> metrics = filled_metrics(newest);
  std::map<std::pair<std::string, std::string>, std::string> rows;  // kind and name -> rows
  for (const SiteRun* const run : newest)
    for (const SiteCase& one : run->cases) {
      std::string row =
          fmt::format("<tr><td>{0}</td><td data-label=\"suite\"><a href=\"../suite/{1}.html\">{2}</a></td>",
                      xml_escape(one.name), site_file_name(run->suite), xml_escape(shown_suite(run->suite)));
      const std::string head = row;
      for (const std::size_t i : metrics) {
        const std::string value = value_text(one.values[i]);
        row += fmt::format("<td data-label=\"{}\">{}</td>", xml_escape(site_metrics()[i].title), value);
        rows[{"metric", site_metrics()[i].name}] +=
            head + fmt::format("<td data-label=\"value\">{}</td></tr>\n", value);
      }
      if (!one.scene.empty()) rows[{"scene", one.scene}] += row + "</tr>\n";
      rows[{"method", one.method}] += row + "</tr>\n";
    }
  std::vector<std::string> titles = {"case", "suite"};
  for (const std::size_t i : metrics) titles.push_back(site_metrics()[i].title);
  std::vector<std::pair<std::string, std::string>> pages;
  for (const auto& [subject, text] : rows) {
    const auto& [kind, name] = subject;
    std::string lead;
    const auto metric = std::ranges::find(site_metrics(), name, &SiteMetric::name);
    if (kind == "metric")
      lead = fmt::format("<p>{}</p>\n", xml_escape(metric->definition)) + metric_steps(name, suites, steps);
    pages.emplace_back(
        fmt::format("{}/{}.html", kind, site_file_name(name)),
        site_page(kind + " " + name, 1,
                  lead + page_section(
                             "newest", "In the newest run of every suite",
                             table_open(name, kind == "metric"
                                                  ? std::vector<std::string>{"case", "suite", metric->title}
                                                  : titles) +
                                 text + "</tbody></table></div>\n"),
                  ""));
  }
  return pages;
}

std::vector<std::pair<std::string, std::string>> site_assets() {
  return {
      {"assets/site.css", std::string(page_style()) + std::string(chart_style()) + std::string(plot_style())},
      {"assets/report.js", std::string(page_script())},
      {"assets/uplot.js", std::string(plot_library_script()) + "\n" + std::string(plot_script())},
      {"assets/site.js", std::string(site_script())}};
}

}  // namespace aqbench
