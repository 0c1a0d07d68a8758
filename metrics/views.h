#pragma once
// Completeness by the number of cameras that see a place (its number of views).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/completeness.h"
#include "metrics/tiles.h"

namespace aqbench {

// The part of the true patch that exactly `views` cameras see.
struct ViewShare {
  int views = 0;
  double surface_pct = 0;                  // of the patch's area
  std::optional<double> completeness_pct;  // of this part, at the tolerance; none where there is no area
};

// Returns one row for each number of views from 0 to the largest. views[i] is the number of cameras that see
// sample i.
std::vector<ViewShare> completeness_by_views(const Completeness& completeness, std::span<const int> views,
                                             double tolerance_m = kHeadlineToleranceM);

// Returns rows at kHeadlineToleranceM as CSV with a header line; an undefined field is empty.
std::string views_to_csv(std::span<const ViewShare> rows);

}  // namespace aqbench
