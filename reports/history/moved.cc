#include "reports/history/moved.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/text.h"
#include "metrics/value_change.h"

namespace aqbench {
namespace {

// The change for the worse as a share of A; 0 where nothing is better or worse.
double row_worsening(const ComparedMetric& row) {
  return row.a && row.b ? worsening_share(row.better, *row.a, *row.b) : 0;
}

}  // namespace

ShortNames compared_names(const CompareReport& report) {
  std::set<std::string> names;
  for (const ComparedMetric& row : report.metrics) names.insert(row.case_name);
  for (const ComparedStage& row : report.stages) names.insert(row.case_name);
  for (const ComparedTime& row : report.times) names.insert(row.case_name);
  return shorten_names({names.begin(), names.end()});
}

Moved moved_values(const CompareReport& report) {
  Moved moved;
  double most = 0;
  for (const ComparedMetric& row : report.metrics) {
    if (row.a == row.b) continue;
    const double worse = row_worsening(row);
    ++(worse > 0 ? moved.worse : worse < 0 ? moved.better : moved.other);
    if (worse <= most) continue;
    most = worse;
    moved.worst_case = row.case_name;
  }
  return moved;
}

std::string moved_html(const Moved& moved) {
  return fmt::format("<p>Of B <span class=\"{}\">{} worse</span>, {} better, {} neither.</p>\n",
                     moved.worse > 0 ? "bad" : "dim", counted(moved.worse, "value"), moved.better,
                     moved.other);
}

std::vector<MovedRow> moved_rows(const CompareReport& report) {
  std::vector<MovedRow> rows;
  for (const ComparedMetric& row : report.metrics) {
    if (row.a == row.b) continue;
    const bool both = row.a && row.b;
    rows.push_back({&row, both ? worsening(row.better, *row.a, *row.b) : 0,
                    both ? change_text(row.better, *row.a, *row.b) : row.note});
  }
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const MovedRow& row) { return row_worsening(*row.metric); });
  return rows;
}

}  // namespace aqbench
