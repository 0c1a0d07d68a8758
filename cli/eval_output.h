#pragma once
// What every kind of evaluation prints.

#include <string>

#include "core/json.h"
#include "harness/records/record.h"
#include "metrics/metric.h"

namespace aqbench::cli {

// One record in the layout of results.json, for stdout. `effective` gets the thread count.
std::string eval_results_text(Record record, const Json& requested, Json effective);

// Name, value, unit and definition of each metric, or why it has no value.
void print_metrics(const MetricSet& metrics);

}  // namespace aqbench::cli
