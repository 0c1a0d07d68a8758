#pragma once
// Rendered datasets on disk. Each is made once, and found again by a key made from everything that decides
// its bytes.
//
// DIR/KEY/ is a dataset; KEY is its dataset_key(). DIR/KEY.json lists its files with their
// sizes and SHA-256; it is written after them, and its time of change is the time of the last use.
// DIR/KEY.lock is locked exclusively by the process that renders the dataset, and shared by those that use
// it; its text marks the entry as the cache's own: an entry without that is never removed. An entry is
// rendered anew if any file is missing or is not what was rendered: all are hashed each time the dataset is
// used.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/files.h"
#include "scenes/dataset/dataset.h"

namespace aqbench {

// Where the cache is and how large it may become.
struct CacheOptions {
  std::filesystem::path dir;  // empty: default_cache_dir()
  // Beyond this size the entries that were unused longest are removed when one is added. Entries in use stay.
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

// A dataset in the cache. It is not removed as long as this object lives, in this process or in a child that
// was forked meanwhile.
class CachedDataset {
 public:
  CachedDataset(std::filesystem::path dir, std::string sha256, FileLock lock)
      : dir_(std::move(dir)), sha256_(std::move(sha256)), lock_(std::move(lock)) {}
  const std::filesystem::path& dir() const { return dir_; }
  // The hash of all its files as they were when it was found (scenes/dataset/dataset_digest.h).
  const std::string& sha256() const { return sha256_; }

 private:
  std::filesystem::path dir_;
  std::string sha256_;
  FileLock lock_;
};

// Returns the dataset, which is rendered first unless it is there as it was rendered, by the hashes of its
// files; one that was changed is named on stderr. Waits while another process renders the same one.
// `progress` is called for rendering only. Throws what write_dataset throws, and Error(io) naming the file of
// the cache.
CachedDataset cached_dataset(const DatasetPlan& plan, const CacheOptions& options = {},
                             const RenderProgress& progress = {});

// One dataset of the cache, as `aqbench cache` lists it.
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

// Lists all complete entries, the last used one first. A cache folder that does not exist is empty.
std::vector<CacheEntry> list_cache(const CacheOptions& options = {});

// What clear_cache removed.
struct CacheClearing {
  std::size_t removed = 0, in_use = 0;  // entries; those in use stay
  std::uintmax_t removed_bytes = 0;
};

// Removes every entry that is not in use, and what interrupted renderings left.
CacheClearing clear_cache(const CacheOptions& options = {});

}  // namespace aqbench
