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

// The folders of a bundle that hold files of cases, by what these files hold: tables of errors by place, of
// completeness by number of views, of depth errors, of holes and cameras; the scored clouds; cloud views;
// pictures of depth maps; what external programs printed; profiles.
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

// Returns whether a file, whose path is relative to a bundle, lies in this folder of it or below.
bool is_in_folder(std::string_view file, std::string_view folder);

// Returns the result as bytes for the pipe between child and parent, its record with the hashes of the
// artefacts.
std::string encode_case_result(const CaseResult& result);

// Reads what encode_case_result() wrote. Throws Error(input) for anything else.
CaseResult decode_case_result(std::string_view bytes);

}  // namespace aqbench
