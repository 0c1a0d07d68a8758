#pragma once
// What every kind of evaluation prints.

#include <string>

#include "core/json_fwd.h"
#include "harness/records/record.h"
#include "metrics/metric.h"

namespace aqbench::cli {

// Returns one record in the layout of results.json, for stdout. `requested` and `effective` are those of its
// run; `effective` gets the thread count.
std::string eval_results_text(Record record, const Json& requested, Json effective);

// Prints name, value, unit and definition of each metric, or why it has no value.
void print_metrics(const MetricSet& metrics);

}  // namespace aqbench::cli
