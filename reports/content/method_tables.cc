// Tables of methods and scenes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "core/text.h"
#include "harness/records/case_name.h"
#include "metrics/value_change.h"
#include "reports/content/metrics_table.h"
#include "reports/content/rivals.h"

namespace aqbench {
namespace {

// A mean in a column of a table of methods; the group where it is one of seeds.
struct MarkedMean {
  std::optional<double> mean;
  const CaseGroup* group;
  TableCell* cell;
};

// Marks the best of these means with those that cannot be told from it, and the next one; equal ones share a
// place. Nothing is best by a metric without a better side.
void mark_best(const std::string& metric, Better better, std::vector<MarkedMean> means) {
  if (!is_ranked(metric) || (better == Better::equal && !metric_ideal(metric))) return;
  std::erase_if(means, [](const MarkedMean& one) { return !one.mean; });
  if (means.size() < 2) return;
  for (int place : {1, 2}) {
    const MarkedMean* best = nullptr;
    for (const MarkedMean& one : means)
      if (one.cell->place == 0 && (best == nullptr || worsening(metric, better, *best->mean, *one.mean) < 0))
        best = &one;
    if (best == nullptr) return;
    for (const MarkedMean& one : means) {
      const bool alike = place == 1 && one.group != nullptr && !differs(*one.group, *best->group, metric, 0);
      if (one.cell->place == 0 && (alike || one.mean == best->mean)) one.cell->place = place;
      if (one.cell != best->cell && place == 1) one.cell->against = best->cell->subject;
    }
  }
}

// What the columns of a table of methods are: scenes, or of one scene the values of the axis of all cases
// that has most.
struct MethodColumns {
  std::string axis;                // "width="; "": scenes
  std::vector<std::string> names;  // "step", or "width=480"

