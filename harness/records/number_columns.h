#pragma once
// Which column of a table of numbers holds what.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/records/number_table.h"
#include "harness/records/numbers_request.h"
#include "metrics/metric.h"
#include "metrics/registry.h"

namespace aqbench {

// A metric of the table.
struct NumberMetric {
  std::string name, unit;
  std::optional<Better> better;
  std::optional<std::size_t> column = {};  // nullopt where lines name their metric
  ValueRange range = {};                   // of a metric of the registry
};

// The columns by what they hold; nullopt: the table has none.
struct NumberColumns {
  std::optional<std::size_t> whole_case, scene, method, seed, metric, value, unit, better;
  std::vector<NumberMetric> metrics;  // that are known before the first line
  std::vector<std::string> titles;    // of all columns, for errors
  std::size_t first_line = 0;         // index of the first line with values
  std::vector<std::string> notes;
};

// Finds them by the header of the table, or in the order of request.columns. Throws Error(usage) and
// Error(input), one line each.
NumberColumns find_columns(const NumberTable& table, const NumbersRequest& request);

// Returns why a metric cannot have this name, "must ...", or "".
std::string unusable_metric_name(std::string_view name);

// Returns "unknown unit ..." for one that no metric has, or "".
std::string unknown_unit(const std::string& unit);

// Returns the direction: "lower" or "higher".
std::optional<Better> better_named(std::string_view text);

// Fills in what the registry knows of a metric. Returns why it cannot be used, or "": unit or direction is
// missing, or is not that of the registry.
std::string complete_metric(NumberMetric& metric);

}  // namespace aqbench
