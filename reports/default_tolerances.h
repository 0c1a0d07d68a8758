#pragma once
// The tolerance a metric gets when it enters a baseline for the first time. Reviewed and edited there.

#include <string>

#include "metrics/metric.h"
#include "reports/baseline.h"

namespace aqbench {

// By kind, first match:
//   direction `equal` and counts (unit "points" or "1")      absolute 0: exact
//   bias_* (signed, near zero)                               absolute 0.1 mm
//   point_density_pct, depth_abs_rel_pct (small shares)      relative 5 %
//   other percentages (precision, completeness, fscore, ..)  absolute 1 percentage point
//   mesh_area_ratio                                          absolute 0.02
//   other lengths and angles                                 relative 5 %; where the value is 0, to which no
//                                                            share applies: absolute 0.01 mm or 0.1 degrees
Tolerance default_tolerance(const std::string& name, const Metric& metric);

}  // namespace aqbench
