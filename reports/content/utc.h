#pragma once
// Times as bundles tell them.

#include <cstdint>
#include <optional>
#include <string>

namespace aqbench {

// Returns the seconds since 1970 of "2026-01-31T12:00:00Z"; nullopt for anything else, as a day that no month
// has.
std::optional<std::int64_t> seconds_of_utc(const std::string& utc);

}  // namespace aqbench
