#pragma once
// Files that are whole or absent and follow no planted link, and locks between processes.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/descriptor.h"

namespace aqbench {

// Throws Error(io) "FILE: reason" for an errno.
[[noreturn]] void throw_file_error(const std::filesystem::path& file, int error);

// Returns the size of a file in bytes. Throws Error(input) naming it if it does not exist or is not a regular
// file, Error(io) if it may not be looked at.
std::uintmax_t regular_file_size(const std::filesystem::path& path);

// Returns the whole file. Throws as regular_file_size, also Error(input) if it is larger than max_bytes and
// Error(io) if reading fails.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = std::uintmax_t{1} << 32);

// What a reader does with zero bytes in a text file: it refuses the file; it leaves them out (logs that
// programs wrote); or it keeps one of those at the end (a power cut can leave them at the end of a journal).
enum class ZeroBytes { refuse, leave_out, one_at_end };

// Returns a whole file of text, reading it piece by piece: a file that claims gigabytes and holds none (a
// sparse one reads as zero bytes) takes little memory. Throws as read_file(), and where zero bytes are
// refused Error(input) "FILE: holds a zero byte: this is no text".
std::string read_text_file(const std::filesystem::path& path,
                           std::uintmax_t max_bytes = std::uintmax_t{1} << 32,
                           ZeroBytes zero_bytes = ZeroBytes::refuse);

// Returns a whole log in the same way, without its zero bytes.
std::string read_log_file(const std::filesystem::path& path);

// Writes beside `path`, flushes to the disk, then renames: after any failure, a crash included, `path` holds
// the old bytes or the new ones. A link stays a link, unless link_target() (core/link_target.h)
// refuses it; a device or pipe (/dev/stdout) is written to directly. Throws Error(io) "PATH: No space left on
// device" and leaves nothing behind.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Writes a file in the same way, unless there is one of that name, which stays. Returns whether it wrote; of
// several processes, on several machines too, one does. Throws Error(io).
bool write_new_file(const std::filesystem::path& path, std::string_view bytes);

// Takes the next bytes of something that is written part after part.
using WriteBytes = std::function<void(std::string_view bytes)>;

// Writes in the same way what `produce` hands over part after part, so that the bytes are never all in
// memory. An exception of `produce` is passed on and leaves the old file.
void write_file_parts(const std::filesystem::path& path,
                      const std::function<void(const WriteBytes&)>& produce);

// Appends to a file, which is made if it is not there. A link is followed where link_target() allows it.
// Throws Error(io).
void append_to_file(const std::filesystem::path& path, std::string_view bytes);

// Makes an empty folder .NAME.partial-<number> beside `target`, and the folders above it that are missing,
// and returns its path. Throws Error(io), also as refuse_planted_folders() (core/link_target.h).
std::filesystem::path make_folder_beside(const std::filesystem::path& target);

// Returns whether a name is one that make_folder_beside() gives for `target`.
bool is_folder_beside(const std::filesystem::path& folder, const std::filesystem::path& target);

// Removes what write_file() leaves below `folder` when its process is killed: NAME.tmp<number>. What cannot
// be removed stays.
void remove_write_leftovers(const std::filesystem::path& folder);

// Writes all bytes to an open file, pipe or socket. Returns 0, or the errno of what failed. Bytes that the
// system takes at once go out in one write(); after a write() of some of them the rest is tried, which tells
// the errno.
int write_all(int descriptor, std::string_view bytes);

// Opens a file that one process at a time adds lines to. Returns a descriptor for appending, which is locked
// until it is closed here and in every child. Throws Error(io), also if another process has it, or had it
// until now and removed or replaced it.
int open_locked(const std::filesystem::path& file);

// Whether a lock is shared with other readers or excludes everybody else.
enum class LockMode { shared, exclusive };

// A lock between processes (flock) for a folder that several of them use at once. An object holds the lock
// until it is destroyed or moved from; children of a fork keep it, too, until they end. Whoever holds the
// exclusive lock may remove the file: a lock taken on a removed file is given up and taken anew.
class FileLock {
 public:
  // Waits for others. Makes the file if it is not there, but no folder; a link is refused. Throws Error(io)
  // naming the file, Error(interrupted) if a signal's handler ran while it waited.
  static FileLock wait(const std::filesystem::path& path, LockMode mode);
  // Returns nullopt if another holder is in the way. Throws as wait() does.
  static std::optional<FileLock> attempt(const std::filesystem::path& path, LockMode mode);
  // Waits for others, and locks a folder itself, which needs no file in it. Throws as wait() does.
  static FileLock wait_folder(const std::filesystem::path& folder);

 private:
  explicit FileLock(Descriptor held) : held_(std::move(held)) {}
  Descriptor held_;
};

}  // namespace aqbench
