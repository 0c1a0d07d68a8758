#pragma once
// The pictures of report.html that show where the errors are.

#include <string>

#include "harness/records/results.h"
#include "reports/html/pictures.h"

namespace aqbench {

// Returns HTML with a row of pictures for each case: the depths of a camera and their errors, and the cloud's
// errors and completeness seen from above. Empty without pictures and tiles.
std::string case_pictures(const Results& results, const ReportPictures& pictures);

}  // namespace aqbench
