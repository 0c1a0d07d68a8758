#pragma once
// The parts from which the pages of a site are made.

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/content/case_names.h"
#include "reports/site/site_run.h"

namespace aqbench {

// Where the report of a run lies on the site, relative to its root; "" where it was not copied.
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

// Returns table_number() of the value, "n/a" for none.
std::string value_text(const std::optional<double>& value);

// Returns `text`, which is HTML, as a link to the case in its bundle's report, for a page whose root is
// `root`; the text alone where the report was not copied.
std::string case_link(const SiteRun& run, const std::string& case_name, const SiteReports& reports,
                      const std::string& text, const char* root = "../");

// Returns the short names of all cases of the runs (reports/content/case_names.h).
ShortNames site_short_names(std::span<const SiteRun* const> runs);

}  // namespace aqbench
