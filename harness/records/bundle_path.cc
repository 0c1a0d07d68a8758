#include "harness/records/bundle_path.h"

#include <algorithm>

#include "core/text.h"

namespace aqbench {

constexpr std::string_view kPlainCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=,:+@%-";

bool is_bundle_path(std::string_view path) {
  return std::ranges::all_of(split_at(path, '/'), [](std::string_view step) {
    return !step.empty() && step != "." && step != ".." &&
           step.find_first_not_of(kPlainCharacters) == std::string_view::npos;
  });
}

bool is_in_folder(std::string_view file, std::string_view folder) {
  return file.size() > folder.size() && file.starts_with(folder) && file[folder.size()] == '/';
}

bool is_case_file(std::string_view path) {
  constexpr const char* folders[] = {kTilesFolder,     kViewsFolder,  kDepthFolder,
                                     kDiagnosisFolder, kCloudsFolder, kViewerFolder,
                                     kPicturesFolder,  kLogsFolder,   kProfileFolder};
  return is_bundle_path(path) &&
         std::ranges::any_of(folders, [&](const char* folder) { return is_in_folder(path, folder); });
}

}  // namespace aqbench
