#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "harness/eval/eval_protocol.h"
#include "scenes/dataset/layouts.h"

namespace aqbench {

FilesByName files_at(const std::string& path) {
  if (!folder_exists(path)) return {{"", path}};
  FilesByName files;
  for (const std::filesystem::path& file : files_in(path)) {
    if (!std::filesystem::is_regular_file(file)) continue;
    const auto [other, is_new] = files.emplace(file.stem().string(), file.string());
    if (!is_new)
      throw input_error.of_file(path, "{} and {} are both called {}",
                                std::filesystem::path(other->second).filename().string(),
                                file.filename().string(), file.stem().string());
  }
  if (files.empty()) throw input_error.of_file(path, "holds no file");
  return files;
}

const std::string& file_named(const FilesByName& files, const std::string& name, const std::string& path) {
  const auto found = files.find(name);
  if (found == files.end()) throw input_error.of_file(path, "has no file called {}", name);
  return found->second;
}

PairedFiles pair_files(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                       std::vector<std::string>& notes) {
  const std::string& truth_path = cloud.truth_files[0];
  PairedFiles files{files_at(cloud.cloud_file), files_at(truth_path)};
  const bool one_truth = files.truth.contains("");
  if (files.predicted.contains("") != one_truth)
    throw usage_error("--protocol {}: {} is a folder, {} is not", request.protocol,
                      one_truth ? cloud.cloud_file : truth_path, one_truth ? truth_path : cloud.cloud_file);
  for (const auto& [name, file] : files.predicted) file_named(files.truth, name, truth_path);
  if (files.truth.size() > files.predicted.size())
    notes.push_back(fmt::format("{} of the {} files in {} have no prediction and do not count",
                                files.truth.size() - files.predicted.size(), files.truth.size(), truth_path));
  return files;
}

}  // namespace aqbench
