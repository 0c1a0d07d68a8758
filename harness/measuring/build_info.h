#pragma once
// What this program was built from.

#include <string>
#include <utility>
#include <vector>

namespace aqbench {

struct BuildInfo {
  std::string version;     // of aqbench
  std::string commit;      // of the sources, "" outside git
  bool dirty = false;      // the sources had changes that were not committed
  std::string compiler;    // "GNU 12.2.0"
  std::string flags;       // of an optimised source file
  std::string build_type;  // "Release"
  std::vector<std::pair<std::string, std::string>> libraries;  // name, version; "" for one that is not used
  std::string sanitizers;                                      // "" for none
};
const BuildInfo& build_info();

// SHA-256 of the running executable's file, computed once. Throws Error(io) if it cannot be read.
const std::string& program_sha256();

}  // namespace aqbench
