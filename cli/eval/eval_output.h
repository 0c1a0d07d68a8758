#pragma once
// What every kind of evaluation prints.

#include <string>

#include "core/json.h"
#include "harness/records/record.h"
#include "metrics/metric.h"
#include "scenes/registry.h"

namespace aqbench::cli {

// Returns the record of one evaluation: its case, the scene's parameters, the metrics, and the hash of the
// file.
Record eval_record(const Scene& scene, const std::string& file, MetricSet metrics);

// The side of the truth on which signed errors are positive and normals look, as definitions say it.
inline constexpr const char* kTowardsCameras = "towards the cameras";

// Returns one record in the layout of results.json, for stdout. `requested` and `effective` are those of its
// run; `effective` gets the thread count.
std::string eval_results_text(Record record, const Json& requested, Json effective,
                              const std::string& positive_side = kTowardsCameras);

// Prints name, value, unit and definition of each metric, or why it has no value: of all of them, or of those
// that summaries show (metrics/registry.h) and how many more there are. Where summaries show none of them,
// all are printed.
void print_metrics(const MetricSet& metrics, bool all, const std::string& positive_side = kTowardsCameras);

// Returns the name of a metric at a tolerance: "completeness_2mm_pct" of "completeness_{t}mm_pct".
std::string metric_name_at(std::string row, double tolerance_m);

}  // namespace aqbench::cli
