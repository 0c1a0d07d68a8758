#pragma once
// The result of a case, and its transfer from the child process to the parent.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/records/case.h"
#include "harness/records/record.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The record of a case and its files. Artefacts are files of the bundle: relative path ("tiles/NAME.csv") and
// bytes.
struct CaseResult {
  Record record;
  std::vector<std::pair<std::string, std::string>> artefacts;
};

// Returns the SHA-256 over every array of a reconstruction. Arrays are hashed as little-endian bytes:
// "points_m COUNT HASH" and so on, one line each.
std::string output_sha256(const Reconstruction& reconstruction);

// Returns a file name for a case: "/" becomes "__"; any character other than [A-Za-z0-9_.=,+-] becomes "_",
// and then 8 digits of the name's hash are appended, so that file names are unique.
std::string file_name_of(std::string_view case_name);

// The folders of a bundle with files of cases, by content: tables of errors by place, of completeness by
// number of views, of depth errors, of holes and cameras; scored clouds; cloud views; pictures of depth maps;
// output of external programs; profiles.
inline constexpr const char* kTilesFolder = "tiles";
inline constexpr const char* kViewsFolder = "views";
inline constexpr const char* kDepthFolder = "depth";
inline constexpr const char* kDiagnosisFolder = "diagnosis";
inline constexpr const char* kCloudsFolder = "clouds";
inline constexpr const char* kViewerFolder = "viewer";
inline constexpr const char* kPicturesFolder = "pictures";
inline constexpr const char* kLogsFolder = "logs";
inline constexpr const char* kProfileFolder = "profile";

// Returns the path in a bundle of a file of a case: "tiles/CASE.csv", where CASE is file_name_of(case_name).
std::string case_file(std::string_view folder, std::string_view case_name, std::string_view ending);

// Returns whether a file, by its path relative to a bundle, is in this folder or below.
bool is_in_folder(std::string_view file, std::string_view folder);

// Returns the result as bytes for the pipe between child and parent; its record contains the hashes of the
// artefacts.
std::string encode_case_result(const CaseResult& result);

// Reads what encode_case_result() wrote. Throws Error(input) for anything else.
CaseResult decode_case_result(std::string_view bytes);

// Returns the record of a case that has not run: names, axes, options, the planned faults with 0 strikes,
// status failed.
Record planned_record(const Case& planned);

}  // namespace aqbench
