#pragma once
// Whether times of two machines and builds are comparable: "comparability" of an environment (env.json).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace aqbench {

// Returns the "comparability" of an environment; null if it has none.
Json comparability_of(const Json& environment);

// Returns the upper limit of a machine's memory class, a power of two in GiB.
std::uint64_t most_gib_of_class(std::uint64_t total_bytes);

// Returns "cpu_model is "B", WHOSE "A"" for each difference, in the order of names. `whose` is the owner of
// `before`: "the baseline's".
std::vector<std::string> comparability_differences(const Json& before, const Json& now,
                                                   std::string_view whose);

}  // namespace aqbench
