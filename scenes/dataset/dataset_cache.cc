#include "scenes/dataset/dataset_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "scenes/dataset/recording.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr int kManifestFormat = 2;

// The text of an entry's lock file: marks the entry as removable.
constexpr std::string_view kMark = "aqbench dataset cache\n";

// The files of one entry.
struct EntryPaths {
  fs::path dir, manifest, lock;
};

EntryPaths entry_paths(const fs::path& cache, const std::string& key) {
  return {cache / key, cache / (key + ".json"), cache / (key + ".lock")};
}

[[noreturn]] void fail_cache(const fs::path& path, const std::string& what) {
  throw io_error("cache: {}: {}", path.string(), what);
}

fs::path cache_folder(const CacheOptions& options) {
  return options.dir.empty() ? default_cache_dir() : options.dir;
}

std::optional<std::string> environment_text(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

// What a manifest says of its entry.
struct Manifest {
  CacheEntry entry;  // without its time
  DatasetContents contents;
};

// Returns nullopt for a manifest that does not exist or has another format.
std::optional<Manifest> read_manifest(const EntryPaths& paths) {
  if (!is_file(paths.manifest)) return std::nullopt;
  try {
    const Json json = read_strict_json(paths.manifest);
    const JsonPlace root(json, paths.manifest.string()), dataset = root.at("dataset");
    if (root.at("format").value() != kManifestFormat) return std::nullopt;
    Manifest manifest{{.key = paths.dir.filename().string(),
                       .dir = paths.dir,
                       .scene = dataset.at("scene").text(),
                       .rig = dataset.at("rig").text(),
                       .imaging = dataset.at("imaging").text(),
                       .seed = dataset.at("seed").count(),
                       .width_px = static_cast<int>(dataset.at("width").integer()),
                       .height_px = static_cast<int>(dataset.at("height").integer()),
                       .last_used = {}},
                      {}};
    for (const auto& [name, file] : root.at("files").members()) {
      const FileContent content{file.at("bytes").count(), file.at("sha256").text()};
      manifest.entry.bytes += content.bytes;
      manifest.contents[name] = content;
    }
    return manifest;
  } catch (const Error&) {  // removed meanwhile or of another version: the cache makes it again
    return std::nullopt;
  }
}

// Returns the contents if every file exists with its size, without reading the files.
std::optional<DatasetContents> whole_contents(const EntryPaths& paths) {
  auto manifest = read_manifest(paths);
  if (!manifest) return std::nullopt;
  for (const auto& [name, content] : manifest->contents) {
    std::error_code missing;
    if (fs::file_size(paths.dir / name, missing) != content.bytes || missing) return std::nullopt;
  }
  return std::move(manifest->contents);
}

// Returns a file whose content differs from the rendered one; empty if none does.
fs::path changed_file(const EntryPaths& paths, const DatasetContents& rendered) {
  for (const auto& [name, content] : rendered)
    if (sha256_file_hex(paths.dir / name) != content.sha256) return paths.dir / name;
  return {};
}

// Returns the contents if they are as rendered; otherwise names a differing file on stderr.
std::optional<DatasetContents> checked_contents(const EntryPaths& paths) {
  auto contents = whole_contents(paths);
  if (!contents) return std::nullopt;
  const fs::path changed = changed_file(paths, *contents);
  if (changed.empty()) return contents;
  fmt::print(stderr,
             "cache: {}: changed since it was rendered (its SHA-256 differs); rendering the dataset again\n",
             printable(changed.string()));
  return std::nullopt;
}

void write_manifest(const DatasetPlan& plan, const EntryPaths& paths) {
  Json files = Json::object();
  for (const auto& [name, content] : read_contents(paths.dir))
    files[name] = {{"bytes", content.bytes}, {"sha256", content.sha256}};
  const Json manifest = {{"format", kManifestFormat},
                         {"dataset",
                          {{"scene", plan.scene.name},
                           {"rig", plan.request.rig},
                           {"imaging", plan.request.imaging},
                           {"seed", plan.request.seed},
                           {"width", plan.rig.cameras.front().intrinsics.width_px},
                           {"height", plan.rig.cameras.front().intrinsics.height_px}}},
                         {"files", files}};
  write_file(paths.manifest, manifest.dump(1) + "\n");
}

void mark_used(const EntryPaths& paths) {
  // If this fails (another user's cache), the entry only seems older.
  ::utimensat(AT_FDCWD, paths.manifest.c_str(), nullptr, 0);
}

void remove_all_of(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) fail_cache(path, error.message());
}

