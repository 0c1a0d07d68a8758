#include "harness/records/load.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/quantiles.h"

namespace aqbench {
namespace {

// The processors of the machine; 0 where unknown.
std::size_t processors_of(const Json& environment) {
  if (!environment.is_object()) return 0;
  const auto key = environment.find("comparability");
  if (key == environment.end() || !key->is_object()) return 0;
  for (const char* const name : {"num_cpus", "cores"})
    if (const auto count = key->find(name); count != key->end() && count->is_number_unsigned())
      return count->get<std::size_t>();
  return 0;
}

}  // namespace

bool is_better_by_cpu(const Record& record, const Json& environment) {
  const Timing& timing = record.timing;
  const bool one_thread =
      std::ranges::all_of(timing.threads, [](const auto& library) { return library.second == 1; });
  std::vector<double> loads;
  for (const TimedBlock& block : timing.blocks)
    if (block.load_1m) loads.push_back(*block.load_1m);
  const std::size_t processors = processors_of(environment);
  return one_thread && !loads.empty() && processors > 0 && timing.cpu_ms.size() == timing.warm_ms.size() &&
         record.case_name.find("/real_time") == std::string::npos &&
         MachineLoad{median_of(std::move(loads)), processors}.is_high();
}

}  // namespace aqbench
