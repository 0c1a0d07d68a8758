#pragma once
// The build of a program.

#include <string>
#include <utility>
#include <vector>

#include "core/members.h"

namespace aqbench {

// One build of aqbench. Texts are empty if unknown.
struct BuildInfo {
  std::string version;     // of aqbench
  std::string commit;      // the sources had uncommitted changes
  bool dirty = false;      // the sources had changes that were not committed
  std::string compiler;    // "GNU 12.2.0"
  std::string flags;       // of an optimised source file
  std::string build_type;  // "Release"
  std::string sanitizers;  // "" for none

  template <class Row>
  static void members(const Row& row) {
    row("version", &BuildInfo::version);
    row("commit", &BuildInfo::commit);
    row("dirty", &BuildInfo::dirty);
    row("compiler", &BuildInfo::compiler);
    row("flags", &BuildInfo::flags);
    row("build_type", &BuildInfo::build_type);
    row("sanitizers", &BuildInfo::sanitizers);
  }
};

// Returns the build of this program.
const BuildInfo& build_info();

// Returns the libraries of this build: name and version, "" for an unused one.
const std::vector<std::pair<std::string, std::string>>& library_versions();

// Returns the SHA-256 of the running executable's file, computed once. Throws Error(io) if it cannot be read.
const std::string& program_sha256();

}  // namespace aqbench
