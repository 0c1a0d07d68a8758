#pragma once

#include <filesystem>
#include <utility>

namespace aqbench {

// A folder that goes away with everything in it.
class ScratchFolder {
 public:
  // A new one in the system's folder for temporary files (TMPDIR). Throws Error(io) naming what cannot be
  // made.
  ScratchFolder();
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}  // takes over a folder
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace aqbench
