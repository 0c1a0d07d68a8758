#pragma once
// The sets of `aqbench get` on the disk.

#include <cstdint>
#include <filesystem>
#include <vector>

namespace aqbench::cli {

// A set in the cache: its folder, named as the set.
struct FetchedSet {
  std::filesystem::path folder;
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type last_used;
};

// Returns the folder of all sets, below that of the rendered datasets. Throws as default_cache_dir().
std::filesystem::path sets_folder();

// Lists the sets in that folder, the least recently used first. A missing folder is empty.
std::vector<FetchedSet> fetched_sets();

// Returns the bytes of all of them together.
std::uintmax_t total_bytes(const std::vector<FetchedSet>& sets);

}  // namespace aqbench::cli
