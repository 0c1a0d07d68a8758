#pragma once
// Facts about this machine and the build, found without another process. nullopt: not reported by the system.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"

namespace aqbench {

std::optional<std::string> cpu_model();             // as in /proc/cpuinfo
std::optional<std::string> gpu_model();             // as its driver names it
std::vector<int> affinity_processors();             // available to this process
std::optional<std::uint64_t> memory_total_bytes();  // installed
std::string architecture();                         // "x86_64"

// Stores the value, or null with the reason beside it.
void put_known(Json& json, const std::string& key, const Json& value, const std::string& reason);

// Returns CPU, memory, system, GPU and build, as an environment has them.
Json machine_json();

}  // namespace aqbench
