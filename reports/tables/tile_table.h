#pragma once
// Checks tiles/CASE.csv: errors by place.

#include <string_view>

#include "reports/tables/record_values.h"

namespace aqbench {

// Reports a table that is no grid of tiles, and values of the record that do not follow from it: the worst
// and the empty tiles, the number of points and the bias; mean, rmse, spread and largest error below what the
// tiles give at least; completeness outside the range of that of the tiles.
void check_tiles(std::string_view text, RecordValues& values);

}  // namespace aqbench
