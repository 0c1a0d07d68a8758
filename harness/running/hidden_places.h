#pragma once
// Finds results of earlier runs that a method must not see inside a folder that it may read.

#include <cstddef>
#include <filesystem>
#include <vector>

namespace aqbench {

// The maximum depth and number of names of a search, since a program's folder may contain a whole disk.
inline constexpr int kHiddenPlaceDepth = 3;
inline constexpr std::size_t kHiddenPlaceNames = 50'000;

// Returns the paths with truth in a folder and up to kHiddenPlaceDepth levels below it: bundles of sweeps and
// comparisons, results of a sweep by several processes (BUNDLE.tasks), and `truth` of datasets. Links,
// inaccessible paths and system folders are skipped.
std::vector<std::filesystem::path> hidden_places_in(const std::filesystem::path& folder);

}  // namespace aqbench
