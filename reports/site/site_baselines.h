#pragma once
// Accepted values of suites, who accepted them, and the runs of a site gated on them.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/site/site_html.h"

namespace aqbench {

// What a site says of one baseline file. The file names the run and the commit that it was accepted from, who
// accepted it and when; the file's repository says who changed it last, when and in which commit.
struct SiteBaseline {
  std::string path, suite, bundle, program_commit;
  std::string accepted_by, accepted_utc;  // of the file; "" in one of an older version
  std::size_t cases = 0, values = 0;
  std::string by, at, commit;  // of git; "" where not known; `at` is a time of ISO 8601 with its offset
  std::string note;            // why not, or that the file was changed since
};

// The baselines that were found, and a line for each that cannot be read.
struct SiteBaselines {
  std::vector<SiteBaseline> found;
  std::vector<std::string> problems;
};

// Reads the files, and every other *.json in the folders, at most three levels below them and beside bundles,
// that begins as a baseline does; in order of their paths. Asks git who changed them. Throws Error(input) for
// one of `files` that is no baseline.
SiteBaselines read_site_baselines(const std::vector<std::filesystem::path>& folders,
                                  const std::vector<std::filesystem::path>& files);

// Returns the page of all baselines; `runs` are those of the site.
SiteFile baselines_page(const std::vector<SiteBaseline>& baselines, const std::vector<SiteRun>& runs,
                        const SiteReports& reports);

// The text of a gate whose run or accepted values cannot be read.
inline constexpr const char* kGateNotKnown = "gate: not known";

// Returns what the gate says of a run against the accepted values in its own bundle, on which it was gated;
// nullopt where it has none. What cannot be read is a line in `problem`, and does not pass.
std::optional<SiteGate> own_gate_of(const SiteRun& run, std::string& problem);

// Returns the gate's verdict on a run that was not gated: against the one baseline of its suite that
// the site found. Returns nullopt where there is none, where the run itself was accepted, and where several
// baselines are of its suite. Problems as in own_gate_of().
std::optional<SiteGate> gate_of(const SiteRun& run, const std::vector<SiteBaseline>& baselines,
                                std::string& problem);

}  // namespace aqbench
