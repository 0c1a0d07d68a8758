#pragma once
// Names of files in a bundle. Those that come from a file or another process are checked here, before
// anything is read or written under them.

#include <string_view>

namespace aqbench {

// The folders of a bundle with files of cases, by content: tables of errors by place, of completeness by
// number of views, of depth errors, of holes and cameras; scored clouds; cloud views; pictures of depth maps
// and photographs; output of external programs; profiles.
inline constexpr const char* kTilesFolder = "tiles";
inline constexpr const char* kViewsFolder = "views";
inline constexpr const char* kDepthFolder = "depth";
inline constexpr const char* kDiagnosisFolder = "diagnosis";
inline constexpr const char* kCloudsFolder = "clouds";
inline constexpr const char* kViewerFolder = "viewer";
inline constexpr const char* kPicturesFolder = "pictures";
inline constexpr const char* kLogsFolder = "logs";
inline constexpr const char* kProfileFolder = "profile";

// Returns whether a path is relative, made of the characters [A-Za-z0-9._=,:+@%-] and "/", and without the
// steps "." and "..": it stays in the bundle.
bool is_bundle_path(std::string_view path);

// Returns whether a file, by its path relative to a bundle, is in this folder or below.
bool is_in_folder(std::string_view file, std::string_view folder);

// Returns whether a path is that of a file of a case: a bundle path in one of the folders above. A file about
// the whole run, such as journal.jsonl, is none.
bool is_case_file(std::string_view path);

}  // namespace aqbench
