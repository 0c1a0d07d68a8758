#pragma once
// The charts of report.html, each as HTML; empty where there is nothing to draw.

#include <string>
#include <vector>

#include "reports/content/bundle_content.h"
#include "reports/content/case_groups.h"
#include "reports/html/html_report.h"

namespace aqbench {

std::string bars_chart(const std::vector<CaseGroup>& groups, const std::string& metric, const char* title);
std::string baseline_chart(const BundleContent& content);
// A row of pictures for each case: depths of a camera and their errors, the cloud's errors and completeness
// from above.
std::string case_pictures(const Results& results, const ReportPictures& pictures);
std::string stages_chart(const std::vector<CaseGroup>& groups);
std::string times_chart(const Results& results);

}  // namespace aqbench
