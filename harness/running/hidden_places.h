#pragma once
// Finds what a method must not read although it lies in folders that it may read.

#include <cstddef>
#include <filesystem>
#include <vector>

namespace aqbench {

// What was found, by the protection that it needs (AccessList, core/sandbox/sandbox.h).
struct HiddenPlaces {
  // Bundles of sweeps and comparisons, results of a sweep by several processes (BUNDLE.tasks), and `truth` of
  // datasets.
  std::vector<std::filesystem::path> hidden;
  // Histories of version control, which hold every file that was committed, and credentials.
  std::vector<std::filesystem::path> closed;
};

// The most names that one search looks at: a search of some seconds.
inline constexpr std::size_t kMaxSearchedNames = 10'000'000;

// Searches folders and all below them. Follows links only from a truth or history to its place. Skips system
// folders (/usr except /usr/local, /etc, /proc, ...), which hold no runs, and what this user cannot read.
// Throws Error(method) naming the folder, and the limit, where it cannot be searched to its end.
HiddenPlaces hidden_places_in(const std::vector<std::filesystem::path>& folders,
                              std::size_t max_names = kMaxSearchedNames);

// Returns the histories in the folders above these, from the nearest to the root.
std::vector<std::filesystem::path> histories_above(const std::vector<std::filesystem::path>& folders);

}  // namespace aqbench
