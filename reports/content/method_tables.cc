#include "reports/content/method_tables.h"

#include <algorithm>

#include "harness/records/numbers.h"
#include "metrics/value_change.h"

namespace aqbench {
namespace {

template <class Value>
std::size_t place_in(std::vector<Value>& values, const Value& value) {
  const auto found = std::ranges::find(values, value);
  const auto place = static_cast<std::size_t>(found - values.begin());
  if (found == values.end()) values.push_back(value);
  return place;
}

std::string cell_text(const std::optional<Spread>& spread) {
  if (!spread) return "n/a";
  std::string text = table_number(spread->mean);
  if (spread->standard_deviation) text += " ± " + table_number(*spread->standard_deviation);
  return text;
}

// Marks the best mean of each scene that has several.
void mark_best(const std::string& metric, Better better,
               const std::vector<std::vector<std::optional<Spread>>>& spreads, MethodTable& table) {
  for (std::size_t scene = 0; scene < table.scenes.size(); ++scene) {
    std::optional<double> best;
    std::size_t count = 0;
    for (const auto& of_method : spreads)
      if (const auto& spread = of_method[scene]) {
        ++count;
        if (!best || worsening(metric, better, *best, spread->mean) < 0) best = spread->mean;
      }
    for (std::size_t method = 0; method < spreads.size() && count > 1; ++method)
      table.cells[method][scene].best = spreads[method][scene] && spreads[method][scene]->mean == best;
  }
}

}  // namespace

std::vector<MethodTable> method_tables(const Results& results) {
  if (results.records.empty() || !is_imported(results.records.front())) return {};
  const std::vector<CaseGroup> groups = group_cases(results);
  std::vector<MethodTable> tables;
  for (const MetricColumn& column : metric_columns(groups)) {
    const Better better = find_metric(groups.front().records.front()->metrics, column.metric)->better;
    MethodTable table{column.title + (better == Better::lower    ? ", less is better"
                                      : better == Better::higher ? ", more is better"
                                                                 : ""),
                      {},
                      {},
                      {}};
    for (const CaseGroup& group : groups) {
      place_in(table.scenes, group.scene);
      place_in(table.methods, group.method);
    }
    std::vector<std::vector<std::optional<Spread>>> spreads(
        table.methods.size(), std::vector<std::optional<Spread>>(table.scenes.size()));
    table.cells.assign(table.methods.size(), std::vector<MethodCell>(table.scenes.size(), {"n/a"}));
    for (const CaseGroup& group : groups) {
      const std::size_t method = place_in(table.methods, group.method),
                        scene = place_in(table.scenes, group.scene);
      spreads[method][scene] = metric_spread(group, column.metric);
      table.cells[method][scene].text = cell_text(spreads[method][scene]);
    }
    mark_best(column.metric, better, spreads, table);
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace aqbench
