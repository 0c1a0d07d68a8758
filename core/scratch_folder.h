#pragma once
// Temporary folders, removed by their owner, or by the next run if their owner was killed.

#include <filesystem>
#include <string_view>
#include <utility>

#include "core/descriptor.h"

namespace aqbench {

// A folder that is removed with its contents.
class ScratchFolder {
 public:
  // Creates a folder in the system's temporary folder (TMPDIR) with a mark that stays locked as long as this
  // process or a forked child lives. The first one of a process removes folders left by killed processes
  // (remove_abandoned_scratch). Throws Error(io) naming the path.
  ScratchFolder();
  // Takes ownership of an existing or future folder.
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor mark_;  // locked
};

// Returns whether a ScratchFolder may have this name.
bool is_scratch_name(std::string_view name);

// Removes the scratch folders in `parent` whose owners are gone, and returns their number. Such a folder is
// named aqbench_??????, is not a link, belongs to this user and contains an unlocked mark written by a
// ScratchFolder; others stay. Links inside are removed, not followed.
int remove_abandoned_scratch(const std::filesystem::path& parent);

}  // namespace aqbench
