#pragma once
// Locks between processes (flock), for folders that several of them use at once.

#include <filesystem>
#include <optional>

namespace aqbench {

enum class LockMode { shared, exclusive };

// Holds a lock until it is destroyed or moved from; children of a fork keep it, too, until they end. Whoever
// holds the exclusive lock may remove the file: a lock taken on a removed file is given up and taken anew.
class FileLock {
 public:
  // Waits for others. Makes the file if it is not there, but no folder. Throws Error(io) naming the file,
  // Error(interrupted) if a signal's handler ran while it waited.
  static FileLock wait(const std::filesystem::path& path, LockMode mode);
  // nullopt if another holder is in the way.
  static std::optional<FileLock> attempt(const std::filesystem::path& path, LockMode mode);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace aqbench
