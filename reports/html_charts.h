#pragma once
// The charts of report.html, each as HTML; empty where there is nothing to draw.

#include <map>
#include <string>
#include <vector>

#include "reports/bundle_content.h"
#include "reports/case_groups.h"

namespace aqbench {

std::string bars_chart(const std::vector<CaseGroup>& groups, const std::string& metric, const char* title);
std::string baseline_chart(const BundleContent& content);
std::string heatmaps(const Results& results, const std::map<std::string, std::string>& tiles);
std::string stages_chart(const std::vector<CaseGroup>& groups);
std::string times_chart(const Results& results);

}  // namespace aqbench
