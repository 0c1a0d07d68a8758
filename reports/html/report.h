#pragma once
// report.html: the results of a sweep as pictures, or a comparison of two builds, methods or commands, in one
// file that needs no network; scripts only add to it.

#include <map>
#include <string>

#include "harness/ab/report.h"
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
// and a table of all cases; with scripts also clouds that turn and curves. It has at most
// 10 MB: of large clouds it shows every n-th point.
std::string render_html_report(const BundleContent& content, const ReportPictures& pictures);

// Returns the page: the verdict on each case and on each metric and cost, with its reason; for the case that
// is chosen the distribution of both sides' values, the ratio (or difference) of each pair with the interval
// of the shift, and the units in the order in which they ran; how metrics of the outputs differ; where on the
// surface B is worse; stages; all lines of summary.md. What is invalid or failed is shown as well, first and
// with its reason. It needs no other file and depends on the arguments alone; `report` is
// judge_ab(document), `tiles` are those of its bundle (read_ab_tiles()).
std::string ab_page(const AbDocument& document, const AbReport& report,
                    const std::map<std::string, std::string>& tiles = {});

}  // namespace aqbench
