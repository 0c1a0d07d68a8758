#pragma once
// What is added to a bundle after it was sealed, which sha256.txt therefore does not list: countersignatures
// and a time stamp.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/records/results.h"
#include "reports/bundle/countersignature.h"
#include "reports/bundle/timestamp.h"
#include "reports/bundle/trust.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// What checking the added evidence found.
struct AddedEvidence {
  std::vector<Countersignature> countersignatures;  // those that are good, by time
  std::size_t cases = 0;                            // of the bundle
  std::size_t ok_cases = 0;                         // of these, those that a countersigner can reproduce
  std::optional<TimestampCheck> timestamp;          // of a good timestamp.tsr
  std::vector<Finding> problems;
};

// Returns whether a file of a bundle is added evidence.
bool is_added_evidence(std::string_view file);

// Returns the digest that a time stamp of a bundle covers: the root digest, or, of a comparison, the SHA-256
// of sha256.txt. Throws as read_text_file().
std::string stamped_digest(const std::filesystem::path& bundle, const Results* results);

// Returns what is wrong with a time stamp of a run that ended at `finished_utc`: "" where it is no more than
// an hour older, since two clocks may differ, or where a time cannot be read.
std::string problem_of_stamped_time(const std::string& stamped_utc, const std::string& finished_utc);

// Checks the countersignatures and timestamp.tsr among the files of a bundle; `results` is null for a
// comparison. The certificate of a time stamp is checked with those in `tsa_ca` (PEM) where that is given.
AddedEvidence check_added_evidence(const std::filesystem::path& bundle, const std::vector<std::string>& files,
                                   const Results* results,
                                   const std::optional<std::filesystem::path>& tsa_ca);

// Returns lines that say who signed (`signed_by`: the fingerprint of signature.json's key, or "") and
// countersigned and when, by name where the key is trusted; and the time stamp.
std::string render_signers(const std::string& signed_by, const AddedEvidence& added,
                           const std::vector<TrustedKey>& trusted);

}  // namespace aqbench
