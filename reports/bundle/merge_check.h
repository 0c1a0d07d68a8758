#pragma once
// Checks whether a bundle that says it was merged holds what a merge keeps of its shards.

#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/records/results.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Returns what shows that a bundle whose run.effective.merged_from names runs was not merged from them: names
// that are no texts, and a command that is no merge. Each run must have a folder in shards/ whose sha256.txt
// lists the shard's files; those that a merge copies must be there with the same hash, its environment must
// be among those of the shards, and its log a part of bench.log. `files` are all of the bundle, sorted.
std::vector<Finding> check_merged(const std::filesystem::path& bundle, const Results& results,
                                  const std::vector<std::string>& files);

// Returns the environment of a merged run: the first shard's, with those of all shards inside it; where they
// differ, the comparability key says so. `shards` is a list of objects with "run" and "environment".
Json merged_environment(Json shards);

// Returns the notes that a merge takes from a shard: each says of which run it is.
std::vector<std::string> notes_of_shard(const std::string& run_id, std::vector<std::string> notes);

}  // namespace aqbench
