#pragma once
// The pictures of report.html that show where the errors are.

#include <string>

#include "harness/records/results.h"
#include "reports/html/pictures.h"

namespace aqbench {

// Returns HTML with a row of pictures for each case: the depths of a camera and their errors, and the cloud's
// errors and completeness seen from above. Empty without pictures and tiles.
std::string case_pictures(const Results& results, const ReportPictures& pictures);

// Returns pictures of two sides of one case as HTML: mean errors of both on one scale, how much larger
// |error| of B is, and how much less of the surface B covers; red is where B is worse. "" where no tile of
// the two differs.
std::string tile_comparison(const std::vector<ReportTile>& a, const std::vector<ReportTile>& b);

// Returns a small map of how much larger the distance to the true surface is in `worse`: red where it is,
// blue where it is smaller; below it the ends of its colours. "" where they share no tile.
std::string difference_map(const std::vector<ReportTile>& best, const std::vector<ReportTile>& worse);

}  // namespace aqbench
