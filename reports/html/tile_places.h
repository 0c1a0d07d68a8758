#pragma once
// Where on the surface two sides of a comparison differ, tile by tile, for the pages that show it.

#include <string>
#include <vector>

#include "reports/html/pictures.h"

namespace aqbench {

// The tiles of one case on both sides; a side may have none.
struct TilePair {
  std::string case_name;
  std::vector<ReportTile> a, b;
};

// Returns the section of a page with pictures of the cases whose tiles differ, the first 12 in the order
// given, and counts the others; "" where none differs. `lead` says of what they are.
std::string tile_places_section(const std::vector<TilePair>& cases, const std::string& lead);

}  // namespace aqbench
