#include "cli/list_datasets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"
#include "harness/project/project_use.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench::cli {
namespace {

// Says what the folder of a dataset holds, or why it cannot be read.
std::string dataset_summary(const ProjectDataset& dataset, const std::filesystem::path& base) {
  try {
    const Recording recording = read_recording(dataset.directory, KnownCameras::optional);
    const RecordingTruth truth =
        find_recording_truth(recording, {dataset.truth, base, dataset.where + ".truth"});
    return fmt::format("{}: layout {}, {}", dataset.directory.string(), to_string(recording.layout),
                       content_text(recording, truth));
  } catch (const Error& error) {
    return fmt::format("cannot be read: {}", one_line(error.what()));
  }
}

}  // namespace

Json datasets_json(const std::optional<Project>& project) {
  Json list = Json::array();
  if (!project) return list;
  for (const ProjectDataset& dataset : project->datasets)
    list.push_back({{"name", dataset.name},
                    {"summary", dataset_summary(dataset, project->dir)},
                    {"directory", dataset.directory.string()}});
  return list;
}

void keep_dataset(const std::string& given, std::optional<Project>& project) {
  const PlacedDataset placed = place_dataset(project, given);
  if (!project) project.emplace();
  std::error_code unknown;
  std::erase_if(project->datasets, [&](const ProjectDataset& one) {
    return !std::filesystem::equivalent(one.directory, placed.directory, unknown);
  });
  if (project->datasets.empty())
    project->datasets.push_back({given, placed.directory, {}, "dataset " + given});
}

}  // namespace aqbench::cli
