#include "reports/html/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/files.h"
#include "core/drawing/svg.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "harness/records/case_result.h"
#include "metrics/registry.h"
#include "reports/content/bundle_files.h"
#include "reports/content/case_groups.h"
#include "reports/content/environment_text.h"
#include "reports/content/isolation_text.h"
#include "reports/content/narrative.h"
#include "reports/html/charts.h"
#include "reports/html/heatmaps.h"

namespace aqbench {
namespace {

constexpr std::string_view kPageStyle =
    ":root{color-scheme:light dark}"
    "body{margin:2rem auto;max-width:72rem;padding:0 1rem;font:15px/1.5 system-ui,sans-serif;color:#1b1f24;"
    "background:#fff}"
    "h1{font-size:1.6rem;margin:0 0 .3rem}h2{margin-top:2.2rem;border-bottom:1px solid "
    "#d1d9e0;padding-bottom:.2rem}"
    "small,.dim{color:#57606a}code{overflow-wrap:anywhere}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px}"
    "th,td{padding:.25rem .6rem;border-bottom:1px solid #d1d9e0;text-align:right;white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}td.bad{color:#cf222e;font-weight:600}"
    ".badge{display:inline-block;padding:.1rem .7rem;border-radius:1rem;color:#fff;font-weight:600;"
    "font-size:.9rem}.badge.good{background:#1a7f37}.badge.bad{background:#cf222e}"
    ".maps{display:grid;grid-template-columns:repeat(auto-fill,minmax(250px,1fr));gap:1rem;align-items:start}"
    "h3{font-size:14px;margin:1.6rem 0 .4rem;overflow-wrap:anywhere}"
    "figure{margin:0}figcaption{font-size:12px;line-height:1.35;color:#57606a;overflow-wrap:anywhere}"
    "figure "
    "img,figure>svg{display:block;width:100%;height:auto;image-rendering:pixelated;margin-bottom:.25rem}"
    "@media (prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}h2,th,td{border-color:#30363d}"
    "small,.dim,figcaption{color:#9198a1}td.bad{color:#f85149}}";

std::string section(const char* title, const std::string& body, const char* explanation = "") {
  if (body.empty()) return "";
  const std::string lead = *explanation == '\0' ? "" : fmt::format("<p class=\"dim\">{}</p>\n", explanation);
  return fmt::format("<h2>{}</h2>\n{}{}", title, lead, body);
}

std::string verdict_badge(const BundleContent& content) {
  const Results& results = content.results;
  const auto ok = std::ranges::count(results.records, Status::ok, &Record::status);
  const bool all_ok = static_cast<std::size_t>(ok) == results.run.planned_cases;
  std::string badges = fmt::format("<span class=\"badge {}\">{} of {} ok</span> ", all_ok ? "good" : "bad",
                                   ok, counted(results.run.planned_cases, "case"));
  if (!content.baseline) return badges;
  const bool pass = content.gated->exit_code() == ExitCode::pass;
  return badges + fmt::format("<span class=\"badge {}\">gate: {}</span>", pass ? "good" : "bad",
                              pass ? "pass" : "FAIL");
}

std::string report_head(const BundleContent& content) {
  const RunInfo& run = content.results.run;
  std::string text = fmt::format(
      "<h1>aqbench {}</h1>\n<p>{}</p>\n<p class=\"dim\">suite {}, {} to {}<br>{}<br>root "
      "digest <code>{}</code></p>\n",
      xml_escape(run.id), verdict_badge(content), run.suite.empty() ? "none" : xml_escape(run.suite),
      xml_escape(run.started_utc), xml_escape(run.finished_utc),
      xml_escape(environment_line(*content.results.environment)), root_digest(content.results));
  if (const std::string isolation = isolation_line(content.results); !isolation.empty())
    text += fmt::format("<p class=\"dim\">isolation of methods: {}</p>\n", xml_escape(isolation));
  text += "<ul>\n";
  for (const std::string& line : narrative_lines(content)) text += "<li>" + xml_escape(line) + "</li>\n";
  return text + "</ul>\n";
}

std::string cases_html(const Results& results) {
  std::string text = "<div class=\"wide\"><table>\n<tr><th>case</th><th>status</th>";
  for (const HeadlineMetric& metric : headline_metrics())
    text += fmt::format("<th>{}</th>", xml_escape(metric.title));
  text += "<th>time [ms]</th></tr>\n";
  for (const Record& record : results.records) {
    const bool ok = record.status == Status::ok;
    text += fmt::format("<tr><td>{}{}</td><td{} title=\"{}\">{}</td>", xml_escape(record.case_name),
                        record.simulated ? " (simulated)" : "", ok ? "" : " class=\"bad\"",
                        xml_escape(record.reason), to_string(record.status));
    for (const HeadlineMetric& headline : headline_metrics()) {
      const Metric* const metric = find_metric(record.metrics, headline.name);
      text +=
          metric != nullptr && metric->value
              ? fmt::format("<td>{}</td>", table_number(*metric->value))
              : fmt::format("<td title=\"{}\">n/a</td>", metric != nullptr ? xml_escape(metric->reason) : "");
    }
    const auto ms = time_ms(record.timing);
    text += fmt::format("<td>{}</td></tr>\n", ms ? table_number(*ms) : "n/a");
  }
  return text + "</table></div>\n";
}

}  // namespace

std::string render_html_report(const BundleContent& content, const ReportPictures& pictures) {
  const Results& results = content.results;
  auto groups = group_cases(results);
  take_common_axes(groups);  // the sentences at the head say what it is
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<title>aqbench "
      "{}</title>\n<style>{}{}</style>\n</head>\n"
      "<body>\n",
      xml_escape(results.run.id), kPageStyle, chart_style());
  page += report_head(content);
  page += section(
      "Accuracy",
      bars_chart(groups, "accuracy_mean_mm", "mean distance to the true surface [mm], less is better") +
          bars_chart(groups, "precision_2mm_pct", "precision: points within 2 mm [%], more is better") +
          bars_chart(groups, "completeness_2mm_pct",
                     "completeness: surface within 2 mm of a point [%], more is better"),
      "Bars are means over seeds; the thin line is one standard deviation to each side.");
  page +=
      section("Against the baseline", baseline_chart(content),
              "Change for the worse in units of what is allowed: right of the dashed line is a regression.");
  page += section("Where the errors are", case_pictures(results, pictures));
  page += section("Stages", stages_chart(groups),
                  "Self time, without nested stages; medians over the repetitions.");
  page += section(
      "Times", times_chart(results),
      "Box: quartiles and median of the warm calls, whiskers: minimum and maximum, dot: the first call of "
      "the process.");
  page += section("All cases", cases_html(results));
  return page +
         fmt::format(
             "<p class=\"dim\">Made from the files of this bundle; <code>aqbench verify</code> makes it "
             "again and compares. Reproduce: <code>{}</code></p>\n</body>\n</html>\n",
             xml_escape(reproduce_command(results.run)));
}

}  // namespace aqbench
