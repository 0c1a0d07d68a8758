#pragma once
// The charts of a run: metrics of methods side by side, self times of stages.

#include <string>
#include <utility>
#include <vector>

#include "reports/content/case_columns.h"
#include "reports/document/document.h"

namespace aqbench {

// Returns a bar for each group, divided into the self times of its stages, each the sum of its records'
// medians over the number of records that are ok.
Chart stages_chart(const std::vector<CaseGroup>& groups);

// Returns charts with the names of their files: each metric that tables show, stages; those that have
// something to show.
std::vector<std::pair<std::string, Chart>> run_charts(const Results& results);

}  // namespace aqbench
