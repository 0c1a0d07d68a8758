#pragma once
// What an earlier run has left inside a folder that a method may read.

#include <cstddef>
#include <filesystem>
#include <vector>

namespace aqbench {

// How far below a folder is looked, and at how many names at most: a program's folder may hold a whole disk.
inline constexpr int kHiddenPlaceDepth = 3;
inline constexpr std::size_t kHiddenPlaceNames = 50'000;

// Returns what holds truth in a folder and up to kHiddenPlaceDepth below it: bundles of sweeps and
// comparisons, results of a sweep by several processes (BUNDLE.tasks), and `truth` of datasets. Links are not
// followed, and what cannot be looked at is passed over, as are the system's folders.
std::vector<std::filesystem::path> hidden_places_in(const std::filesystem::path& folder);

}  // namespace aqbench
