#pragma once
// Where a value changed its level over the runs of a suite, found as `aqbench trend` finds it.

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/statistics/change_points.h"
#include "reports/content/case_names.h"
#include "reports/html/page.h"
#include "reports/site/site_html.h"
#include "reports/site/site_run.h"

namespace aqbench {

// One change of level of one metric of one case.
struct SiteStep {
  std::size_t metric = 0;  // in site_metrics()
  std::string case_name;
  std::size_t before = 0, since = 0;  // runs: the last one of the old level, the first one of the new level
  LevelChange level;

  // Returns 1 where the new level is worse, -1 where it is better, 0 where the metric has no better side.
  int worsening() const;
};

// The steps of each suite, by its name.
using SiteSteps = std::map<std::string, std::vector<SiteStep>>;

// Finds the steps of all cases over the runs of one suite, oldest first; returns them with the newest first.
// Runs of other options are another series (harness/statistics/trend_steps.h), and times also those of
// another machine or build. Of more than 2000 the newest 2000 are kept.
std::vector<SiteStep> site_steps(std::span<const SiteRun* const> runs);

// How a table of steps names and links cases: their short names, the copied reports, and HTML that leads to
// the suite, "" for none.
struct SiteStepCells {
  const ShortNames* names = nullptr;
  const SiteReports* reports = nullptr;
  std::string suite = {};
};

// Returns the headings of a table of steps, and the row of a step.
std::vector<std::string> site_step_titles(bool with_suite);
std::string site_step_row(const SiteStep& step, std::span<const SiteRun* const> runs,
                          const SiteStepCells& cells);

// Returns since which run the values are what they are: that of the newest step that is meant, with a link to
// the steps of its suite.
PageCell since_cell(std::span<const SiteRun* const> runs, std::span<const SiteStep> steps,
                    const std::function<bool(const SiteStep&)>& is_meant);

// Returns the section with a table of such rows, the newest first; of more than 200 the rest is counted.
// `lead` is HTML that stands before it. "" without rows.
std::string steps_section(const std::vector<std::string>& titles, const std::vector<std::string>& rows,
                          const std::string& lead = "");

// Returns the commit of the user's repository with aqbench's in brackets, "3f2a9c01d4e5 (aqbench 0a1b...)";
// aqbench's alone where the run has no other.
std::string commit_of_run(const SiteRun& run);

// Returns a list of the newest five runs with which a value changed its level: their commits, and how many
// values became worse.
std::string site_steps_lead(std::span<const SiteStep> steps, std::span<const SiteRun* const> runs);

// Returns the steps as JSON for the page's script: [metric, case, first run of the new level, worsening],
// where the case is its place in `places`.
std::string site_steps_json(std::span<const SiteStep> steps,
                            const std::map<std::string, std::size_t>& places);

}  // namespace aqbench
