#pragma once
// Checks the tables by camera: views/CASE.csv, depth/CASE.csv and diagnosis/CASE.csv.

#include <string>
#include <string_view>
#include <vector>

#include "reports/tables/record_values.h"

namespace aqbench {

// Area and completeness of the part of the surface that a number of cameras see, as they stand in views/ and
// in diagnosis/.
struct SeenShare {
  std::string surface_pct, completeness_pct;  // as printed

  friend bool operator==(const SeenShare&, const SeenShare&) = default;
};

// Reports a table that aqbench does not write, one whose shares do not add up to the whole surface, and
// completeness in the record (also of what two cameras see, at every tolerance) that does not follow from the
// table. Returns its rows by the number of cameras; none if it is no such table.
std::vector<SeenShare> check_views(std::string_view text, RecordValues& values);

// Reports a table that aqbench does not write, metrics of the record that are not its columns, a camera whose
// values contradict each other, and medians that are not the record's. Returns how many cameras it has; 0 if
// it is no such table.
std::size_t check_depths(std::string_view text, RecordValues& values);

// Reports a table that aqbench does not write; holes, the worst camera and the share of the Cramer-Rao bound
// that are not the record's; holes on places that few cameras see, where they do not follow from completeness
// by views; a camera's rmse below its bias. Returns its completeness by views; none if it is no such table.
std::vector<SeenShare> check_diagnosis(std::string_view text, RecordValues& values);

}  // namespace aqbench
