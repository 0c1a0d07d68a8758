#pragma once
// The result of a case, and how it comes from the child process to the parent.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/records/record.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The record of a case and the files that go with it. Artefacts are files of the bundle: path relative to it
// ("tiles/NAME.csv") and bytes.
struct CaseResult {
  Record record;
  std::vector<std::pair<std::string, std::string>> artefacts;
};

// Returns the SHA-256 over every array of a reconstruction, the same for the same values. Arrays are hashed
// as little-endian bytes: "points_m COUNT HASH" and so on, one line each.
std::string output_sha256(const Reconstruction& reconstruction);

// Returns a file name for a case: "/" becomes "__"; any other character than [A-Za-z0-9_.=,+-] becomes "_",
// and then 8 digits of the name's hash are added, so that two names never become one.
std::string file_name_of(std::string_view case_name);

// Returns the result as bytes for the pipe between child and parent, its record with the hashes of the
// artefacts.
std::string encode_case_result(const CaseResult& result);

// Reads what encode_case_result() wrote. Throws Error(input) for anything else.
CaseResult decode_case_result(std::string_view bytes);

}  // namespace aqbench
