#include "reports/exports/paper.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/drawing/colour_map.h"
#include "core/json.h"
#include "harness/measuring/timing.h"
#include "metrics/registry.h"
#include "metrics/value_change.h"
#include "reports/content/case_columns.h"
#include "reports/content/case_groups.h"

namespace aqbench {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string method_of(const Record& record) {
  if (!record.workload.empty()) return record.workload;
  return record.preset.empty() ? record.method : record.method + ":" + record.preset;
}

std::string latex_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\')
      safe += "\\textbackslash{}";
    else if (c == '~' || c == '^')
      safe += fmt::format("\\{}{{}}", c);
    else if (std::string_view("&%$#_{}").find(c) != std::string_view::npos)
      safe += std::string("\\") + c;
    else
      safe += c;
  }
  return safe;
}

const Metric* value_of(const Record& record, const std::string& name) {
  const Metric* const metric = find_metric(record.metrics, name);
  return metric != nullptr && metric->value ? metric : nullptr;
}

// The best value of a metric among the records of one ranking; nullopt where nothing is better or there are
// fewer than two.
std::optional<double> best_of(const Results& results, const std::string& name, const std::string& ranking) {
  std::optional<double> best;
  std::size_t count = 0;
  for (const Record& record : results.records) {
    const Metric* const metric = ranking_of(record) == ranking ? value_of(record, name) : nullptr;
    if (metric == nullptr) continue;
    if (metric->better == Better::equal && !metric_ideal(name)) return std::nullopt;
    ++count;
    if (!best || worsening(name, metric->better, *best, *metric->value) < 0) best = metric->value;
  }
  return count < 2 ? std::nullopt : best;
}

void put_float(std::string& bytes, double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFF);
}

Rgb8 rgb_of_code(std::uint16_t code) {
  const auto level = [](int part, int most) {
    return static_cast<std::uint8_t>((part * 255 + most / 2) / most);
  };
  return {level(code >> 11, 31), level(code >> 5 & 63, 63), level(code & 31, 31)};
}

}  // namespace

std::string results_csv(const Results& results) {
  std::string text = "case,scene,method,status,metric,value,unit,better,reason\r\n";
  for (const Record& record : results.records) {
    const std::string head = fmt::format("{},{},{},{}", csv_field(record.case_name), csv_field(record.scene),
                                         csv_field(method_of(record)), to_string(record.status));
    if (record.metrics.empty()) text += fmt::format("{},,,,,{}\r\n", head, csv_field(record.reason));
    for (const auto& [name, metric] : record.metrics)
      text += fmt::format("{},{},{},{},{},{}\r\n", head, csv_field(name),
                          metric.value ? fmt::format("{}", *metric.value) : "", csv_field(metric.unit),
                          to_string(metric.better), csv_field(metric.value ? "" : metric.reason));
    if (const auto ms = typical_ms(record.timing))
      text += fmt::format("{},time_ms,{},ms,lower,\r\n", head, *ms);
  }
  return text;
}

std::string results_latex(const Results& results) {
  const std::vector<MetricColumn> columns = metric_columns(results);
  const CaseLabels labels = label_cases(group_cases(results));
  std::string text = fmt::format(
      "% {} of suite {}; needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\ncase",
      latex_text(results.run.id), latex_text(results.run.suite), std::string(columns.size(), 'r'));
  for (const MetricColumn& column : columns) text += " & " + latex_text(column.title);
  text += " \\\\\n\\midrule\n";
  std::map<std::pair<std::string, std::string>, std::optional<double>> best;  // of ranking and metric
  for (const Record& record : results.records)
    for (const MetricColumn& column : columns)
      if (const auto [place, is_new] = best.try_emplace({ranking_of(record), column.metric}); is_new)
        place->second = best_of(results, column.metric, ranking_of(record));
  for (const Record& record : results.records) {
    text += latex_text(labels.of.at(record.case_name));
    for (const MetricColumn& column : columns) {
      const Metric* const metric = value_of(record, column.metric);
      const std::string value = metric == nullptr ? "n/a" : table_number(*metric->value);
      const bool bold = metric != nullptr && best.at({ranking_of(record), column.metric}) == metric->value;
      text += bold ? fmt::format(" & \\textbf{{{}}}", value) : " & " + value;
    }
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string results_vega(const Results& results) {
  const std::vector<MetricColumn> columns = metric_columns(results);
  const CaseLabels labels = label_cases(group_cases(results));
  Json values = Json::array();
  for (const Record& record : results.records)
    for (const MetricColumn& column : columns)
      if (const Metric* const metric = value_of(record, column.metric))
        values.push_back({{"case", labels.of.at(record.case_name)},
                          {"scene", record.scene},
                          {"method", method_of(record)},
                          {"metric", column.title},
                          {"value", *metric->value}});
  const Json chart = {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
                      {"description", "aqbench " + results.run.id + ", suite " + results.run.suite},
                      {"data", {{"values", std::move(values)}}},
                      {"facet", {{"field", "metric"}, {"type", "nominal"}, {"columns", 2}}},
                      {"spec",
                       {{"mark", {{"type", "bar"}, {"tooltip", true}}},
                        {"encoding",
                         {{"y", {{"field", "case"}, {"type", "nominal"}, {"sort", nullptr}}},
                          {"x", {{"field", "value"}, {"type", "quantitative"}}},
                          {"color", {{"field", "method"}, {"type", "nominal"}}}}}}},
                      {"resolve", {{"scale", {{"x", "independent"}}}}}};
  return chart.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string error_ply(const CloudView& view, double limit_mm) {
  const bool own = !view.colours.empty();
  const std::string colours = own ? "those of the method"
                              : view.is_agreement
                                  ? "agreement of the images, dark -1 to light 1"
                                  : fmt::format("signed error, blue -{0} mm to red +{0} mm", limit_mm);
  std::string bytes = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment colours: {}\nelement vertex {}\nproperty float "
      "x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty uchar "
      "blue\nproperty float {}\nend_header\n",
      colours, view.points.size(), view.is_agreement ? "agreement" : "error_mm");
  for (std::size_t i = 0; i < view.points.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      put_float(bytes, (view.origin_mm[axis] + view.points[i][axis] * kViewStep_mm) / 1000);
    const double value =
        view.is_agreement ? agreement_of_code(view.errors[i]) : error_of_code(view.errors[i]);
    const Rgb8 colour = own                 ? rgb_of_code(view.colours[i])
                        : std::isnan(value) ? Rgb8{128, 128, 128}
                        : view.is_agreement ? sequential_colour(colour_step(0.5 + 0.5 * value))
                                            : diverging_colour(colour_step(0.5 + 0.5 * value / limit_mm));
    for (const std::uint8_t part : {colour.r, colour.g, colour.b}) bytes += static_cast<char>(part);
    put_float(bytes, value);
  }
  return bytes;
}

}  // namespace aqbench
