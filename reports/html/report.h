#pragma once
// report.html: the results as pictures, in one file that needs no network; scripts only add to it.

#include <string>

#include "reports/content/bundle_content.h"
#include "reports/html/pictures.h"

namespace aqbench {

// The most cases that the page lists, failures and regressions first. Its bars are over all cases.
inline constexpr std::size_t kMaxPageCases = 1000;

// Returns the part of a bundle that the page lists case by case: records and what the gate says of them. The
// clouds and pictures of others need not be read.
BundleContent listed_on_page(const BundleContent& content);

// The name of the page in a bundle.
inline constexpr const char* kReportName = "report.html";

// Returns the page, for light and dark screens. It depends on nothing but the arguments, so that
// `aqbench verify` can render it again and compare the bytes. It shows accuracy, precision and completeness
// as bars, changes against the baseline in units of the tolerance, errors and completeness by place, stages,
// times as box plots, and a table of all cases; with scripts also clouds that turn and curves. It has at most
// 10 MB: of large clouds it shows every n-th point.
std::string render_html_report(const BundleContent& content, const ReportPictures& pictures);

}  // namespace aqbench
