#pragma once
// The machines of a shared sweep's timed cases: one task on each at a time, all of one kind.

#include <filesystem>
#include <optional>
#include <string>

#include "core/files.h"
#include "core/json.h"

namespace aqbench {

// Whether a machine may join whose times are not comparable with the first one's.
enum class UnlikeMachines { refuse, accept };

// Adds the machine `host`, described by `environment` (as in env.json), to the sweep of this folder
// (shared_results.h), until the returned lock is destroyed. Throws Error(not_comparable) if another task of
// the sweep runs on it, or if its comparability differs from the first machine's and `unlike` refuses;
// Error(io).
[[nodiscard]] FileLock join_timed_machines(const std::filesystem::path& tasks, const std::string& host,
                                           const Json& environment, UnlikeMachines unlike);

// Returns a machine's description from when it first joined; nullopt if it never did. Throws Error(io),
// Error(input) for an incomplete file.
std::optional<Json> environment_of_machine(const std::filesystem::path& tasks, const std::string& host);

}  // namespace aqbench
