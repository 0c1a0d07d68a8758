#pragma once
// A case run again as recorded: does it give what the bundle says?

#include <string>
#include <vector>

#include "harness/records/record.h"

namespace aqbench {

struct ReplayDifference {
  std::string what;           // "status", "output_sha256" or a metric
  std::string recorded, now;  // exact, as text
};

struct ReplayReport {
  std::vector<ReplayDifference> differences;  // empty: reproduced
  std::size_t metrics = 0;                    // compared
  std::string output_sha256;                  // of this run; "" for none
  std::string time_trend;                     // one line; "" where one side has no time

  bool reproduced() const { return differences.empty(); }
};

// Status, output hash and every metric, bit for bit; tensor memory of stages too. Time is no verdict: another
// moment, another time.
ReplayReport compare_replay(const Record& recorded, const Record& now);

// At most 100 columns.
std::string render_replay(const ReplayReport& report, const std::string& case_name, bool colours = false);

}  // namespace aqbench
