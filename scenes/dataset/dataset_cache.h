#pragma once
// Rendered datasets on disk, each made once and found again by what decides its bytes.
//
// DIR/KEY/ is a dataset, KEY the SHA-256 of dataset_record(); DIR/KEY.json lists its files with their sizes
// and is written after them, its time of change is that of the last use; DIR/KEY.lock is locked by whoever
// renders (exclusive) or uses (shared) it. An entry whose files are not all there at their size is rendered
// anew. Files of an entry must not be changed.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/files.h"
#include "scenes/dataset/dataset.h"

namespace aqbench {

struct CacheOptions {
  std::filesystem::path dir;  // empty: default_cache_dir()
  // Beyond it, what was not used for longest goes when something is added. What is in use stays.
  std::uintmax_t limit_bytes = std::uintmax_t{10} << 30;
};

// $AQBENCH_CACHE_DIR, else $XDG_CACHE_HOME/aqbench, else ~/.cache/aqbench. Throws Error(usage) if none of
// the three variables is set.
std::filesystem::path default_cache_dir();

// The default options, the limit from $AQBENCH_CACHE_LIMIT ("20G", "500M" or bytes; G = 2^30) if that is
// set. Throws Error(usage) if it does not parse.
CacheOptions cache_options_from_environment();

// "20G" -> 20 * 2^30. Suffixes K, M, G, T. Throws Error(usage) quoting the text.
std::uintmax_t parse_byte_count(const std::string& text);

std::string dataset_key(const DatasetPlan& plan);

// A dataset that no eviction removes as long as this lives (or a child that was forked meanwhile).
class CachedDataset {
 public:
  CachedDataset(std::filesystem::path dir, FileLock lock) : dir_(std::move(dir)), lock_(std::move(lock)) {}
  const std::filesystem::path& dir() const { return dir_; }

 private:
  std::filesystem::path dir_;
  FileLock lock_;
};

// Renders unless the dataset is there; waits while another process renders the same one. `progress` is called
// only for rendering. Throws what write_dataset throws, Error(io) naming the cache's file.
CachedDataset cached_dataset(const DatasetPlan& plan, const CacheOptions& options = {},
                             const RenderProgress& progress = {});

struct CacheEntry {
  std::string key;
  std::filesystem::path dir;
  std::string scene, rig, imaging;  // names
  std::uint64_t seed = 0;
  int width_px = 0, height_px = 0;
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type last_used;
  bool in_use = false;  // now, by any process
};

// Whole entries, the last used one first. A cache that is not there is empty.
std::vector<CacheEntry> list_cache(const CacheOptions& options = {});

struct CacheClearing {
  std::size_t removed = 0, in_use = 0;  // entries; those in use stay
  std::uintmax_t removed_bytes = 0;
};

// Removes every entry that is not in use, and what interrupted renderings left.
CacheClearing clear_cache(const CacheOptions& options = {});

}  // namespace aqbench
