#pragma once
// The machines that run the timed cases of a shared sweep: one task on each at a time, and all of one kind.

#include <filesystem>
#include <optional>
#include <string>

#include "core/files.h"
#include "core/json.h"

namespace aqbench {

// Whether a machine may take part whose times do not compare with those of the first one.
enum class UnlikeMachines { refuse, accept };

// Lets the machine `host`, which `environment` describes (as in env.json), take part in the sweep of this
// folder (shared_results.h), until the returned lock is destroyed. Throws Error(not_comparable) where another
// task of the sweep runs on it, or where its comparability is not that of the first machine and `unlike`
// refuses; Error(io).
[[nodiscard]] FileLock join_timed_machines(const std::filesystem::path& tasks, const std::string& host,
                                           const Json& environment, UnlikeMachines unlike);

// Returns what a machine said of itself when it first took part; nullopt if it never did. Throws Error(io),
// Error(input) for a file that is not whole.
std::optional<Json> environment_of_machine(const std::filesystem::path& tasks, const std::string& host);

}  // namespace aqbench