// Removes the manifest first: without it the entry is invalid, even if removing the rest fails. The caller
// holds the exclusive lock.
void remove_entry(const fs::path& cache, const std::string& key) {
  const EntryPaths paths = entry_paths(cache, key);
  remove_all_of(paths.manifest);
  remove_all_of(paths.dir);
  // Removes folders left by a killed write_dataset.
  std::vector<fs::path> partial;
  for (const auto& entry : fs::directory_iterator(cache))
    if (is_folder_beside(entry.path(), paths.dir)) partial.push_back(entry.path());
  for (const fs::path& path : partial) remove_all_of(path);
}

// Writes the mark. The caller holds the exclusive lock.
void mark_as_own(const EntryPaths& paths) {
  const Descriptor lock(::open(paths.lock.c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC));
  if (lock.get() < 0) fail_cache(paths.lock, std::strerror(errno));
  if (const int failed = write_all(lock.get(), kMark); failed != 0)
    fail_cache(paths.lock, std::strerror(failed));
}

// Returns whether an entry, complete or not, belongs to this cache and not to a user who keeps files in the
// same folder: its name is a key and its lock has the mark.
bool is_own_entry(const fs::path& cache, const std::string& key) {
  const EntryPaths paths = entry_paths(cache, key);
  std::error_code error;
  if (!is_sha256_hex(key) || !fs::is_regular_file(fs::symlink_status(paths.lock, error))) return false;
  try {
    return read_file(paths.lock, kMark.size()) == kMark;
  } catch (const Error&) {
    return false;  // too long for a lock, unreadable or gone: not known to be ours
  }
}

// Returns the keys of all own entries and of interrupted renderings.
std::vector<std::string> cache_keys(const fs::path& cache) {
  std::vector<std::string> keys;
  std::error_code error;
  fs::directory_iterator folder(cache, error);
  if (error == std::errc::no_such_file_or_directory) return keys;
  if (error) fail_cache(cache, error.message());
  for (const auto& entry : folder)
    if (entry.path().extension() == ".lock" && is_own_entry(cache, entry.path().stem().string()))
      keys.push_back(entry.path().stem().string());
  std::ranges::sort(keys);
  return keys;
}

std::optional<CacheEntry> read_entry(const fs::path& cache, const std::string& key) {
  const EntryPaths paths = entry_paths(cache, key);
  auto manifest = read_manifest(paths);
  if (!manifest) return std::nullopt;
  std::error_code error;
  manifest->entry.last_used = fs::last_write_time(paths.manifest, error);
  if (error) return std::nullopt;
  return std::move(manifest->entry);
}

std::vector<CacheEntry> read_entries(const fs::path& cache) {
  std::vector<CacheEntry> entries;
  for (const std::string& key : cache_keys(cache))
    if (auto entry = read_entry(cache, key)) entries.push_back(std::move(*entry));
  std::ranges::stable_sort(entries, std::ranges::greater{}, &CacheEntry::last_used);
  return entries;
}

// Removes the entry and its lock unless it is in use.
bool remove_unless_in_use(const fs::path& cache, const std::string& key) {
  const auto lock = FileLock::attempt(entry_paths(cache, key).lock, LockMode::exclusive);
  if (!lock) return false;
  remove_entry(cache, key);
  remove_all_of(entry_paths(cache, key).lock);
  return true;
}

void evict_beyond(const fs::path& cache, std::uintmax_t limit_bytes) {
  // One process at a time: two would both count what the other is about to remove.
  const FileLock alone = FileLock::wait(cache / "evict", LockMode::exclusive);
  std::vector<CacheEntry> entries = read_entries(cache);
  std::uintmax_t bytes = 0;
  for (const CacheEntry& entry : entries) bytes += entry.bytes;
  for (auto oldest = entries.rbegin(); oldest != entries.rend() && bytes > limit_bytes; ++oldest)
    if (remove_unless_in_use(cache, oldest->key)) bytes -= oldest->bytes;
  // Removes leftovers of killed renderings. A running rendering holds its lock.
  for (const std::string& key : cache_keys(cache))
    if (!read_entry(cache, key)) remove_unless_in_use(cache, key);
}

