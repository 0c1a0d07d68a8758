#pragma once
// Checks the tables of a case (tiles/, views/, depth/, diagnosis/, viewer/, clouds/) against the metrics in
// its record, which were computed from the same numbers.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/results.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Returns a finding for each table that aqbench would not write like this, or from which another metric
// follows than the record has (tile_table.h, camera_tables.h), for views and clouds of other points, and for
// tables of a case that contradict each other. Files that are missing or cannot be read are left to other
// checks.
std::vector<Finding> check_tables(const std::filesystem::path& bundle, const Results& results);

// Returns the findings about one such file.
std::vector<Finding> check_table(const std::filesystem::path& bundle, const std::string& file,
                                 const Record& record);

}  // namespace aqbench
