#include "cli/get/fetched_sets.h"

#include <algorithm>
#include <system_error>

#include "scenes/dataset/dataset_cache.h"

namespace aqbench::cli {

namespace fs = std::filesystem;

fs::path sets_folder() { return fs::absolute(default_cache_dir()) / "sets"; }

std::vector<FetchedSet> fetched_sets() {
  std::vector<FetchedSet> sets;
  std::error_code missing;
  for (const auto& folder : fs::directory_iterator(sets_folder(), missing)) {
    if (!folder.is_directory()) continue;
    FetchedSet& set = sets.emplace_back(FetchedSet{folder.path(), 0, folder.last_write_time()});
    for (const auto& entry : fs::recursive_directory_iterator(folder.path(), missing))
      if (entry.is_regular_file()) set.bytes += entry.file_size();
  }
  std::ranges::sort(sets, {}, &FetchedSet::last_used);
  return sets;
}

std::uintmax_t total_bytes(const std::vector<FetchedSet>& sets) {
  std::uintmax_t bytes = 0;
  for (const FetchedSet& set : sets) bytes += set.bytes;
  return bytes;
}

}  // namespace aqbench::cli
