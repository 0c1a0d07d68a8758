#pragma once
// The layout in which a declared method finds its dataset.

#include <string>

#include "core/json.h"

namespace aqbench {

// How a method finds its dataset: in aqbench's own layout (docs/dataset.md), or in one of docs/layouts.md.
struct DeclaredLayout {
  std::string layout = "aqbench";   // or "colmap", "transforms", "mvsnet"
  bool ignores_refraction = false;  // gets cameras of water as if there were none; the layouts have none
  double least_depth_m = 0, most_depth_m = 0;  // along z: mvsnet's cameras need a range
};

// Reads "reads_layout", "refraction" and "depth_range_m" of a declaration. Throws Error(input) naming the
// place for another value, and for members that do not go together.
DeclaredLayout read_layout(const JsonPlace& declaration);

// Returns these members, without those at their defaults.
Json layout_members(const DeclaredLayout& dataset);

}  // namespace aqbench
