#include "reports/html/page.h"

#include <fmt/format.h>

#include "core/drawing/drawing.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

std::string hash_source(std::string_view script) {
  const std::string hex = sha256_hex(script);
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return fmt::format("'sha256-{}'", base64_text(bytes));
}

// The scripts of a page, in the order in which they need each other.
std::vector<std::string_view> scripts_of(const PageParts& parts) {
  std::vector<std::string_view> names = {"report.js"};
  const auto add = [&](bool needed, std::initializer_list<std::string_view> more) {
    if (needed) names.insert(names.end(), more);
  };
  add(parts.plots, {"uPlot.iife.min.js", "plots.js", "plots_page.js"});
  add(parts.comparison, {"uPlot.iife.min.js", "plots.js", "ab_page.js"});
  add(parts.flames, {"flames.js"});
  add(parts.viewer, {"view_data.js", "view_rays.js", "viewer_camera.js", "viewer_draw.js", "viewer_rig.js",
                     "viewer.js", "viewer_page.js"});
  for (std::string_view& name : names) name = page_asset(name);
  return names;
}

// JSON as it may stand inside of a script element.
std::string json_in_html(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) safe += c == '<' ? std::string_view("\\u003c") : std::string_view(&c, 1);
  return safe;
}

}  // namespace

std::string scripted_section(std::string_view id, std::string_view title, std::string_view explanation) {
  return fmt::format(
      "<section id=\"{}\" class=\"scripted\">\n<h2>{}</h2>\n<p class=\"dim\">{}</p>\n</section>\n", id, title,
      explanation);
}

std::string html_page(const PageParts& parts) {
  std::string policy;
  for (const std::string_view script : scripts_of(parts)) policy += " " + hash_source(script);
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action "
      "'none'; script-src{}\">\n<title>{}</title>\n<style>{}{}{}</style>\n</head>\n<body>\n",
      policy, xml_escape(parts.title), page_asset("report.css"), chart_style(),
      parts.plots || parts.comparison ? page_asset("uPlot.min.css") : "");
  page += "<header>\n" + parts.header + "</header>\n<main>\n" + parts.body + "</main>\n";
  if (!parts.data_json.empty())
    page += "<script type=\"application/json\" id=\"aqbench-data\">" + json_in_html(parts.data_json) +
            "</script>\n";
  for (const auto& [id, bytes] : parts.blocks)
    page += fmt::format("<script type=\"text/plain\" id=\"{}\">", id) + base64_text(bytes) + "</script>\n";
  for (const std::string_view script : scripts_of(parts)) {
    page += "<script>";
    page += script;
    page += "</script>\n";
  }
  return page + "</body>\n</html>\n";
}

}  // namespace aqbench
