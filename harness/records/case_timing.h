#pragma once
// The times of a case: "timing" of a record.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"

namespace aqbench {

class JsonPlace;

// Consecutive samples of one process, and the state of the machine meanwhile. Values are missing where the
// system does not report them.
struct TimedBlock {
  std::uint64_t first = 0, count = 0;  // a range of warm_ms
  std::uint64_t process = 0;           // index of the case's process, from 0
  std::optional<double> load_1m;       // load average over 1 minute, before the first sample
  std::optional<double> others_cpus;   // processors used by other programs, on average
  std::optional<double> steal_cpus;    // processors stolen by the hypervisor, on average
  std::optional<double> cpu_mhz;
  bool contaminated = false;  // other programs disturbed these samples
};

// Times of all runs of a case. Everything after throughput_unit belongs to warm runs and is empty without
// them.
struct Timing {
  std::optional<double> cold_ms;  // the first call in a fresh process
  std::vector<double> warm_ms;
  std::optional<double> throughput;
  std::string throughput_unit;
  std::vector<double> more_cold_ms = {};  // cold calls of additional processes
  std::vector<double> cpu_ms = {};        // CPU time of the whole process, for each of warm_ms
  std::vector<TimedBlock> blocks = {};
  std::string stopped = {};              // why sampling ended: "repetitions", "precision", "max_time"
  std::optional<double> precision = {};  // half the 95 % interval of the median, as a share of the median
  std::string note = {};                 // doubts about these times, one line
  std::vector<std::pair<std::string, std::int64_t>> threads = {};  // of each library, as reported by it
  std::vector<std::pair<std::string, double>> figures = {};  // additional figures: "roofline_share", ...
  std::string verdict = {};                                  // a workload's verdict, one line
  std::optional<double> dataset_ms = {};  // time to render the images or find them in the cache
};

// Returns "timing" of a record. Throws Error(method) naming the case if a warm sample is not finite.
Json timing_json(const Timing& timing, const std::string& case_name);

// Reads what timing_json() wrote. Throws Error(input) naming the place.
Timing timing_from_json(const JsonPlace& place);

}  // namespace aqbench
