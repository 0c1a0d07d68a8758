#pragma once
// Every metric's name, unit, direction and one-line definition: one table for scoring, lists and docs.

#include <string>
#include <vector>

#include "metrics/metric.h"

namespace aqbench {

struct MetricSpec {
  std::string name;  // as in records, e.g. "completeness_2mm_pct"
  std::string unit;
  Better better = Better::lower;
  std::string definition;
};

const std::vector<MetricSpec>& metric_registry();

}  // namespace aqbench
