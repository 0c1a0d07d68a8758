#pragma once
// Whether a bundle still holds what was measured. Every check runs, so that all that is wrong is named at
// once.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/bundle/added_evidence.h"
#include "reports/bundle/trust.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Holds what verifying found.
struct VerifyReport {
  std::vector<Finding> findings;   // empty: verified
  std::vector<std::string> notes;  // what could not be checked, and why
  std::string root_digest;         // "" if results.json cannot be read
  std::string metrics_digest;
  std::size_t files = 0;    // hashed and compared
  std::size_t records = 0;  // or units, see of_units
  bool of_units = false;    // the bundle is a comparison, and `records` counts its units
  bool complete = false;
  std::string signed_by;  // fingerprint of the key of a good signature.json; "" where there is none
  AddedEvidence added;    // countersignatures and time stamp

  bool ok() const { return findings.empty(); }
};

// Checks
// - sha256.txt against itself, and every file against it; missing and extra files, empty folders, links and
//   special files;
// - results.json against its schema and its canonical text; the journal's chain and records against it;
// - env.json against what results.json renders to; and so summary.md, report.html, inventory.txt and
//   statement.json, if this program's version wrote them (else a note says that only their hashes were
//   checked);
// - signature.json against sha256.txt and the key that it names, which must be `public_key` (raw, of
//   read_public_key()) where that is given;
// - countersignatures against sha256.txt, the root digest and the cases that ran well; timestamp.tsr against
// the
//   root digest, and with `tsa_ca` (PEM) its certificate.
// Never throws for what is inside the folder; Error(input) if `bundle` is no folder.
VerifyReport verify_bundle(const std::filesystem::path& bundle,
                           const std::optional<std::string>& public_key = std::nullopt,
                           const std::optional<std::filesystem::path>& tsa_ca = std::nullopt);

// Returns "verified: ..." with the digests, or one line for each finding, its file first; and who signed
// when, by name where the key is `trusted`.
std::string render_verify(const VerifyReport& report, bool colours = false,
                          const std::vector<TrustedKey>& trusted = {});

}  // namespace aqbench
