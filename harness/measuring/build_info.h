#pragma once
// The build of a program.

#include <string>
#include <utility>
#include <vector>

#include "core/json.h"

namespace aqbench {

class JsonPlace;

// One build of aqbench. Texts are empty if unknown.
struct BuildInfo {
  std::string version;     // of aqbench
  std::string commit;      // the sources had uncommitted changes
  bool dirty = false;      // the sources had changes that were not committed
  std::string compiler;    // "GNU 12.2.0"
  std::string flags;       // of an optimised source file
  std::string build_type;  // "Release"
  std::string sanitizers;  // "" for none
};

// Returns the build of this program.
const BuildInfo& build_info();

// Returns the libraries of this build: name and version, "" for an unused one.
const std::vector<std::pair<std::string, std::string>>& library_versions();

// Adds all members of a build to an object, by name.
void add_build(Json& json, const BuildInfo& build);

// Reads what add_build() wrote. Throws Error(input) naming the member.
BuildInfo build_from_json(const JsonPlace& place);

// Returns the SHA-256 of the running executable's file, computed once. Throws Error(io) if it cannot be read.
const std::string& program_sha256();

}  // namespace aqbench
