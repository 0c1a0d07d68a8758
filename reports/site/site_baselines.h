#pragma once
// Accepted values of suites, and who accepted them.

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "reports/site/site_html.h"
#include "reports/site/site_run.h"

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

// Returns the path and the text of the page of all baselines; `runs` are those of the site.
std::pair<std::string, std::string> baselines_page(const std::vector<SiteBaseline>& baselines,
                                                   const std::vector<SiteRun>& runs,
                                                   const SiteReports& reports);

}  // namespace aqbench
