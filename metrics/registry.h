#pragma once
// Every metric is one row of a table: name, unit, direction, family, range, definition, ideal, headline. To
// add a metric: add a row to the table in registry.cc, write its value where score.cc writes the others, add
// its test.

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"

namespace aqbench {

// The part of a score that a metric belongs to. Metrics of one family are written in one place.
enum class ScoreFamily {
  errors,     // of points
  shares,     // within the tolerances
  distances,  // from the truth to the cloud, and both ways
  seen_by_two,
  counts,
  plane,
  tiles,
  normals,
  mesh,
  depths,
  diagnosis,
  reprojection,
  board,
  control,
  photometric,
  masks,
  poses,  // of methods that find them themselves
};

// The values that a metric can have, both ends included.
struct ValueRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

// What a metric is.
struct MetricSpec {
  std::string name;  // as in records, e.g. "completeness_2mm_pct"
  std::string unit;
  Better better = Better::lower;
  ScoreFamily family = ScoreFamily::errors;
  ValueRange range;
  std::string definition;
  std::optional<double>
      ideal;  // of direction `equal`: the value that a perfect result has, where there is one
};

// Returns all metrics at the default tolerances, in the order in which records list them.
const std::vector<MetricSpec>& metric_registry();

// A metric that summaries show, with a heading in two lines (name, unit).
struct HeadlineMetric {
  std::string name;
  const char* heading;  // "mean\nmm"
  const char* title;    // "accuracy mean [mm]"
};

// Returns the metrics that summaries show, in this order.
const std::vector<HeadlineMetric>& headline_metrics();

// Returns the ideal of the metric with this name; nullopt where it has none, as a count has none, and where
// the name is not in the registry.
std::optional<double> metric_ideal(std::string_view name);

// Returns the default tolerances of metrics with {t} in their name: 0.5, 1, 2, 5 and 10 mm.
const std::vector<double>& default_tolerances_m();

// Returns the metric of a row of the table. `row` is its name with "{t}" for the tolerance in millimetres,
// e.g. "completeness_{t}mm_pct"; tolerance_m is ignored where there is no {t}. Throws std::logic_error for an
// unknown row.
MetricSpec metric_spec(std::string_view row, double tolerance_m = 0);

// Collects the metrics of one score; `row` is as in metric_spec.
class MetricWriter {
 public:
  // Adds a value. One that is not finite or out of its row's range becomes undefined, with a reason that says
  // so.
  void add(std::string_view row, double value, double tolerance_m = 0);
  // Adds a metric without a value.
  void add_undefined(std::string_view row, const std::string& reason, double tolerance_m = 0);
  // Adds without a value every metric of the family that has not been added yet. No row of the family may
  // have a tolerance.
  void add_rest_undefined(ScoreFamily family, const std::string& reason);
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
