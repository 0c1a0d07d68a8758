#pragma once
// Where on the surface the errors of a comparison of methods lie: the tiles (metrics/tiles.h) of the first
// run of each case and side, so that a reader sees where B is worse. The unit holds the hash of a file of
// tiles, the bundle the file.

#include <filesystem>
#include <map>
#include <string>

#include "harness/ab/samples.h"
#include "harness/records/case_result.h"

namespace aqbench {

// Leaves of the artefacts of a scored unit its tiles alone, under the name of its side, and names them in its
// record. With `keep` false none is left.
void keep_tiles(const std::string& case_name, AbSide side, bool keep, CaseResult& unit);

// Returns the texts of the tiles that units name, by ab_tiles_file(). A file that is not there or has another
// hash is left out: `aqbench verify` names it. Throws Error(io).
std::map<std::string, std::string> read_ab_tiles(const std::filesystem::path& bundle,
                                                 const AbSamples& samples);

}  // namespace aqbench
