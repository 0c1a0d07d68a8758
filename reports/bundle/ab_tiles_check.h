#pragma once
// Checks the tiles of a comparison (harness/ab/tiles.h) against its samples.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/ab/document.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Returns what is wrong with the tiles of a comparison: a unit that may have none, a file that is missing,
// has another hash than its unit says or belongs to no unit, and tiles that give another value than the unit
// has of a metric that follows from them. `files` are those of the bundle. Throws Error(io).
std::vector<Finding> check_ab_tiles(const std::filesystem::path& bundle, const AbDocument& document,
                                    const std::vector<std::string>& files);

// Returns the files of tiles in the bundle of an A/A validation that belong to none of its units. Where
// several of its parts have the same cases, the tiles of the last one stay.
std::vector<Finding> check_calibration_tiles(const std::filesystem::path& bundle,
                                             const std::vector<const AbSamples*>& parts,
                                             const std::vector<std::string>& files);

}  // namespace aqbench
