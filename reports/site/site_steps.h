#pragma once
// Where a value changed its level over the runs of a suite, found as `aqbench trend` finds it.

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/statistics/change_points.h"
#include "reports/site/site_run.h"

namespace aqbench {

// Holds one change of level of one metric of one case.
struct SiteStep {
  std::size_t metric = 0;  // in site_metrics()
  std::string case_name;
  std::size_t before = 0, since = 0;  // runs: the last one of the old level, the first one of the new level
  LevelChange level;

  // Returns 1 where the new level is worse, -1 where it is better, 0 where the metric has no better side.
  int worsening() const;
};

// Holds the steps of each suite, by its name.
using SiteSteps = std::map<std::string, std::vector<SiteStep>>;

// Finds the steps of all cases over the runs of one suite, oldest first; returns them with the newest first.
// Runs of other options are another series (harness/statistics/trend_steps.h), and times also those of
// another machine or build. Of more than 2000 the newest 2000 are kept.
std::vector<SiteStep> site_steps(std::span<const SiteRun* const> runs);

// Returns the headings of a table of steps, and the row of a step; `suite` is a cell that leads to its suite,
// "" for none, and its heading is not among the headings.
const std::vector<std::string>& site_step_titles();
std::string site_step_row(const SiteStep& step, std::span<const SiteRun* const> runs,
                          const std::string& suite);

// Returns a list of the newest five runs since which a level is another one: commits, how many values are
// worse.
std::string site_steps_lead(std::span<const SiteStep> steps, std::span<const SiteRun* const> runs);

// Returns the steps as JSON for the page's script: [metric, case, first run of the new level, worsening],
// where the case is its place in `places`.
std::string site_steps_json(std::span<const SiteStep> steps,
                            const std::map<std::string, std::size_t>& places);

}  // namespace aqbench
