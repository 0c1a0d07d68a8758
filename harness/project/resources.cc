#include "harness/project/resources.h"

#include <algorithm>
#include <cmath>

namespace aqbench {
namespace {

constexpr std::int64_t kMaxGpus = 1024, kMaxMinutes = 525600, kMaxProcessors = 65536;
constexpr double kMaxMemoryGib = 1 << 20;

int whole_at(const JsonPlace& place, std::int64_t least, std::int64_t most) {
  const std::int64_t value = place.integer();
  if (value < least || value > most) place.fail("must be a whole number from {} to {}", least, most);
  return static_cast<int>(value);
}

}  // namespace

Resources resources_at(const JsonPlace& place) {
  place.allow_only({"gpus", "memory_gib", "minutes", "threads"});
  Resources needs;
  if (const auto gpus = place.find("gpus")) needs.gpus = whole_at(*gpus, 0, kMaxGpus);
  if (const auto minutes = place.find("minutes")) needs.minutes = whole_at(*minutes, 1, kMaxMinutes);
  if (const auto threads = place.find("threads")) needs.threads = whole_at(*threads, 1, kMaxProcessors);
  if (const auto memory = place.find("memory_gib")) {
    needs.memory_gib = memory->number();
    if (!(needs.memory_gib > 0 && needs.memory_gib <= kMaxMemoryGib))
      memory->fail("must be above 0 and at most {:.0f} GiB", kMaxMemoryGib);
  }
  return needs;
}

std::uint64_t memory_mib(const Resources& needs) {
  return static_cast<std::uint64_t>(std::ceil(needs.memory_gib * 1024));
}

Resources most_of(const std::set<std::string>& methods, const DeclaredResources& declared) {
  Resources most;
  bool all_minutes = true;
  for (const std::string& method : methods) {
    const auto found = declared.find(method);
    const Resources needs = found == declared.end() ? Resources{} : found->second;
    most.gpus = std::max(most.gpus, needs.gpus);
    most.memory_gib = std::max(most.memory_gib, needs.memory_gib);
    most.minutes = std::max(most.minutes, needs.minutes);
    most.threads = std::max(most.threads, needs.threads);
    all_minutes = all_minutes && needs.minutes > 0;
  }
  if (!all_minutes) most.minutes = 0;
  return most;
}

Resources needs_of(const SweepPlan& plan, const DeclaredResources& declared) {
  std::set<std::string> methods;
  for (const Case& planned : plan.cases) methods.insert(planned.method);
  Resources most = most_of(methods, declared);
  for (const Case& planned : plan.cases) most.threads = std::max(most.threads, planned.threads);
  return most;
}

}  // namespace aqbench
