#pragma once
// Checks whether a case that was run again gives what the bundle says.

#include <string>
#include <vector>

#include "harness/records/record.h"

namespace aqbench {

// One value that is not as recorded.
struct ReplayDifference {
  std::string what;           // "status", "output_sha256" or a metric
  std::string recorded, now;  // as text that is exact
};

// What running a case again showed.
struct ReplayReport {
  std::vector<ReplayDifference> differences;  // empty: reproduced
  std::size_t metrics = 0;                    // that were compared
  std::vector<std::string> added;             // metrics that the recorded run did not have: noted
  std::string output_sha256;                  // of the new run; "" for none
  std::string time_trend;                     // one line; "" where one side has no time

  bool reproduced() const { return differences.empty(); }
};

// Compares status, hash of the output, and every metric and tensor memory of stages bit by bit. Time takes no
// part: it differs from moment to moment.
ReplayReport compare_replay(const Record& recorded, const Record& now);

// Returns the differences as text, at most 100 columns wide.
std::string render_replay(const ReplayReport& report, const std::string& case_name, bool colours = false);

}  // namespace aqbench
