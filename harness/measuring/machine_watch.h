#pragma once
// What other programs do while something is timed, from /proc/stat.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/stopwatch.h"

namespace aqbench {

// Processor time since boot on the processors that this process may use, seconds.
struct ProcessorTimes {
  double busy_s = 0;   // by any program, without what the hypervisor took
  double steal_s = 0;  // taken by the hypervisor
};

// Reads these times; nullopt where the system does not tell.
std::optional<ProcessorTimes> processor_times();

// Returns the processor time of this process, all its threads, and of the programs that it has waited for, in
// seconds.
double own_processor_time_s();

// Returns the processor time of the programs that this process has waited for, seconds.
double children_processor_time_s();

// What was seen since a watch began. nullopt: the system does not tell.
struct MachineLook {
  std::optional<double> others_cpus;  // processors that other programs used, on average
  std::optional<double> steal_cpus;   // processors that the hypervisor took away, on average
  double seconds = 0;                 // time since the watch began
};

// Watches what other programs do, from its construction on.
class MachineWatch {
 public:
  MachineWatch();

  // Returns what was seen until now.
  MachineLook look() const;

 private:
  SteadyClock::time_point start_;
  std::optional<ProcessorTimes> times_;
  double own_s_;
};

// Returns whether other programs disturbed work that keeps `threads` of `processors` busy: they used more
// than half of the processors left over and more than a tenth of one, or the hypervisor took more than 2 % of
// one.
bool is_contaminated(const MachineLook& look, int threads, int processors);

// Returns the clock rate that the kernel reports; nullopt in most virtual machines.
std::optional<double> current_cpu_mhz();

}  // namespace aqbench
