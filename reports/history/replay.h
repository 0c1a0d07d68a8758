#pragma once
// Compares a case that was run again with what the bundle says.

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/records/record.h"
#include "harness/scoring/score_case.h"
#include "reports/document/document.h"

namespace aqbench {

// One value that is not as recorded.
struct ReplayDifference {
  std::string what;                  // "status", "output_sha256" or a metric
  std::string recorded, now;         // as text that is exact
  std::optional<double> share = {};  // |now - recorded| of the larger of the two, 0 to 2; none without values
  bool of_builds = false;            // two builds may differ in it: a file, or a metric that is new
};

// What running a case again showed.
struct ReplayReport {
  std::vector<ReplayDifference> differences;  // empty: reproduced
  std::size_t metrics = 0;                    // that were compared
  std::string output_sha256;                  // of the new run; "" for none
  std::string time_trend;                     // one line; "" where one side has no time
  std::vector<std::string> platform;  // why a difference decides nothing: platform_differences(), or a build

  bool reproduced() const { return differences.empty(); }
};

// Compares status, hash of the output, the set of metrics and tensor memory of stages, each value bit by bit,
// with unit and direction, and the set of files with their hashes, but for logs and profiles. Time takes no
// part: it differs from moment to moment.
ReplayReport compare_replay(const Record& recorded, const Record& now);

// Returns in what two environments (env.json) differ that may change the last bits of a result: "cpu_model is
// "B", the bundle's "A"". That is processor, operating system, libraries with the C library that holds libm,
// and of CUDA cases the GPU. A bundle of machines that differ differs from each.
std::vector<std::string> platform_differences(const Json& recorded, const Json& now);

// Returns the differences and what they come to as text.
std::string render_replay(const ReplayReport& report, const std::string& case_name,
                          const Screen& screen = {});

// Draws `sample` of the numbers 0 to `cases` - 1, each set of them equally likely. Returns them sorted.
std::vector<std::size_t> draw_sample(std::size_t cases, std::size_t sample, std::mt19937_64& random);

// Returns a generator that starts from randomness of the system. Throws Error(io) where the system has none.
std::mt19937_64 system_random();

// Returns which files a replay must keep to give those of the record.
KeptFiles kept_files_of(const Record& recorded);

// Returns the probability that a sample holds none of the altered cases (hypergeometric distribution).
double missed_probability(std::size_t cases, std::size_t altered, std::size_t sample);

// Returns what a sample of `cases` proves of which `reproduced` came out as recorded and `not_comparable`
// differ on another platform: "5 of 40 cases reproduced; had 4 been altered, this would have missed all of
// them with probability 0.57". It is about a tenth of the cases, at least one, and about nothing where a case
// differs here.
std::string render_sample(std::size_t cases, std::size_t sample, std::size_t reproduced,
                          std::size_t not_comparable);

}  // namespace aqbench
