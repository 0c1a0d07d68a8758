#pragma once
// Name, unit, direction and one-line definition of every metric, in one table for scoring, lists and docs. To
// add a metric: add a row to the table in registry.cc, write its value where score.cc writes the others, add
// its test.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"

namespace aqbench {

// What a metric is.
struct MetricSpec {
  std::string name;  // as in records, e.g. "completeness_2mm_pct"
  std::string unit;
  Better better = Better::lower;
  std::string definition;
};

// Returns all metrics at the default tolerances, in the order in which records list them.
const std::vector<MetricSpec>& metric_registry();

// A metric that summaries show, with a heading in two lines (name, unit).
struct HeadlineMetric {
  const char* name;
  const char* heading;  // "mean\nmm"
  const char* title;    // "accuracy mean [mm]"
};

// Returns the metrics that summaries show, in this order.
const std::vector<HeadlineMetric>& headline_metrics();

// Returns the default tolerances of metrics with {t} in their name: 0.5, 1, 2, 5 and 10 mm.
const std::vector<double>& default_tolerances_m();

// Returns the metric of a row of the table. `row` is its name with "{t}" for the tolerance in millimetres,
// e.g. "completeness_{t}mm_pct"; tolerance_m is ignored where there is no {t}. Throws std::logic_error for an
// unknown row.
MetricSpec metric_spec(std::string_view row, double tolerance_m = 0);

// Collects the metrics of one score; `row` is as in metric_spec.
class MetricWriter {
 public:
  // Adds a value. One that is not finite becomes undefined, with a reason that says so.
  void add(std::string_view row, double value, double tolerance_m = 0);
  // Adds a metric without a value.
  void add_undefined(std::string_view row, const std::string& reason, double tolerance_m = 0);
  // Returns the collected metrics in the order of the registry, and forgets them.
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
