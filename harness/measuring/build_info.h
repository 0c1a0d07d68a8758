#pragma once
// What a program was built from.

#include <string>
#include <utility>
#include <vector>

#include "core/json_fwd.h"

namespace aqbench {

class JsonPlace;

// One build of aqbench. All texts are empty where nothing is known.
struct BuildInfo {
  std::string version;     // of aqbench
  std::string commit;      // of the sources, "" outside git
  bool dirty = false;      // the sources had changes that were not committed
  std::string compiler;    // "GNU 12.2.0"
  std::string flags;       // of an optimised source file
  std::string build_type;  // "Release"
  std::string sanitizers;  // "" for none
};

// Returns the build of this program.
const BuildInfo& build_info();

// Returns the libraries that this program was built with: name and version, "" for one that is not used.
const std::vector<std::pair<std::string, std::string>>& library_versions();

// Adds all members of a build to an object, under their names.
void add_build(Json& json, const BuildInfo& build);

// Reads what add_build() wrote. Throws Error(input) naming the member.
BuildInfo build_from_json(const JsonPlace& place);

// Returns the SHA-256 of the running executable's file, computed once. Throws Error(io) if it cannot be read.
const std::string& program_sha256();

}  // namespace aqbench