// Renders the entry if it is incomplete. The caller holds no lock on it.
void ensure_rendered(const DatasetPlan& plan, const fs::path& cache, const std::string& key,
                     const RenderProgress& progress) {
  const EntryPaths paths = entry_paths(cache, key);
  const FileLock alone = FileLock::wait(paths.lock, LockMode::exclusive);
  mark_as_own(paths);
  // Another process may have rendered it meanwhile; a changed entry counts as incomplete.
  if (const auto contents = whole_contents(paths); contents && changed_file(paths, *contents).empty()) return;
  remove_entry(cache, key);
  write_dataset(plan, paths.dir, progress);
  write_manifest(plan, paths);
}

}  // namespace

fs::path default_cache_dir() {
  if (const auto dir = environment_text("AQBENCH_CACHE_DIR")) return *dir;
  if (const auto dir = environment_text("XDG_CACHE_HOME")) return fs::path(*dir) / "aqbench";
  if (const auto home = environment_text("HOME")) return fs::path(*home) / ".cache" / "aqbench";
  throw usage_error("no folder for the cache: set AQBENCH_CACHE_DIR, XDG_CACHE_HOME or HOME");
}

std::uintmax_t parse_byte_count(const std::string& text) {
  std::uintmax_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string suffix(rest, text.data() + text.size());
  constexpr std::string_view kSuffixes = "KMGT";
  const std::size_t place = suffix.size() == 1 ? kSuffixes.find(suffix[0]) : std::string_view::npos;
  const int shift = place == std::string_view::npos ? 0 : 10 * (static_cast<int>(place) + 1);
  const bool fits = value <= std::numeric_limits<std::uintmax_t>::max() >> shift;
  if (error != std::errc{} || (shift == 0 && !suffix.empty()) || !fits)
    throw usage_error("'{}': expected a size such as 500M, 20G or a number of bytes", text);
  return value << shift;
}

CacheOptions cache_options_from_environment() {
  CacheOptions options;
  if (const auto limit = environment_text("AQBENCH_CACHE_LIMIT")) {
    try {
      options.limit_bytes = parse_byte_count(*limit);
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("AQBENCH_CACHE_LIMIT: {}", error.what()));
    }
  }
  return options;
}

CachedDataset cached_dataset(const DatasetPlan& plan, const CacheOptions& options,
                             const RenderProgress& progress) {
  const fs::path cache = fs::absolute(cache_folder(options));
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) fail_cache(cache, error.message());
  const std::string key = dataset_key(plan);
  const EntryPaths paths = entry_paths(cache, key);
  for (bool added = false;; added = true) {
    {
      FileLock used = FileLock::wait(paths.lock, LockMode::shared);
      // Marks an entry of an earlier version, which had no mark, as the cache's.
      if (const auto contents = checked_contents(paths); contents && is_own_entry(cache, key)) {
        mark_used(paths);
        if (added) evict_beyond(cache, options.limit_bytes);
        return {paths.dir, dataset_sha256(*contents), std::move(used)};
      }
    }
    // Another process may evict it before it is locked again; then render it again.
    ensure_rendered(plan, cache, key, progress);
  }
}

std::vector<CacheEntry> list_cache(const CacheOptions& options) {
  const fs::path cache = cache_folder(options);
  std::vector<CacheEntry> entries = read_entries(cache);
  for (CacheEntry& entry : entries)
    entry.in_use = !FileLock::attempt(entry_paths(cache, entry.key).lock, LockMode::exclusive);
  return entries;
}

CacheClearing clear_cache(const CacheOptions& options) {
  const fs::path cache = cache_folder(options);
  CacheClearing done;
  for (const std::string& key : cache_keys(cache)) {
    const auto entry = read_entry(cache, key);
    if (!remove_unless_in_use(cache, key)) {
      ++done.in_use;
    } else if (entry) {
      ++done.removed;
      done.removed_bytes += entry->bytes;
    }
  }
  return done;
}

}  // namespace aqbench
