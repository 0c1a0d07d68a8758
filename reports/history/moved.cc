#include "reports/history/moved.h"

#include <set>

namespace aqbench {
ShortNames compared_names(const CompareReport& report) {
  std::set<std::string> names;
  for (const ComparedMetric& row : report.metrics) names.insert(row.case_name);
  for (const ComparedStage& row : report.stages) names.insert(row.case_name);
  for (const ComparedTime& row : report.times) names.insert(row.case_name);
  return shorten_names({names.begin(), names.end()});
}

VerdictRow verdict_on(const ComparedMetric& row) {
  VerdictRow found = shown_verdict(row.case_name, row.metric, row.unit, row.better, row.a, row.b);
  found.reason = row.note;
  return found;
}

Verdicts verdicts_of(const CompareReport& report) {
  Verdicts verdicts;
  verdicts.cases = report.cases;
  for (const ComparedMetric& compared : report.metrics)
    if (compared.a != compared.b) verdicts.rows.push_back(verdict_on(compared));
  sort_worst_first(verdicts.rows);
  return verdicts;
}

}  // namespace aqbench
