#include "reports/site/site_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "core/sha256.h"
#include "core/text.h"
#include "metrics/protocols/asked_protocols.h"
#include "reports/content/case_columns.h"
#include "reports/content/case_groups.h"

namespace aqbench {

std::string site_file_name(std::string_view name) {
  std::string file;
  for (const char c : name)
    file += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ? c : '.';
  return file == name && !name.empty() ? file : fmt::format("{}-{}", file, sha256_hex(name).substr(0, 8));
}

std::string SiteHealth::text() const {
  std::string text = fmt::format("{} of {} ok", ok, all);
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  if (injected > 0) text += ", injected faults";
  text += gate ? ", " + gate->text : good() ? ", not gated" : "";
  return text;
}

SiteHealth health_of(const SiteRun& run) {
  const auto with = [&](const char* status) {
    return static_cast<std::size_t>(std::ranges::count(run.cases, status, &SiteCase::status));
  };
  return {with("ok"), with("skipped"), std::max(run.planned, run.cases.size()), run.injected, run.gate};
}

std::string health_text(const SiteHealth& health) {
  return fmt::format("<span class=\"badge {}\">{}</span>", health.look(), health.text());
}

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

std::string shown_suite(const std::string& suite) { return suite.empty() ? "(chosen by hand)" : suite; }

// How many of site_metrics() are columns of tables of cases; the others are numbers of protocols, and the
// time.
static std::size_t columns_of_cases() {
  return site_metrics().size() - 1 - headline_protocol_metrics().size();
}

std::vector<std::size_t> filled_metrics(const std::vector<const SiteRun*>& runs) {
  const std::vector<SiteMetric>& all = site_metrics();
  std::vector<MetricSet> sets;
  std::vector<bool> filled(all.size(), false);
  for (const SiteRun* const run : runs)
    for (const SiteCase& one : run->cases) {
      MetricSet& set = sets.emplace_back();
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!one.values[i]) continue;
        filled[i] = true;
        set.emplace_back(all[i].name, Metric{one.values[i], "", all[i].better, ""});
      }
    }
  std::vector<const MetricSet*> cases;
  for (const MetricSet& set : sets) cases.push_back(&set);
  std::set<std::string> chosen;
  for (const MetricColumn& column : metric_columns(cases)) chosen.insert(column.metric);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (filled[i] && (i >= columns_of_cases() || chosen.contains(all[i].name))) shown.push_back(i);
  return shown;
}

std::string value_text(const std::optional<double>& value) { return value ? table_number(*value) : "n/a"; }

std::string case_link(const SiteRun& run, const std::string& case_name, const SiteReports& reports,
                      const std::string& text, const char* root) {
  const auto report = reports.find(run.key);
  if (report == reports.end()) return text;
  std::string escaped;
  for (const char c : case_name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/_.=:+-").find(c) != std::string_view::npos;
    escaped += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return fmt::format("<a href=\"{}{}#case={}\">{}</a>", root, report->second, escaped, text);
}

ShortNames site_short_names(std::span<const SiteRun* const> runs) {
  std::unordered_set<std::string_view> known;
  std::vector<std::string> names;
  for (const SiteRun* const run : runs)
    for (const SiteCase& one : run->cases)
      if (known.insert(one.name).second) names.push_back(one.name);
  std::ranges::sort(names);
  return shorten_names(names);
}

}  // namespace aqbench
