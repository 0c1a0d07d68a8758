#pragma once
// Folders that go away: with their owner, or with the next run after their owner was killed.

#include <filesystem>
#include <string_view>
#include <utility>

#include "core/descriptor.h"

namespace aqbench {

// A folder that goes away with everything in it.
class ScratchFolder {
 public:
  // Makes a new one in the system's folder for temporary files (TMPDIR), with a mark in it that is locked as
  // long as this process or a child of its fork lives. The first one of a process removes what killed
  // processes have left there (remove_abandoned_scratch). Throws Error(io) naming what cannot be made.
  ScratchFolder();
  // Takes over a folder that exists or will exist.
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor mark_;  // locked
};

// Returns whether a name is one that a ScratchFolder may have.
bool is_scratch_name(std::string_view name);

// Removes the scratch folders in `parent` whose owners are gone, and returns how many. Such a folder is named
// aqbench_??????, is no link, belongs to this user and holds a mark that a ScratchFolder wrote and that
// nobody locks; anything else stays. Links inside are removed, not followed.
int remove_abandoned_scratch(const std::filesystem::path& parent);

}  // namespace aqbench
