#include "reports/content/protocol_rows.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "metrics/protocols/asked_protocols.h"
#include "reports/content/case_groups.h"

namespace aqbench {
namespace {

bool is_headline(const std::string& name) {
  const auto& all = headline_protocol_metrics();
  return std::ranges::find(all, name, &ProtocolMetric::name) != all.end();
}

// What of a metric's name stands before its threshold: "eth3d_precision_".
std::string without_threshold(const std::string& name) {
  return name.ends_with("mm_pct") ? name.substr(0, name.rfind('_', name.size() - 5) + 1) : name;
}

// The metrics that become columns, in the order of the first record that has them.
std::vector<ProtocolMetric> shown_metrics(const Results& results) {
  std::vector<ProtocolMetric> found;
  for (const Record& record : results.records)
    for (const auto& [interned, metric] : record.metrics) {
      const std::string name = interned;
      if (std::ranges::find(found, name, &ProtocolMetric::name) != found.end()) continue;
      if (auto known = find_protocol_metric(name)) found.push_back(*std::move(known));
    }
  std::vector<ProtocolMetric> shown;
  for (const ProtocolMetric& metric : found) {
    const auto same = [&](const ProtocolMetric& other) {
      return without_threshold(other.name) == without_threshold(metric.name);
    };
    const bool any_headline =
        std::ranges::any_of(found, [&](const auto& other) { return same(other) && is_headline(other.name); });
    if (any_headline ? is_headline(metric.name) : std::ranges::none_of(shown, same)) shown.push_back(metric);
  }
  return shown;
}

// Takes out the columns without any value.
ValueRows with_values(ValueRows table) {
  for (std::size_t i = table.titles.size(); i-- > 0;) {
    if (std::ranges::any_of(table.rows, [&](const auto& row) { return row.second[i] != "n/a"; })) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.titles.erase(table.titles.begin() + at);
    for (auto& [name, cells] : table.rows) cells.erase(cells.begin() + at);
  }
  return table;
}

}  // namespace

ValueRows program_rows(const Results& results) {
  ValueRows table{program_titles(), {}};
  for (const Record& record : results.records)
    if (record.program) table.rows.emplace_back(record.case_name, program_cells(*record.program));
  return with_values(std::move(table));
}

ValueRows protocol_rows(const Results& results) {
  ValueRows table;
  const std::vector<ProtocolMetric> shown = shown_metrics(results);
  for (const ProtocolMetric& metric : shown) table.titles.push_back(metric.title);
  for (const Record& record : results.records) {
    std::vector<std::string> cells;
    bool any = false;
    for (const ProtocolMetric& metric : shown) {
      const Metric* const found = find_metric(record.metrics, metric.name);
      any = any || found != nullptr;
      cells.push_back(table_number_or_na(found == nullptr ? std::nullopt : found->value));
    }
    if (any) table.rows.emplace_back(record.case_name, std::move(cells));
  }
  return with_values(std::move(table));
}

}  // namespace aqbench
