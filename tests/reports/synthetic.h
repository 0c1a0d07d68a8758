#pragma once
// Small results and bundles, made without running anything.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/gating/baseline.h"
#include "harness/planning/plan.h"
#include "harness/records/results.h"
#include "reports/content/bundle_content.h"

namespace aqbench {

// Status ok, with the headline metrics and options of a simulated method.
Record synthetic_record(const std::string& scene, const std::string& method, int seed,
                        double accuracy_mean_mm);

// Two scenes x two methods, seed 42; complete, with the plan hash that synthetic_bundle() journals.
Results synthetic_results();

// Makes it the run that began on this day of the month, "21".
void set_day(Results& results, const std::string& day);

// Metric of a record, to be changed.
Metric& metric_of(Record& record, const std::string& name);

// A finalised bundle BASE/<run id>/ of these results, journal, log, commands and tiles included: suite
// `seed`, with the options and faults that the records name. Sets the results' plan fields,
// environment.build, the files of a record, all metrics that go with its accuracy_mean_mm, and what a skipped
// record must say.
std::filesystem::path synthetic_bundle(const std::filesystem::path& base, Results& results);

// Suite `seed` for two threads.
PlanRequest seed_request();

// The same of another plan; the run is complete if every planned case has a record. `flags`: what the command
// was given beside the plan.
std::filesystem::path synthetic_bundle(const std::filesystem::path& base, Results& results,
                                       const SweepPlan& plan, const std::vector<std::string>& flags = {});

// Two bundles of one suite, of the days 20 and 21; in the second a case is worse and one crashed.
void two_bundles(const std::filesystem::path& base);

// What accepting `results` with default tolerances gives, from another run.
Baseline synthetic_baseline(const Results& results);

// A bundle that holds these results and nothing else.
inline BundleContent content_of(Results results) {
  BundleContent content;
  content.results = std::move(results);
  return content;
}

// Makes all hashes of a changed bundle right again, without waiting for the disk.
void rehash(const std::filesystem::path& bundle);

}  // namespace aqbench
