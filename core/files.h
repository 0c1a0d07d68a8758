#pragma once
// Files that are complete or absent and never follow a planted link, and locks between processes.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/descriptor.h"

namespace aqbench {

// Throws Error(io) "FILE: reason" for an errno, std::bad_alloc for ENOMEM.
[[noreturn]] void throw_file_error(const std::filesystem::path& file, int error);

// Returns whether a path leads to a regular file; false also where that cannot be found out.
bool is_file(const std::filesystem::path& path);

// Creates a folder and its missing parents. Throws Error(io) naming it.
void make_folders(const std::filesystem::path& folder);

// Return whether a path leads to anything, or to a folder; false also where that cannot be found out.
bool path_exists(const std::filesystem::path& path);
bool folder_exists(const std::filesystem::path& path);

// Returns the paths of a folder's entries in their order; none where it cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

// Returns the size of a file in bytes. Throws Error(input) naming it if it does not exist or is not a regular
// file, Error(io) if it cannot be accessed.
std::uintmax_t regular_file_size(const std::filesystem::path& path);

// Returns a whole file. Throws like regular_file_size(), Error(input) if it is larger than max_bytes,
// Error(io) if reading fails.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = std::uintmax_t{1} << 32);

// Returns the next bytes of a text, valid until the next call; empty at its end.
using ReadBytes = std::function<std::string_view()>;

// How a reader handles zero bytes in a text file: it refuses the file, keeps them, or keeps one of those at
// the end (a power cut can append zero bytes to a journal).
enum class ZeroBytes { refuse, keep, one_at_end };

// Reads a text file in pieces: a sparse file of nominal gigabytes, which reads as zero bytes, takes little
// memory. Throws like read_file(): at once for a file that is not regular or larger than `max_bytes`, for the
// rest as it reads; and Error(input) "FILE: contains a zero byte, so it is not a text file".
ReadBytes bytes_of_file(const std::filesystem::path& file, std::uintmax_t max_bytes,
                        ZeroBytes zero_bytes = ZeroBytes::refuse);

// Returns a whole text file, read in the same way; it has no zero bytes.
std::string read_text_file(const std::filesystem::path& path,
                           std::uintmax_t max_bytes = std::uintmax_t{1} << 32);

// Returns a whole log without its zero bytes, read in the same way.
std::string read_log_file(const std::filesystem::path& path);

// Writes beside `path`, flushes to disk, then renames: after any failure, a crash included, `path` holds
// either the old bytes or the new ones. A link stays a link, unless link_target()
// refuses it; devices and pipes (/dev/stdout) are written directly. Throws Error(io) "PATH: No space left on
// device" and leaves nothing behind.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Receives the next bytes of a stream.
using WriteBytes = std::function<void(std::string_view bytes)>;

// Writes in the same way the parts that `produce` emits, without holding all of them in memory. If `produce`
// throws, the old file stays and the exception is passed on.
void write_file_parts(const std::filesystem::path& path,
                      const std::function<void(const WriteBytes&)>& produce);

// Appends to a file, creating it if it is missing. Follows a link only where link_target() allows it. Throws
// Error(io).
void append_to_file(const std::filesystem::path& path, std::string_view bytes);

// Creates an empty folder .NAME.partial-<number> beside `target`, creating missing parents, and returns its
// path. Throws Error(io), also like refuse_planted_folders().
std::filesystem::path make_folder_beside(const std::filesystem::path& target);

// Returns whether make_folder_beside() could have given this name for `target`.
bool is_folder_beside(const std::filesystem::path& folder, const std::filesystem::path& target);

// Removes the files NAME.tmp<number> below `folder` that killed write_file() calls left behind. Files that
// cannot be removed stay.
void remove_write_leftovers(const std::filesystem::path& folder);

// Writes all bytes to an open file, pipe or socket. Returns 0 or the errno of the failure. Uses one write()
// if the system accepts all bytes at once; after a partial write it tries the rest, which reveals the errno.
int write_all(int descriptor, std::string_view bytes);

// Opens a file for appending by one process at a time. Returns a descriptor that is locked until it is closed
// here and in every child. Throws Error(io), also if another process holds the lock, or held it and removed
// or replaced the file.
int open_locked(const std::filesystem::path& file);

// Whether a lock is shared with other readers or exclusive.
enum class LockMode { shared, exclusive };

// A lock between processes (flock) for a folder that several of them use at once, held until the object is
// destroyed or moved from; forked children keep it until they end. The holder of the exclusive lock may
// remove the file: a lock on a removed file is dropped and taken again.
class FileLock {
 public:
  // Waits for the lock. Creates the file if it is missing, but no folder; refuses a link. Throws Error(io)
  // naming the file, Error(interrupted) if a signal handler ran while waiting.
  static FileLock wait(const std::filesystem::path& path, LockMode mode);
  // Returns nullopt if another process holds the lock. Throws like wait().
  static std::optional<FileLock> attempt(const std::filesystem::path& path, LockMode mode);
  // Waits for the lock on a folder itself, without a lock file in it. Throws like wait().
  static FileLock wait_folder(const std::filesystem::path& folder);

 private:
  explicit FileLock(Descriptor held) : held_(std::move(held)) {}
  Descriptor held_;
};

// Throws Error(io) if a folder of the path is another user's link in a folder that others can write to: the
// kernel follows such links unless fs.protected_symlinks is on.
void refuse_planted_folders(const std::filesystem::path& path);

// Returns the real path of an output file, with links resolved. Throws Error(io) naming a link that may be
// planted: no link is followed in a world-writable folder, and only links of this user and of root in a
// group-writable one. Also throws for another user's pipe or device in a world-writable folder, and for a
// folder of the path that is another user's link in a folder that others can write to.
std::filesystem::path link_target(const std::filesystem::path& path);

}  // namespace aqbench
