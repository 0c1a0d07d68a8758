#include "harness/measuring/machine_watch.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "core/stopwatch.h"
#include "harness/measuring/machine.h"

namespace aqbench {

std::optional<ProcessorTimes> processor_times() {
  static const std::vector<int> processors = affinity_processors();
  static const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::ifstream file("/proc/stat");
  std::string line;
  ProcessorTimes times;
  bool found = false;
  while (std::getline(file, line) && line.starts_with("cpu")) {
    if (line.size() < 4 || line[3] < '0' || line[3] > '9') continue;  // the sum over all
    std::istringstream fields(line.substr(3));
    int number = -1;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    if (!(fields >> number >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal)) continue;
    if (std::ranges::find(processors, number) == processors.end()) continue;
    times.busy_s += (user + nice + system + irq + softirq) * tick_s;
    times.steal_s += steal * tick_s;
    found = true;
  }
  return found ? std::optional(times) : std::nullopt;
}

namespace {

double processor_time_s(int of) {
  rusage usage{};
  ::getrusage(of, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

double children_processor_time_s() { return processor_time_s(RUSAGE_CHILDREN); }

double own_processor_time_s() { return processor_time_s(RUSAGE_SELF) + children_processor_time_s(); }

MachineWatch::MachineWatch()
    : start_(SteadyClock::now()), times_(processor_times()), own_s_(own_processor_time_s()) {}

MachineLook MachineWatch::look() const {
  MachineLook look;
  look.seconds = seconds_since(start_);
  const auto now = processor_times();
  if (!now || !times_ || look.seconds <= 0) return look;
  const double own_s = own_processor_time_s() - own_s_;
  look.others_cpus = std::max(0.0, (now->busy_s - times_->busy_s - own_s) / look.seconds);
  look.steal_cpus = std::max(0.0, (now->steal_s - times_->steal_s) / look.seconds);
  return look;
}

bool is_contaminated(const MachineLook& look, int threads, int processors) {
  const double left = std::max(0, processors - threads);
  return look.others_cpus.value_or(0) > 0.1 + 0.5 * left || look.steal_cpus.value_or(0) > 0.02;
}

std::optional<double> current_cpu_mhz() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
  double khz = 0;
  if (file >> khz && khz > 0) return khz / 1000;
  return std::nullopt;
}

}  // namespace aqbench
