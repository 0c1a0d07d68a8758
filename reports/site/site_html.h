#pragma once
// The parts from which the pages of a site are made, and where a value changed its level over the runs of a
// suite, found as `aqbench trend` finds it.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/statistics/change_points.h"
#include "reports/content/case_groups.h"
#include "reports/html/page.h"
#include "reports/site/site_run.h"

namespace aqbench {

// Where the report of a run lies on the site, relative to its root; "" where there is none.
using SiteReports = std::map<std::string, std::string>;  // key -> path

// Returns a name as a file may have it: "seed", "plane_sweep.balanced"; odd names get a hash.
std::string site_file_name(std::string_view name);

// How a run went: its cases by their status, those with injected faults, and what the gate says.
struct SiteHealth {
  std::size_t ok = 0, skipped = 0, all = 0, injected = 0;
  std::optional<SiteGate> gate = {};

  // Returns whether every case that was not skipped is ok, and any is, no fault was injected, and no gate
  // fails.
  bool good() const { return ok > 0 && ok + skipped == all && injected == 0 && (!gate || gate->passes); }
  // Returns "good", "bad", or "unknown" where nothing is bad, and no gate has looked.
  const char* look() const { return !good() ? "bad" : gate ? "good" : "unknown"; }
  // Returns "3 of 4 ok, 1 skipped, injected faults, gate: FAIL, 2 values", or "4 of 4 ok, not gated".
  std::string text() const;
};

// Returns how a run went; cases that are planned and have no record count as not ok.
SiteHealth health_of(const SiteRun& run);

// Returns SiteHealth::text() as a badge of HTML.
std::string health_text(const SiteHealth& health);

// Returns a whole page. `depth` is how many folders it lies below the root of the site; `data_script` is the
// path of the suite's data relative to the root, "" for none.
std::string site_page(const std::string& title, int depth, const std::string& body,
                      const std::string& data_script);

// Returns the name of a suite as people see it: "(chosen by hand)" for none.
std::string shown_suite(const std::string& suite);

// Returns which metrics any case of the runs has, as places in site_metrics().
std::vector<std::size_t> filled_metrics(const std::vector<const SiteRun*>& runs);

// Returns `text`, which is HTML, as a link to the case in its bundle's report, for a page whose root is
// `root`; the text alone where there is no page of the run.
std::string case_link(const SiteRun& run, const std::string& case_name, const SiteReports& reports,
                      const std::string& text, const char* root = "../");

// Returns the name of a suite, or `text`, which is HTML, as a link to the suite's page or to its steps.
std::string suite_link(const std::string& suite, const char* root = "../");
std::string steps_link(const std::string& suite, const std::string& text, const char* root = "../");

// Returns the short names of all cases of the runs (reports/content/case_groups.h).
ShortNames site_short_names(std::span<const SiteRun* const> runs);

// One change of level of one metric of one case.
struct SiteStep {
  std::size_t metric = 0;  // in site_metrics()
  std::string case_name;
  std::size_t before = 0, since = 0;  // runs: the last one of the old level, the first one of the new level
  LevelChange level;
  double size = 0;  // change_size()

  // Returns 1 where the new level is worse, -1 where it is better, 0 where the metric has no better side.
  int worsening() const;
};

// The most steps of a suite that are kept.
inline constexpr std::size_t kMaxSiteSteps = 2000;

// Finds the steps of all cases over the runs of one suite, oldest first; returns them with the newest first,
// those of one run by the size of the change.
// Runs of other options are another series (harness/statistics/change_points.h), and times also those of
// another machine or build. Of more than kMaxSiteSteps the newest are kept.
std::vector<SiteStep> site_steps(std::span<const SiteRun* const> runs,
                                 DecideBy decide_by = DecideBy::automatic);

// A suite of a site, and all suites by their names.
struct SiteSuite {
  std::vector<const SiteRun*> runs;  // oldest first
  ShortNames names;                  // site_short_names() of the runs
  std::vector<SiteStep> steps;       // site_steps() of the runs
};
using SiteSuites = std::map<std::string, SiteSuite>;

// A case of a run in a table, and the same case in the run before: nullptr where it is not compared.
struct SiteTableCase {
  const SiteRun* run;
  const SiteCase* one;
  const SiteCase* before = nullptr;
};

// What a table of cases is of: its label, its metrics, and whether cases have their suite beside them, else
// their status.
struct SiteTableParts {
  std::string label;
  std::vector<std::size_t> metrics;
  bool with_suites;
};

// Returns the table of these cases, each value with a link to its case, and since when they are what they
// are.
std::vector<ReportBlock> site_cases(const std::vector<SiteTableCase>& cases, const SiteTableParts& parts,
                                    const std::function<const SiteSuite&(const SiteRun&)>& suite_of,
                                    const SiteReports& reports);

// A file of a site: its path relative to the root, and its text.
using SiteFile = std::pair<std::string, std::string>;

// A row of the table of steps, and when the new level began.
struct SiteStepRow {
  std::string since_utc;
  std::vector<TableCell> cells;
  std::string case_name;
};
// Returns the row of a step of a suite; with HTML that leads to the suite it has a cell of it.
SiteStepRow site_step_row(const SiteStep& step, const SiteSuite& suite, const SiteReports& reports,
                          const std::string& suite_link = "");

// Returns since which run the values are what they are: that of the newest step that is meant, with a link to
// the steps of its suite.
TableCell since_cell(std::span<const SiteRun* const> runs, std::span<const SiteStep> steps,
                     const std::function<bool(const SiteStep&)>& is_meant);

// Returns the section with a table of such rows, the newest first; of more than 200 the rest is counted.
// `lead` is HTML that stands before it. "" without rows.
std::string steps_section(const std::vector<SiteStepRow>& rows, bool with_suites,
                          const std::string& lead = "");

// Returns the commit of the user's repository with aqbench's in brackets, "3f2a9c01d4e5 (aqbench 0a1b...)";
// aqbench's alone where the run has no other.
std::string commit_of_run(const SiteRun& run);

// Returns a list of the newest five runs with which a value changed its level: their commits, and how many
// values became worse.
std::string site_steps_lead(const SiteSuite& suite);

// Returns the steps as JSON for the page's script: [metric, case, first run of the new level, worsening],
// where the case is its place in `places`.
std::string site_steps_json(std::span<const SiteStep> steps,
                            const std::map<std::string, std::size_t>& places);

}  // namespace aqbench
