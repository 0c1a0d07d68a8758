#pragma once
// Merges the shards of one sweep, which may have run on different machines, into one bundle.

#include <filesystem>
#include <vector>

#include "reports/bundle/signature.h"

namespace aqbench {

// Verifies every shard, then writes the bundle OUT/<stamp>/ of all their records, as one sweep without shards
// would have: with the same plan, and with a root digest that does not depend on how the records were split.
// The shards' commands, environments and hash lists are kept under shards/<run>/; notes and logs are joined.
// Returns the new bundle, which is whole or not there. Throws Error(verification) for a shard that does not
// verify; Error(not_comparable) for shards of different suites, plans, options or builds; Error(input) for a
// shard that was interrupted, for a case in two shards, and for missing shards, naming their numbers;
// Error(io).
std::filesystem::path merge_bundles(const std::vector<std::filesystem::path>& shards,
                                    const std::filesystem::path& out,
                                    const std::vector<std::string>& command_line,
                                    const SigningKey* key = nullptr);

}  // namespace aqbench
