#pragma once
// Verifies that a bundle still holds what was measured. Every check runs, so that all problems are named at
// once.

#include <filesystem>
#include <optional>
#include <string>

#include "reports/bundle/verify_steps.h"

namespace aqbench {

struct Results;

// Checks
// - sha256.txt against itself, and every file against it; missing and extra files, empty folders, links and
//   special files;
// - results.json against its schema, its canonical text and the journal (verify_steps.h), the journal's chain
//   and its marks in bench.log, and the plan against the one that this program makes of the request
//   (harness/running/plan_check.h); of a comparison the units against the measuring loop
//   (comparison_problem());
// - the files of cases against the hashes in their records (verify_steps.h);
// - summary.md, report.html, env.json, benchmark.json, inventory.txt and statement.json against what the rest
//   renders to (derived_files()). results.json says of which version they are: those of another one cannot
//   be rendered, which is a verdict of its own;
// - signature.json against sha256.txt and the key that it names, which must be `public_key` (raw, of
//   read_public_key()) if that is given.
// Never throws for what is inside the folder; Error(input) if `bundle` is no folder.
VerifyReport verify_bundle(const std::filesystem::path& bundle,
                           const std::optional<std::string>& public_key = std::nullopt);

// Does the same and fills `results` with those that it checked, so that they are read once. They are
// good for use only if the report is ok(), and without the units of a comparison.
VerifyReport verify_bundle(const std::filesystem::path& bundle, Results& results);

}  // namespace aqbench
