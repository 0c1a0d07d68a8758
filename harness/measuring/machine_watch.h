#pragma once
// What else the machine does while something is timed, from /proc/stat.

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
std::optional<ProcessorTimes> processor_times();

double own_processor_time_s();  // of this process, all its threads

struct MachineLook {
  std::optional<double> others_cpus, steal_cpus;  // processors, on average since the watch began
  double seconds = 0;
};

class MachineWatch {
 public:
  MachineWatch();
  MachineLook look() const;

 private:
  SteadyClock::time_point start_;
  std::optional<ProcessorTimes> times_;
  double own_s_;
};

// Whether others were in the way of something that keeps `threads` processors busy: they used more than half
// of those left over and a tenth of one, or the hypervisor took more than 2 % of one.
bool is_contaminated(const MachineLook& look, int threads, int processors);

// As the kernel reports it; nullopt in most virtual machines.
std::optional<double> current_cpu_mhz();

}  // namespace aqbench
