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
// or its scored output has of a metric that follows from them. `keeps_all`: every method's unit that may keep
// tiles has kept them. `files` are those of the bundle. Throws Error(io).
std::vector<Finding> check_ab_tiles(const std::filesystem::path& bundle, const AbDocument& document,
                                    const std::vector<std::string>& files, bool keeps_all);

// Returns what is wrong with the files of tiles in the bundle of an A/A validation: one that belongs to none
// of its units, or gives another metric than the unit's output has. Where several parts have the same cases,
// the tiles of the last one stay.
std::vector<Finding> check_calibration_tiles(const std::filesystem::path& bundle,
                                             const std::vector<const AbSamples*>& parts,
                                             const std::vector<std::string>& files);

}  // namespace aqbench
