#pragma once
// The tables of a case (tiles/, views/, depth/, diagnosis/, clouds/) against the metrics in its record, which
// were computed from the same numbers.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/results.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Returns the tables that give another metric than the record: the worst and the empty tiles, their points,
// completeness summed over views, medians over cameras, shares of holes, the points of a cloud. A file that
// cannot be read, and one that is missing, is left to others.
std::vector<Finding> check_tables(const std::filesystem::path& bundle, const Results& results);

// Returns what one such file gives otherwise than the record.
std::vector<Finding> check_table(const std::filesystem::path& bundle, const std::string& file,
                                 const Record& record);

}  // namespace aqbench
