#pragma once
// What `aqbench verify` found, and its text.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "reports/bundle/trust.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// The result of verifying.
enum class VerifyVerdict {
  verified,
  not_verified,   // something is wrong
  other_version,  // nothing is wrong that could be checked, but the texts are those of another version
};

// What verifying found.
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

  VerifyVerdict verdict() const {
    if (!findings.empty()) return VerifyVerdict::not_verified;
    return other_version ? VerifyVerdict::other_version : VerifyVerdict::verified;
  }
  bool ok() const { return verdict() == VerifyVerdict::verified; }
};

// Returns the first problem, with the number of the others, "summary.md: is not what the bundle renders to
// (and 2 more)"; "" of a bundle that is verified.
std::string first_problem(const VerifyReport& report);

// Throws the first problem of `bundle` as Error(not_comparable) where another version must check it, and as
// Error(verification) where it does not verify; a bundle that is verified passes.
void require_verified(const VerifyReport& report, const std::filesystem::path& bundle);

// Returns the exit code of `aqbench verify`: pass, regression or other_version.
ExitCode exit_code(VerifyVerdict verdict);

// Returns "verified: ..." or "NOT VERIFIED BY THIS VERSION: ..." with the digests, or one line for each
// finding, its file first; and who signed, by name where the key is `trusted`.
std::string render_verify(const VerifyReport& report, bool colours = false,
                          const std::vector<TrustedKey>& trusted = {});

}  // namespace aqbench
