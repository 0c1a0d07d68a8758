#pragma once
// tiles/CASE.csv: errors by place.

#include <string_view>

#include "reports/tables/record_values.h"

namespace aqbench {

// Reports a table that is no grid of tiles, and what it gives otherwise than the record: the worst and the
// empty tiles, their points, the bias, no less than their part of mean, rmse, spread and largest error,
// completeness between its parts.
void check_tiles(std::string_view text, RecordValues& values);

}  // namespace aqbench
