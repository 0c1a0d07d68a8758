#pragma once
// Verifies that a bundle still holds what was measured. Every check runs, so that all problems are named at
// once.

#include <filesystem>
#include <optional>
#include <string>

#include "reports/bundle/verify_report.h"

namespace aqbench {

struct Results;

// Checks
// - sha256.txt against itself, and every file against it; missing and extra files, empty folders, links and
//   special files;
// - results.json against its schema and its canonical text; the journal's chain; both against each other
//   (run_check.h) and the records against what was planned and what can be (harness/checking/plan_check.h);
// - the files of cases against the hashes in their records, bench.log against the journal (file_check.h), and
//   tables against metrics (reports/tables/table_check.h);
// - summary.md, report.html, env.json, benchmark.json, inventory.txt and statement.json against what the rest
//   renders to. results.json says of which version they are: those of another one cannot be rendered, which
//   is a verdict of its own;
// - signature.json against sha256.txt and the key that it names, which must be `public_key` (raw, of
//   read_public_key()) where that is given;
// - countersignatures against sha256.txt, the root digest and the cases that ran well; timestamp.tsr against
//   the root digest, and with `tsa_ca` (PEM) its certificate.
// Never throws for what is inside the folder; Error(input) if `bundle` is no folder.
VerifyReport verify_bundle(const std::filesystem::path& bundle,
                           const std::optional<std::string>& public_key = std::nullopt,
                           const std::optional<std::filesystem::path>& tsa_ca = std::nullopt);

// Does the same and fills `results` with those that it checked, so that nobody reads them twice. They are
// good for use only if the report is ok().
VerifyReport verify_bundle(const std::filesystem::path& bundle, Results& results);

}  // namespace aqbench
