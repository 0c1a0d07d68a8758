#include "harness/records/comparability.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <set>

namespace aqbench {

Json comparability_of(const Json& environment) {
  return environment.is_object() ? environment.value("comparability", Json()) : Json();
}

std::uint64_t most_gib_of_class(std::uint64_t total_bytes) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  return std::bit_ceil((total_bytes + gib - 1) / gib);
}

std::vector<std::string> comparability_differences(const Json& before, const Json& now,
                                                   std::string_view whose) {
  std::set<std::string> keys;
  for (const Json* const side : {&before, &now})
    if (side->is_object())
      for (const auto& [key, value] : side->items()) keys.insert(key);
  std::vector<std::string> differences;
  for (const std::string& key : keys) {
    const auto part_of = [&](const Json& side) {
      return side.is_object() ? side.value(key, Json()) : Json();
    };
    if (const Json earlier = part_of(before), current = part_of(now); earlier != current)
      differences.push_back(fmt::format("{} is {}, {} {}", key, current.dump(), whose, earlier.dump()));
  }
  return differences;
}

}  // namespace aqbench
