#pragma once
// The tables of a case (tiles/, views/, depth/, diagnosis/, viewer/, clouds/) against the metrics in its
// record, which were computed from the same numbers.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/results.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Returns the tables that aqbench does not write so, or that give another metric than the record
// (tile_table.h, camera_tables.h), views and clouds of other points, and tables of a case that contradict
// each other. A file that cannot be read, and one that is missing, is left to others.
std::vector<Finding> check_tables(const std::filesystem::path& bundle, const Results& results);

// Returns what one such file gives otherwise than the record.
std::vector<Finding> check_table(const std::filesystem::path& bundle, const std::string& file,
                                 const Record& record);

}  // namespace aqbench
