#pragma once
// Which values a metric can have, as a table beside the registry; and checks that find contradictions in a
// set of metrics. For readers who cannot measure again.

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"

namespace aqbench {

// The values that one metric can have.
struct MetricRange {
  double min = -std::numeric_limits<double>::infinity();  // inclusive
  double max = std::numeric_limits<double>::infinity();
  bool always = false;                          // every score of a cloud has it, if only without a value
  bool defined = false;                         // and with one wherever a point is scored
  bool whole = false;                           // a count
  bool rises = false;                           // never falls as the tolerance in its name grows
  bool of_scored = false;                       // a share of the scored points, so a whole number of them
  std::vector<std::string_view> at_least = {};  // no absolute value of these is larger than this one's
};

// Returns the range of a row of the registry ("precision_{t}mm_pct"); nullptr for a name that is none.
const MetricRange* metric_range(std::string_view row);

// What is known of how a cloud was scored: against a surface, by the lengths that are the defaults.
struct ScoredAs {
  bool surface = true, default_tolerances = true, default_tiles = true, default_outliers = true;
};

// Returns what cannot be true in the metrics of one scored cloud, one line each, the metric's name first: a
// value out of its range, a unit or direction that is not the registry's, an F-score that is not that of
// precision and completeness, a share that no number of points gives, percentiles out of order, percentiles
// and means that the shares within the tolerances do not allow (also of normals, metric_relations.h), a
// metric that is missing. Metrics that the registry does not know are left to their owners
// (metric_relations.h). No metric counts as missing where no surface was known, or where it has another size
// in its name.
std::vector<std::string> metric_problems(const MetricSet& metrics, const ScoredAs& scored_as = {});

}  // namespace aqbench
