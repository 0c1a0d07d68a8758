#pragma once
// Whether a bundle still holds what was measured. Every check runs, so that all that is wrong is named at
// once.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "reports/bundle/added_evidence.h"
#include "reports/bundle/trust.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// What verifying comes to.
enum class VerifyVerdict {
  verified,
  not_verified,   // something is wrong
  other_version,  // nothing is wrong that could be checked, but the texts are those of another version
};

// Holds what verifying found.
struct VerifyReport {
  std::vector<Finding> findings;
  std::vector<std::string> notes;        // what could not be checked, and why
  std::optional<Finding> other_version;  // what only another version of aqbench can compute again
  std::string root_digest;               // "" if results.json cannot be read
  std::string metrics_digest;
  std::size_t files = 0;    // hashed and compared
  std::size_t records = 0;  // or units, see of_units
  bool of_units = false;    // the bundle is a comparison, and `records` counts its units
  bool complete = false;
  std::string signed_by;  // fingerprint of the key of a good signature.json; "" where there is none
  AddedEvidence added;    // countersignatures and time stamp

  VerifyVerdict verdict() const {
    if (!findings.empty()) return VerifyVerdict::not_verified;
    return other_version ? VerifyVerdict::other_version : VerifyVerdict::verified;
  }
  bool ok() const { return verdict() == VerifyVerdict::verified; }
};

// Returns what stands in the way first, "summary.md: is not what the bundle renders to (and 2 more)"; "" of a
// bundle that is verified.
std::string first_problem(const VerifyReport& report);

// Returns the exit code of `aqbench verify`: pass, regression or other_version.
ExitCode exit_code(VerifyVerdict verdict);

// Checks
// - sha256.txt against itself, and every file against it; missing and extra files, empty folders, links and
//   special files;
// - results.json against its schema and its canonical text; the journal's chain; both against each other
//   (run_check.h) and the records against what was planned and what can be (harness/running/plan_check.h);
// - the files of cases against the hashes in their records, bench.log against the journal (file_check.h), and
//   tables against metrics (table_check.h);
// - summary.md, report.html, env.json, benchmark.json, inventory.txt and statement.json against what the rest
//   renders to. results.json says of which version they are: those of another one cannot be rendered, which
//   is a verdict of its own;
// - signature.json against sha256.txt and the key that it names, which must be `public_key` (raw, of
//   read_public_key()) where that is given;
// - countersignatures against sha256.txt, the root digest and the cases that ran well; timestamp.tsr against
// the
//   root digest, and with `tsa_ca` (PEM) its certificate.
// Never throws for what is inside the folder; Error(input) if `bundle` is no folder.
VerifyReport verify_bundle(const std::filesystem::path& bundle,
                           const std::optional<std::string>& public_key = std::nullopt,
                           const std::optional<std::filesystem::path>& tsa_ca = std::nullopt);

// Returns "verified: ..." or "NOT VERIFIED BY THIS VERSION: ..." with the digests, or one line for each
// finding, its file first; and who signed when, by name where the key is `trusted`.
std::string render_verify(const VerifyReport& report, bool colours = false,
                          const std::vector<TrustedKey>& trusted = {});

}  // namespace aqbench
