#pragma once
// One bundle as a site over many bundles keeps it: a line of JSON with what its pages show. And the runs that
// a site shows: those that it knew, new ones, and those that cannot be read any more.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "reports/history/trend.h"

namespace aqbench {

// One case of a run. Values are in the order of site_metrics(); nullopt: undefined, or none.
struct SiteCase {
  std::string name, scene, method, status;  // scene is "" for a workload, and method its name
  std::vector<std::optional<double>> values;
  std::string options = {};  // a hash of the options as they took effect, "" for none
  bool loaded = false;       // its CPU time tells more than its wall time (is_better_by_cpu())
};

// The largest count of cases that is read; no run has more.
inline constexpr double kMaxSiteCases = 1e9;

// What the gate says of a run.
struct SiteGate {
  std::string text;  // "gate: FAIL, 3 rows"
  bool passes = false;
};

// One run.
struct SiteRun {
  std::string key;     // SHA-256 of the bundle's sha256.txt: what says whether it has changed
  std::string folder;  // as it was given
  std::string id, suite, started_utc, commit, machine;
  std::string folder_commit;  // of the folder that the run was started in
  std::string comparable;  // a hash of what times depend on: machine, build, threads; "" where not recorded
  std::size_t planned = 0;
  std::size_t injected = 0;  // cases into which faults were put on purpose
  std::vector<SiteCase> cases;
  // Of runs that were gated when they were made, and in their lines; of others of the newest of a suite
  // alone.
  std::optional<SiteGate> gate = {};
};

// A metric that a site shows.
struct SiteMetric {
  std::string name, title, definition, unit;
  Better better = Better::lower;
};

// Returns the metrics that tables of cases can show (reports/content/case_columns.h), those of imported
// numbers, and the time, in the order of SiteCase::values.
const std::vector<SiteMetric>& site_metrics();
// Takes the metrics of imported numbers from these bundles, in place of those before. Call it before any is
// read, and from one thread. One that cannot be read is named when it is.
void find_imported_metrics(const std::vector<std::filesystem::path>& bundles);
// Returns how many of site_metrics() are columns of tables of cases. Behind them stand the numbers of
// protocols and the imported ones.
std::size_t site_columns();
// Return the places of wall time and CPU time among them.
std::size_t site_time_place();
std::size_t site_cpu_place();

// Reads a bundle: results.json, which must have the hash in sha256.txt, which must hold together. The rest of
// the bundle is for `aqbench verify`. Throws Error(input, io, verification) naming the file.
SiteRun read_site_run(const std::filesystem::path& bundle);

// Returns a run as the results of a bundle, as far as a site knows it: cases, status, these metrics and the
// hash of the options.
Results site_results(const SiteRun& run, const std::vector<std::size_t>& metrics);

// Returns whether this is no bundle but times of another benchmark tool: a file, or a folder of Criterion.
bool is_of_other_tool(const std::filesystem::path& bundle);

// Returns the key of a bundle without reading its results. Throws as read_site_run().
std::string site_key(const std::filesystem::path& bundle);

// Return a run as one line of JSON, and read it back. Throws Error(input) naming `source`, also for a line of
// a version with other metrics.
std::string site_line(const SiteRun& run);
SiteRun site_run_of(std::string_view line, const std::string& source);

// The file of a site that has a line for each run (site_line()).
inline constexpr const char* kSiteRunsFile = "data/runs.jsonl";

// Returns whether the folder holds a site: it has kSiteRunsFile, empty or with the line of a run first.
bool is_site(const std::filesystem::path& folder);

// The runs of a site as they were just read.
struct SiteReading {
  std::vector<SiteRun> runs;
  std::vector<std::string> lines;     // of kSiteRunsFile, one for each run
  std::vector<std::string> problems;  // a line for each bundle and folder that cannot be read
  std::set<std::string> kept;  // keys of the runs whose bundle cannot be read: shown as the site knew them
  std::size_t read = 0;        // bundles that were new or had changed
};

// Reads the bundles. What the site in the folder `site` knows is not read again. Of a bundle that is there
// and cannot be read any more, and of all in folders that cannot be listed, what the site knew stays. Throws
// Error(input, io) for the site's own file.
SiteReading read_site_runs(const std::vector<std::filesystem::path>& bundles,
                           const std::vector<UnlistedFolder>& unlisted, const std::filesystem::path& site);

}  // namespace aqbench
