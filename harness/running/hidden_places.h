#pragma once
// Finds what earlier runs have left inside a folder that a method may read and what the method must not see.

#include <cstddef>
#include <filesystem>
#include <vector>

namespace aqbench {

// How many levels below a folder are searched, and how many names at most, since a program's folder may hold
// a whole disk.
inline constexpr int kHiddenPlaceDepth = 3;
inline constexpr std::size_t kHiddenPlaceNames = 50'000;

// Returns the paths that hold truth in a folder and up to kHiddenPlaceDepth levels below it: bundles of
// sweeps and comparisons, results of a sweep by several processes (BUNDLE.tasks), and `truth` of datasets.
// Links are not followed, and what cannot be looked at is passed over, as are the system's folders.
std::vector<std::filesystem::path> hidden_places_in(const std::filesystem::path& folder);

}  // namespace aqbench
