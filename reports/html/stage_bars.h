#pragma once
// Self times of stages, as charts show them.

#include <string>
#include <utility>
#include <vector>

#include "reports/content/case_columns.h"
#include "reports/content/case_groups.h"

namespace aqbench {

// Self times of one group, each the sum of its records' medians over the number of records that are ok.
struct StageBar {
  CaseGroup group;
  std::vector<std::pair<std::string, double>> stages;  // ms
  std::vector<std::string> unknown;                    // stages without samples in a record
  double total = 0;                                    // ms, of the known ones

  // Returns "12.5 s" in a unit of the whole chart, and which stages are not in it.
  std::string text(const TimeUnit& unit) const;
};

// Returns the bars of the groups that have stages; lists the names of all stages in the order in which they
// come.
std::vector<StageBar> stage_bars(const std::vector<CaseGroup>& groups, std::vector<std::string>& names);

// Returns these names.
std::vector<std::string> stage_names(const std::vector<CaseGroup>& groups);

// Returns the colour of a stage, "#rrggbb": each of `names` has its own.
std::string stage_fill(const std::vector<std::string>& names, const std::string& name);

// Returns "12.5 ms", "12.5 s" or "12.5 min", with three significant digits.
std::string time_text(double ms);

}  // namespace aqbench
