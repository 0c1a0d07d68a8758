#pragma once
// The shards of one sweep, run anywhere, as one bundle.

#include <filesystem>
#include <vector>

#include "reports/bundle/signature.h"

namespace aqbench {

// Verifies every shard, then writes the bundle OUT/<stamp>/ of all their records, as one sweep without shards
// would have: same plan, and same root digest as any other way to merge these records. The shards' commands,
// environments and hash lists are kept under shards/<run>/, notes and logs are joined.
// Throws Error(verification) for a shard that does not verify, Error(not_comparable) for shards of different
// suites, plans, options or builds, Error(input) for one that was interrupted, a case in two shards, or
// shards that are missing (which ones: by their number), Error(io).
std::filesystem::path merge_bundles(const std::vector<std::filesystem::path>& shards,
                                    const std::filesystem::path& out,
                                    const std::vector<std::string>& command_line,
                                    const SigningKey* key = nullptr);

}  // namespace aqbench
