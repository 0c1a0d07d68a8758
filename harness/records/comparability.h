#pragma once
// Whether times of two machines and builds may be compared: "comparability" of an environment (env.json).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace aqbench {

// Returns the "comparability" of an environment; null where it tells none.
Json comparability_of(const Json& environment);

// Returns the power of two in GiB that no machine of the same class of memory has more than.
std::uint64_t most_gib_of_class(std::uint64_t total_bytes);

// Returns "cpu_model is "B", WHOSE "A"" for each part that differs, in the order of their names. `whose` says
// in the text to what `before` belongs: "the baseline's".
std::vector<std::string> comparability_differences(const Json& before, const Json& now,
                                                   std::string_view whose);

}  // namespace aqbench
