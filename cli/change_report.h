#pragma once
// What `aqbench change` prints.

#include <cstddef>
#include <string>
#include <vector>

#include "core/json.h"
#include "metrics/change/change.h"

namespace aqbench::cli {

// What is found in all core points together.
struct Distances {
  std::size_t cores = 0, measured = 0, up = 0, down = 0;                       // up, down: significant
  double median_m = 0, mean_m = 0, median_limit_m = 0, median_rounding_m = 0;  // of the measured ones
};

Distances summary_of(const std::vector<M3c2Change>& changes);

// One line for each core point.
std::string csv_of(const std::vector<M3c2Change>& changes);

Json change_json(const M3c2Options& options, const Distances& found, const HeightChange& heights,
                 double cell_m);
void print_distances(const M3c2Options& options, const Distances& found);
void print_heights(const HeightChange& heights, double cell_m);

}  // namespace aqbench::cli
