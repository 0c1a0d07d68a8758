#pragma once
// Shows where one method is worse than another on the same scene, which stage lost what is missing, and what
// changed since the baseline.

#include <string>
#include <vector>

#include "reports/content/bundle_content.h"
#include "reports/html/pictures.h"

namespace aqbench {

// Returns the section of report.html: a row for each group of cases against the most accurate one of its
// scene, and for that one against the one with the greatest completeness at 2 mm, where it is another; over
// the first record of both that have the same seed. "" where no scene has two.
std::string rivals_section(const BundleContent& content, const ReportPictures& pictures);

// Returns the names of the cases that rivals_section() names, in no order, possibly twice. At most 80.
std::vector<std::string> rival_cases(const Results& results);

}  // namespace aqbench