  // Returns the name of the row and the column of a group.
  std::pair<std::string, std::string> place_of(const CaseGroup& group) const {
    std::string row = group.method, column = axis.empty() ? group.scene : "";
    for (const std::string_view part : split_at(group.axes, ' ')) {
      if (!axis.empty() && part.starts_with(axis))
        column = part;
      else if (!part.empty())
        row += " " + std::string(part);
    }
    return {std::move(row), std::move(column)};
  }
};

MethodColumns columns_of(const std::vector<CaseGroup>& groups, bool ranked) {
  MethodColumns columns;
  std::map<std::string_view, std::multiset<std::string_view>> parts;
  for (const CaseGroup& group : groups)
    for (const std::string_view part : split_at(group.axes, ' '))
      if (const std::size_t end = part.find('='); end != part.npos)
        parts[part.substr(0, end + 1)].insert(part);
  const bool one_scene =
      std::ranges::all_of(groups, [&](const CaseGroup& group) { return group.scene == groups[0].scene; });
  std::size_t most = 1;
  for (const auto& [axis, all] : parts)
    if (const std::size_t values = std::set(all.begin(), all.end()).size();
        ranked && one_scene && all.size() == groups.size() && values > most) {
      columns.axis = axis;
      most = values;
    }
  for (const CaseGroup& group : groups)
    if (const std::string name = columns.place_of(group).second;
        std::ranges::find(columns.names, name) == columns.names.end())
      columns.names.push_back(name);
  return columns;
}

// A row of a table of methods: its groups by their columns.
struct MethodRow {
  std::string name;
  bool own_poses = false;  // never ranked beside given ones
  std::map<std::string, const CaseGroup*> of_column;
};

std::vector<MethodRow> method_rows(const std::vector<CaseGroup>& groups, const MethodColumns& columns) {
  std::vector<MethodRow> rows;
  std::unordered_map<std::string, std::size_t> places;
  for (const CaseGroup& group : groups) {
    auto [name, column] = columns.place_of(group);
    const auto [place, is_new] = places.emplace(name, rows.size());
    if (is_new) rows.push_back({name, has_own_poses(group.records.front()->case_name), {}});
    rows[place->second].of_column[column] = &group;
  }
  return rows;
}

// The mean of a method over these columns, nullopt where one is unknown.
std::optional<double> mean_over(const MethodRow& row, const std::vector<std::string>& columns,
                                const std::string& metric) {
  double mean = 0;
  for (const std::string& column : columns) {
    const auto group = row.of_column.find(column);
    const auto spread = group == row.of_column.end() ? std::nullopt : metric_spread(*group->second, metric);
    if (!spread) return std::nullopt;
    mean += spread->mean / static_cast<double>(columns.size());
  }
  return mean;
}

// Sorts the rows with the fewest missing values first, then by the mean of those that they have, the best
// first.
void rank(const std::string& metric, Better better, std::vector<MethodRow>& rows) {
  std::map<std::string, std::pair<std::size_t, double>> known;  // by row: how many, and their mean
  for (const MethodRow& row : rows) {
    auto& [count, mean] = known[row.name];
    for (const auto& [column, group] : row.of_column)
      if (const auto spread = metric_spread(*group, metric))
        mean += (spread->mean - mean) / static_cast<double>(++count);
  }
  std::ranges::stable_sort(rows, [&](const MethodRow& a, const MethodRow& b) {
    const auto& [count_a, mean_a] = known[a.name];
    const auto& [count_b, mean_b] = known[b.name];
    return count_a != count_b ? count_a > count_b : worsening(metric, better, mean_b, mean_a) < 0;
  });
}

// A mean over seeds and its standard error; it is about the first case of these that is ok.
TableCell seeds_cell(const CaseGroup& group, const std::string& metric) {
  const auto ok = std::ranges::find(group.records, Status::ok, &Record::status);
  const auto spread = metric_spread(group, metric);
  if (!spread || ok == group.records.end()) return {"n/a", Colour::dim};
  const std::size_t count = ok_count(group), all = group.records.size();
  TableCell cell{table_number(spread->mean)};
  if (count < all) cell.text += fmt::format(" ({}/{})", count, all);  // failed seeds are not in the mean
  if (spread->standard_deviation)
    cell.spread = fmt::format("{:.2g}", *spread->standard_deviation / std::sqrt(static_cast<double>(count)));
  cell.subject = (*ok)->case_name;
  return cell;
}

// A column of a table, or of several scenes the column of their means.
void add_means(const std::vector<MethodRow>& rows, const std::vector<std::string>& columns,
               const MetricColumn& metric, Better better, TableColumn title, Table& table) {
  table.columns.push_back(std::move(title));
  for (const bool own_poses : {false, true}) {
    std::vector<MarkedMean> means;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      if (rows[i].own_poses != own_poses) continue;
      const auto mean = mean_over(rows[i], columns, metric.metric);
      const auto found = rows[i].of_column.find(columns.front());
      const CaseGroup* const group =
          columns.size() > 1 || found == rows[i].of_column.end() ? nullptr : found->second;
      TableCell& cell = table.rows[i].emplace_back(group != nullptr ? seeds_cell(*group, metric.metric)
                                                   : mean           ? TableCell{table_number(*mean)}
                                                                    : TableCell{"n/a", Colour::dim});
      means.push_back({mean, group, &cell});
    }
    mark_best(metric.metric, better, std::move(means));
  }
}

}  // namespace

std::vector<Table> method_tables(const Results& results, std::span<const MetricColumn> metrics, bool ranked) {
  std::vector<CaseGroup> groups = method_groups(results);
  take_common_axes(groups);
  const MethodColumns columns = columns_of(groups, ranked);
  std::vector<MethodRow> rows = method_rows(groups, columns);
  if (ranked && !metrics.empty()) rank(metrics[0].metric, metric_in(groups, metrics[0].metric).better, rows);
  Table head{{{"method", Align::left, false, ColumnRole::name}}};
  head.sortable = false;
  for (const MethodRow& row : rows)
    if (has_room(head)) head.rows.push_back({{row.name}});
  std::vector<Table> tables;
  for (const MetricColumn& metric : metrics) {
    const Better better = metric_in(groups, metric.metric).better;
    Table& table = tables.emplace_back(head);
    table.label = metric.title + direction_words(metric.metric, better);
    for (const std::string& name : columns.names)
      add_means(rows, {name}, metric, better, {name, Align::right}, table);
    if (columns.axis.empty() && columns.names.size() > 1)
      add_means(rows, columns.names, metric, better, {"mean", Align::right}, table);
  }
  return tables;
}

}  // namespace aqbench
