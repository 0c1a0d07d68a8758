#pragma once
// Every metric's name, unit, direction and one-line definition: one table for scoring, lists and docs. To add
// a metric: add a row to the table in registry.cc, write its value where score.cc writes the others, add its
// test.

#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"

namespace aqbench {

struct MetricSpec {
  std::string name;  // as in records, e.g. "completeness_2mm_pct"
  std::string unit;
  Better better = Better::lower;
  std::string definition;
};

// At the default tolerances, in the order of records.
const std::vector<MetricSpec>& metric_registry();

// The metrics that summaries show, in this order, with a heading in two lines (name, unit).
struct HeadlineMetric {
  const char* name;
  const char* heading;  // "mean\nmm"
  const char* title;    // "accuracy mean [mm]"
};
const std::vector<HeadlineMetric>& headline_metrics();

// Tolerances at which shares within a tolerance are given by default: 0.5, 1, 2, 5 and 10 mm.
const std::vector<double>& default_tolerances_m();

// The metric of a row of the table; `row` is its name with "{t}" where the tolerance in millimetres stands,
// e.g. "completeness_{t}mm_pct". tolerance_m is ignored where there is no {t}. Throws std::logic_error for an
// unknown row.
MetricSpec metric_spec(std::string_view row, double tolerance_m = 0);

// Collects the metrics of one score; `row` as in metric_spec.
class MetricWriter {
 public:
  // A value that is not finite becomes undefined with a reason that says so.
  void add(std::string_view row, double value, double tolerance_m = 0);
  void add_undefined(std::string_view row, const std::string& reason, double tolerance_m = 0);
  // In the order of the registry.
  MetricSet take();

 private:
  struct Item {
    std::size_t row;
    double tolerance_m;
    std::string name;
    Metric metric;
  };
  void insert(std::string_view row, double tolerance_m, std::optional<double> value, std::string reason);
  std::vector<Item> items_;
};

}  // namespace aqbench
