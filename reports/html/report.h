#pragma once
// report.html: the results as pictures, in one file that needs no network; scripts only add to it.

#include <string>

#include "reports/content/bundle_content.h"
#include "reports/html/pictures.h"

namespace aqbench {

// Is the name of the page in a bundle.
inline constexpr const char* kReportName = "report.html";

// Returns the page, for light and dark screens. It depends on nothing but the arguments, so that
// `aqbench verify` can render it again and compare the bytes. It shows accuracy, precision and completeness
// as bars, changes against the baseline in units of the tolerance, errors and completeness by place, stages,
// times as box plots, and a table of all cases; with scripts also clouds that turn and curves. It has at most
// 10 MB: of large clouds it shows every n-th point.
std::string render_html_report(const BundleContent& content, const ReportPictures& pictures);

}  // namespace aqbench
