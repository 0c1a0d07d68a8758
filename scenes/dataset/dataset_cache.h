#pragma once
// A cache of rendered datasets on disk, with a key over everything that determines a dataset's bytes.
//
// DIR/KEY/ is a dataset; KEY is its dataset_key(). DIR/KEY.json lists its files with sizes and SHA-256; it is
// written last, and its modification time is the time of the last use. DIR/KEY.lock is locked exclusively by
// the process that renders the dataset, and shared by its users; its text marks the entry as the cache's own:
// an entry without the mark is never removed. Files are hashed at each use, and an entry with a missing or
// changed file is rendered again.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/files.h"
#include "scenes/dataset/dataset.h"

namespace aqbench {

// Place and size limit of the cache.
struct CacheOptions {
  std::filesystem::path dir;  // empty: default_cache_dir()
  // Above this size, adding an entry removes the least recently used ones, except those in use.
  std::uintmax_t limit_bytes = std::uintmax_t{10} << 30;
};

// Returns $AQBENCH_CACHE_DIR, else $XDG_CACHE_HOME/aqbench, else ~/.cache/aqbench. Throws Error(usage) if
// none of the three variables is set.
std::filesystem::path default_cache_dir();

// Returns the default options, with the limit from $AQBENCH_CACHE_LIMIT ("20G", "500M" or bytes; G = 2^30) if
// that is set. Throws Error(usage) if it does not parse.
CacheOptions cache_options_from_environment();

// Parses "20G" as 20 * 2^30. Suffixes K, M, G, T. Throws Error(usage) quoting the text.
std::uintmax_t parse_byte_count(const std::string& text);

// A dataset in the cache. It is not removed while this object lives, in this process or in a child forked
// meanwhile.
class CachedDataset {
 public:
  CachedDataset(std::filesystem::path dir, std::string sha256, FileLock lock)
      : dir_(std::move(dir)), sha256_(std::move(sha256)), lock_(std::move(lock)) {}
  const std::filesystem::path& dir() const { return dir_; }
  // The hash of all its files when it was found (scenes/dataset/recording.h).
  const std::string& sha256() const { return sha256_; }

 private:
  std::filesystem::path dir_;
  std::string sha256_;
  FileLock lock_;
};

// Returns the dataset, rendering it first if it is missing or its files differ from their hashes; a changed
// file is named on stderr. Waits while another process renders the same one. `progress` is called only for
// rendering. Throws the errors of write_dataset, and Error(io) naming the file of the cache.
CachedDataset cached_dataset(const DatasetPlan& plan, const CacheOptions& options = {},
                             const RenderProgress& progress = {});

// A dataset of the cache, as listed by `aqbench cache`.
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

// Lists all complete entries, the most recently used first. A missing cache folder is empty.
std::vector<CacheEntry> list_cache(const CacheOptions& options = {});

// The number of entries that clear_cache removed.
struct CacheClearing {
  std::size_t removed = 0, in_use = 0;  // entries; those in use stay
  std::uintmax_t removed_bytes = 0;
};

// Removes every unused entry and leftovers of interrupted renderings.
CacheClearing clear_cache(const CacheOptions& options = {});

}  // namespace aqbench
