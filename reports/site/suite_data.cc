// The values of a suite over its runs, for the page's script.

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/parallel.h"
#include "reports/site/site_pages.h"

namespace aqbench {
namespace {

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

std::pair<std::string, std::string> suite_data(const std::string& suite, std::span<const SiteRun* const> runs,
                                               const ShortNames& names, std::span<const SiteStep> steps) {
  std::map<std::string, std::size_t> places;
  Json cases = Json::array();
  for (const SiteRun* const run : runs)
    for (const SiteCase& one : run->cases)
      if (places.emplace(one.name, places.size()).second) cases.push_back(one.name);
  Json labels = Json::array();
  for (const Json& name : cases) labels.push_back(names.of.at(name.get<std::string>()));
  Json titles = Json::object();
  for (const SiteMetric& metric : site_metrics()) titles[metric.name] = metric.title;
  Json at = Json::array();
  for (const SiteRun* const run : runs) at.push_back({run->id, run->started_utc, commit_of_run(*run)});
  std::string text =
      "window.aqbench_suite=" +
      Json({{"suite", suite}, {"runs", at}, {"cases", cases}, {"labels", labels}, {"titles", titles}})
          .dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::size_t each = places.size() * runs.size();  // values of a metric: a row for each case
  std::vector<double> values(site_metrics().size() * each, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (const SiteCase& one : runs[run]->cases) {
      const std::size_t place = places.at(one.name) * runs.size() + run;
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
  return {fmt::format("data/{}.js", site_file_name(suite)),
          text + "};\nwindow.aqbench_steps=" + site_steps_json(steps, places) + ";\n"};
}

}  // namespace aqbench
