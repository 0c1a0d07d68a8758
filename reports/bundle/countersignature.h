#pragma once
// Countersignatures: people who ran cases of a bundle again, found what it says, and sign that. Each has
// three files in countersignatures/, named by the fingerprint of the key:
//   FINGERPRINT.json     what is signed: which bundle, which cases were reproduced, when, by which program
//   FINGERPRINT.sig      64 bytes: the Ed25519 signature (RFC 8032) of the bytes of FINGERPRINT.json
//   FINGERPRINT.pub.pem  the public key
// Anybody checks them with
//   openssl pkeyutl -verify -pubin -inkey FINGERPRINT.pub.pem -rawin -in FINGERPRINT.json -sigfile
//   FINGERPRINT.sig

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/records/results.h"
#include "reports/bundle/signature.h"
#include "reports/bundle/trust.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// The folder of a bundle's countersignatures, which sha256.txt does not list.
inline constexpr const char* kCountersignatureFolder = "countersignatures";

// What a countersignature is about.
struct CountersignedBundle {
  std::string hash_list;           // the bytes of sha256.txt
  std::string root_digest;         // "" where there is none
  std::string finished_utc;        // of the run
  std::set<std::string> ok_cases;  // by name: those that can be reproduced
};

// Returns what a countersignature of a bundle with these results and this sha256.txt is about.
CountersignedBundle countersigned_bundle(const Results& results, std::string hash_list);

// One countersignature that is good.
struct Countersignature {
  std::string fingerprint;  // of the key
  std::string signed_utc;   // as its signer says
  std::string program_sha256;
  std::vector<std::string> reproduced;  // cases, sorted by name
};

// What checking the countersignatures of a bundle found.
struct CountersignatureCheck {
  std::vector<Countersignature> good;  // sorted by time
  std::vector<Finding> problems;
};

// Returns whether a file of a bundle is in the folder of countersignatures.
bool is_countersignature_file(std::string_view file);

// Checks all countersignatures of a bundle; `files` are all files of the bundle. A file in their folder that
// belongs to none is a problem.
CountersignatureCheck check_countersignatures(const std::filesystem::path& bundle,
                                              const std::vector<std::string>& files,
                                              const CountersignedBundle& signed_bundle);

// Adds or replaces the countersignature of a key: for the cases that it has signed already and those in
// `reproduced`. Throws Error(io), and Error(verification) where the key's present one is not good.
void add_countersignature(const std::filesystem::path& bundle, const CountersignedBundle& signed_bundle,
                          const SigningKey& key, const std::vector<std::string>& reproduced,
                          const std::string& program_sha256, const std::string& signed_utc);

// Returns the names of the people whose countersignatures count: known, not `author` ("" for an unknown one),
// each once however many keys he has, and with every ok case reproduced. Sorted.
std::set<std::string> independent_people(const std::vector<Countersignature>& good,
                                         const std::vector<TrustedKey>& trusted, const std::string& author,
                                         std::size_t ok_cases);

}  // namespace aqbench
