#pragma once
// Checks the profiles of a bundle, for readers who cannot profile again: what the run tells of them follows
// from their files, and is what the command asked for.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/results.h"
#include "harness/running/journal.h"
#include "reports/content/bundle_files.h"
#include "reports/content/command_list.h"

namespace aqbench {

// Returns these problems of a run that tells profiles, none of any other:
// - files that a profile always has, or that the command asks for, and that are not there; a profile.json or
//   trace.json in another form than aqbench writes, stacks that cannot be read;
// - times that do not fit each other, the stages or the run; metrics and members of
//   run.effective.profile that do not follow from profile.json, the stacks and the record;
// - targets, scenes, seed, repetitions and sampler of the command that are not those of the run.
// `files` are all of the bundle, sorted. A bundle of other texts than this program writes has no problems.
std::vector<Finding> check_profiles(const std::filesystem::path& bundle, const Results& results,
                                    const JournalHeader& header, const CommandList& commands,
                                    const std::vector<std::string>& files);

}  // namespace aqbench
