#include "reports/history/moved.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "core/text.h"
#include "metrics/value_change.h"
#include "reports/html/page.h"

namespace aqbench {
namespace {

// The change for the worse as a share of A, infinite for a value that is lost; 0 where nothing is better or
// worse.
double row_worsening(const ComparedMetric& row) {
  if (!row.a) return 0;
  if (!row.b) return std::numeric_limits<double>::infinity();
  return worsening_share(row.metric, row.better, *row.a, *row.b);
}

}  // namespace

int worsening_of(const ComparedMetric& row) {
  const double worse = row_worsening(row);
  return worse > 0 ? 1 : worse < 0 ? -1 : 0;
}

ShortNames compared_names(const CompareReport& report) {
  std::set<std::string> names;
  for (const ComparedMetric& row : report.metrics) names.insert(row.case_name);
  for (const ComparedStage& row : report.stages) names.insert(row.case_name);
  for (const ComparedTime& row : report.times) names.insert(row.case_name);
  return shorten_names({names.begin(), names.end()});
}

Verdicts verdicts_of(const CompareReport& report) {
  Verdicts verdicts;
  verdicts.cases = report.cases;
  for (const ComparedMetric& compared : report.metrics) {
    if (compared.a == compared.b) continue;
    const int worse = worsening_of(compared);
    VerdictRow row;
    row.case_name = compared.case_name;
    row.metric = compared.metric;
    row.unit = compared.unit;
    row.better = compared.better;
    row.baseline = compared.a;
    row.current = compared.b;
    row.reason = compared.note;
    row.excess = row_worsening(compared);
    row.verdict = worse > 0 ? Verdict::regressed : worse < 0 ? Verdict::improved : Verdict::pass;
    row.label = change_word(worse);
    verdicts.rows.push_back(std::move(row));
  }
  sort_worst_first(verdicts.rows);
  return verdicts;
}

std::vector<MovedRow> moved_rows(const CompareReport& report) {
  std::vector<MovedRow> rows;
  for (const ComparedMetric& row : report.metrics) {
    if (row.a == row.b) continue;
    const bool both = row.a && row.b;
    rows.push_back({&row, worsening_of(row), both ? change_text(row.better, *row.a, *row.b) : row.note});
  }
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const MovedRow& row) { return row_worsening(*row.metric); });
  return rows;
}

std::string moved_table(const CompareReport& report, const ShortNames& names, const std::string& label,
                        std::size_t most, const MovedValueHtml& value_html) {
  const std::vector<MovedRow> rows = moved_rows(report);
  const auto shown = [&](const ComparedMetric& row, bool of_b) {
    const std::string number = short_number_or_na(of_b ? row.b : row.a);
    return value_html ? value_html(row.case_name, of_b, number) : number;
  };
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
    const ComparedMetric& row = *rows[i].metric;
    text += fmt::format(
        "<tr title=\"{}\"><td>{}</td><td data-label=\"metric\">{}</td><td data-label=\"A\">{}</td><td "
        "data-label=\"B\">{}</td><td data-label=\"change\">{}</td><td data-label=\"B is\"{}>{}</td></tr>\n",
        xml_escape(row.case_name), xml_escape(names.of.at(row.case_name)), xml_escape(row.metric),
        shown(row, false), shown(row, true), xml_escape(rows[i].change),
        rows[i].worse > 0 ? " class=\"bad\"" : "", change_word(rows[i].worse));
  }
  text = page_table(label, {"case", "metric", "A", "B", "change", "B is"}, text);
  if (rows.size() > most) text += fmt::format("<p class=\"dim\">and {} more</p>\n", rows.size() - most);
  return text;
}

}  // namespace aqbench
