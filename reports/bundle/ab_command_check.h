#pragma once
// Checks commands.txt of a comparison or an A/A validation, and the rest against the arguments of its run.

#include <filesystem>
#include <optional>
#include <vector>

#include "core/error.h"
#include "harness/ab/aa_validation.h"
#include "harness/ab/document.h"
#include "harness/ab/pair_journal.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// What ab.json or calibration.json says of how it was run.
struct AbClaims {
  const AbRunInfo* run = nullptr;
  const AbDocument* comparison = nullptr;  // null: an A/A validation
  std::optional<ExitCode> decided = {};    // what the decision gives; nullopt: of another version's texts
  double measured_s = 0;                   // of all units
  const PairJournalContents* journal = nullptr;      // null where nothing was run, or by an older version
  const AaValidationDocument* validation = nullptr;  // null: a comparison
};

// Returns what in commands.txt does not fit the claims: text that aqbench does not write, a command that is
// no `ab`, more commands that resume than the run was resumed, times that are not those of the run or shorter
// than what was measured, an exit code that the decision does not give; and variants, labels, faults and
// settings that are not those of the arguments in pairs.jsonl, which are the words of the first command.
// Where what was measured before is judged there is no pairs.jsonl, and the words of commands.txt are the
// arguments. Throws Error(input, io) naming the file where it cannot be read.
std::vector<Finding> check_ab_commands(const std::filesystem::path& bundle, const AbClaims& claims);

}  // namespace aqbench
