#pragma once
// The times of a case: "timing" of a record.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/members.h"

namespace aqbench {

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

  template <class Row>
  static void members(const Row& row) {
    row("first", &TimedBlock::first, 0, "Index into warm_ms.");
    row("count", &TimedBlock::count);
    row("process", &TimedBlock::process);
    row("load_1m", &TimedBlock::load_1m);
    row("others_cpus", &TimedBlock::others_cpus, 0, "Processors that other programs used, on average.");
    row("steal_cpus", &TimedBlock::steal_cpus);
    row("cpu_mhz", &TimedBlock::cpu_mhz);
    row("contaminated", &TimedBlock::contaminated);
  }
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

  template <class Row>
  static void members(const Row& row) {
    row("cold_ms", &Timing::cold_ms, kNotNegative);
    row("warm_ms", &Timing::warm_ms, kNotNegative);
    row.group("throughput", kOrNull, "", [](const auto& inside) {
      inside("value", &Timing::throughput, kNotNegative | kNotEmpty);
      inside("unit", &Timing::throughput_unit, kNotEmpty);
    });
    row.group("details", kLeftOut, "Beside warm runs: how they came about.", [](const auto& inside) {
      inside("cpu_ms", &Timing::cpu_ms, kNotNegative, "Processor time of the process in each of warm_ms.");
      inside("more_cold_ms", &Timing::more_cold_ms, kNotNegative | kOrNull);
      inside("blocks", &Timing::blocks);
      inside("stopped", &Timing::stopped, kOrNull, "Why there are no more samples.");
      inside("precision", &Timing::precision, kNotNegative,
             "Half the 95 % interval of the median, as a share of it.");
      inside("note", &Timing::note, kOrNull, "What speaks against these times.");
      inside("threads", &Timing::threads, 0, "Of each library, as it answered.");
      inside("figures", &Timing::figures, kOrNull);
      inside("verdict", &Timing::verdict, kOrNull);
    });
    row("dataset_ms", &Timing::dataset_ms, kNotNegative | kLeftOut,
        "Rendering the images or finding them in the cache, before the run.");
  }

  // Checks that the blocks are within warm_ms.
  void after_reading(const JsonPlace& place) const;
};

}  // namespace aqbench
