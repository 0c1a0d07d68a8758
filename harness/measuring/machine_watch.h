#pragma once
// Watches other programs from /proc/stat while something is timed.

#include <optional>

#include "core/stopwatch.h"

namespace aqbench {

// Processor time since boot on this process's processors, seconds.
struct ProcessorTimes {
  double busy_s = 0;   // by any program, excluding time stolen by the hypervisor
  double steal_s = 0;  // stolen by the hypervisor
};

// Reads these times; nullopt if the system does not report them.
std::optional<ProcessorTimes> processor_times();

// Returns the processor time of this process, its threads, and the programs it has waited for, in seconds.
double own_processor_time_s();

// Returns the processor time of the programs it has waited for, seconds.
double children_processor_time_s();

// Observations since a watch began. nullopt: not reported by the system.
struct MachineLook {
  std::optional<double> others_cpus;  // processors used by other programs, on average
  std::optional<double> steal_cpus;   // processors stolen by the hypervisor, on average
  double seconds = 0;                 // time since the watch began
};

// Watches other programs from its construction on.
class MachineWatch {
 public:
  MachineWatch();

  // Returns the observations so far.
  MachineLook look() const;

 private:
  SteadyClock::time_point start_;
  std::optional<ProcessorTimes> times_;
  double own_s_;
};

// Returns whether other programs disturbed work that keeps `threads` of `processors` busy: they used more
// than half of the remaining processors and more than a tenth of one, or the hypervisor stole more than 2 %
// of one.
bool is_contaminated(const MachineLook& look, int threads, int processors);

// Returns the clock rate reported by the kernel; nullopt in most virtual machines.
std::optional<double> current_cpu_mhz();

}  // namespace aqbench
