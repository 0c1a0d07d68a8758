#pragma once
// The result of a case, and its transfer from the child process to the parent.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/records/bundle_path.h"
#include "harness/records/case.h"
#include "harness/records/record.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The record of a case and its files. Artefacts are files of the bundle: relative path ("tiles/NAME.csv") and
// bytes; between processes also a part without a folder, such as a reconstruction.
struct CaseResult {
  Record record;
  std::vector<std::pair<std::string, std::string>> artefacts;
  std::string unwritten = {};  // why the case could not write an output, as on a full disk; "" for none
};

// Returns the SHA-256 over every array of a reconstruction. Arrays are hashed as little-endian bytes:
// "points_m COUNT HASH" and so on, one line each.
std::string output_sha256(const Reconstruction& reconstruction);

// Returns a file name for a case: "/" becomes "__"; any character other than [A-Za-z0-9_.=,+-] becomes "_",
// and then 8 digits of the name's hash are appended, so that file names are unique.
std::string file_name_of(std::string_view case_name);

// Returns the path in a bundle of a file of a case: "tiles/CASE.csv", where CASE is file_name_of(case_name).
std::string case_file(std::string_view folder, std::string_view case_name, std::string_view ending);

// Returns the result as bytes for the pipe between child and parent; its record contains the hashes of the
// artefacts that are files of the case.
std::string encode_case_result(const CaseResult& result);

// Reads what encode_case_result() wrote. Throws Error(input) for anything else: also for a file outside the
// bundle, and for one that the record does not name.
CaseResult decode_case_result(std::string_view bytes, const std::string& source = "the result of a case");

// Returns the record of a case that has not run: names, axes, options, the planned faults with 0 strikes,
// status failed.
Record planned_record(const Case& planned);

}  // namespace aqbench
