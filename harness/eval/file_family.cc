#include "harness/eval/file_family.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <variant>

#include "core/files.h"
#include "core/text.h"
#include "metrics/protocols/depth_fusion.h"
#include "metrics/protocols/depth_protocols.h"
#include "metrics/protocols/point_maps.h"
#include "metrics/protocols/pose_protocol.h"
#include "metrics/protocols/pose_sets.h"
#include "metrics/protocols/view_images.h"
#include "scenes/cloud/npy.h"
#include "scenes/cloud/text_lines.h"
#include "scenes/dataset/layouts.h"
#include "scenes/images/image_file.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

Trajectory read_trajectory_in(const std::string& file, double metres_per_unit) {
  Trajectory trajectory = read_trajectory(file);
  for (CameraPose& pose : trajectory.poses) pose.position_m *= metres_per_unit;
  return trajectory;
}

SearchedFamily open_poses(const EvalProtocolRequest&, const EvalCloudRequest& cloud, Notes&) {
  return searched_family<PoseKnobs>(
      pose_knobs(), [truth = read_trajectory_in(cloud.truth_files[0], cloud.truth_metres_per_unit),
                     estimate = read_trajectory_in(cloud.cloud_file, cloud.metres_per_unit)](
                        const PoseKnobs& knobs) { return pose_errors(truth, estimate, knobs); });
}

const FileFamily* family_at(FileKind kind) { return &file_families()[static_cast<std::size_t>(kind)]; }

// The family of an array; of N x 3 and the like, and of points on a grid, none: it is a cloud.
const FileFamily* family_of_array(const std::string& file) {
  const FileArray array = read_file_array(file);
  const std::size_t sizes = array.shape.size(), last = array.shape.back();
  if (sizes == 4 && last == 3) return family_at(FileKind::point_maps);
  if (sizes == 3 && last == 3) {
    const bool shown = std::ranges::all_of(array.values, [](float v) { return v >= 0 && v <= 1; });
    return array.is_whole || shown ? family_at(FileKind::images) : nullptr;
  }
  return sizes < 2 || (sizes == 2 && last < 8) ? nullptr : family_at(FileKind::depth_maps);
}

const FileFamily* family_of_folder(const fs::path& folder) {
  const auto is_model = [](const fs::path& path) {
    return fs::exists(path / "images.bin") || fs::exists(path / "images.txt");
  };
  if (is_model(folder) || is_model(folder / "sparse/0")) return family_at(FileKind::poses);
  for (const fs::path& file : files_in(folder)) {
    if (fs::is_regular_file(file)) return family_of_file(file.string());
    if (is_model(file)) return family_at(FileKind::pose_sets);
  }
  return nullptr;
}

// Text with as many numbers a line as trajectories have.
const FileFamily* family_of_text(const std::string& text) {
  for (const std::string_view line : split_at(text, '\n')) {
    std::string words(line);
    std::ranges::replace(words, ',', ' ');
    if (words.find("rotation_matrix") != words.npos) return family_at(FileKind::pose_sets);
    if (trim_blanks(words).empty() || words.front() == '#') continue;
    std::size_t numbers = 0;
    for (const std::string_view word : split_at(trim_blanks(words), ' ')) {
      if (trim_blanks(word).empty()) continue;
      if (!parse_double(trim_blanks(word))) return nullptr;
      ++numbers;
    }
    return numbers == 8 || numbers == 12 || numbers == 13 || numbers == 17 ? family_at(FileKind::poses)
                                                                           : nullptr;
  }
  return nullptr;
}

}  // namespace

std::span<const FileFamily> file_families() {
  static const std::vector<FileFamily> families = [] {
    constexpr std::array open = {open_depths, open_point_maps, open_images, open_poses, open_pose_sets};
    std::vector<FileFamily> all;
    for (const FileProtocolFamily& family : file_protocol_families())
      all.push_back(
          {family, family.kind == FileKind::poses ? kEvalPoses : kEvalDepthFiles, open[all.size()]});
    // Not of sweeps: what a method gives is no calibration.
    all.push_back({file_protocol_family<CalibrationKnobs>(FileKind::calibrations, calibration_protocols(),
                                                          calibration_knobs(), {}),
                   kEvalCalibration, open_calibrations});
    all.push_back(
        {file_protocol_family<FusionKnobs>(FileKind::calibrations, fusion_protocols(), fusion_knobs(), {}),
         kEvalDepthFiles, open_fused_depths});
    return all;
  }();
  return families;
}

const FileFamily* family_of_protocol(std::string_view name) {
  for (const FileFamily& family : file_families())
    for (const FileProtocol& protocol : family.protocols)
      if (protocol.name == name) return &family;
  return nullptr;
}

const FileFamily* family_of_file(const std::string& path) {
  if (folder_exists(path)) return family_of_folder(path);
  const std::string ending = lower_case(fs::path(path).extension().string());
  if (ending == ".npz") return family_at(FileKind::point_maps);
  if (ending == ".npy") return family_of_array(path);
  if (ending == ".pfm" || ending == ".exr") return family_at(FileKind::depth_maps);
  if (ending == ".json" || fs::path(path).filename() == "images.bin") return family_at(FileKind::poses);
  const std::string bytes = read_file(path);
  if (is_image_name(path))
    return family_at(inspect_image(bytes, path).bits == 8 ? FileKind::images : FileKind::depth_maps);
  for (const char* const text : {".txt", ".csv", ".tum", ".log", ""})
    if (ending == text) return family_of_text(bytes);
  return nullptr;
}

FileArray read_file_array(const std::string& file) {
  NpyArray read = read_npy(file);
  FileArray array{file, std::move(read.shape), {}, read.is_whole};
  std::visit([&](const auto& values) { array.values.assign(values.begin(), values.end()); }, read.values);
  return array;
}

void require_sizes(const FileArray& array, const FileArray& truth, std::size_t sizes) {
  for (std::size_t i = 0; i < sizes; ++i)
    if (array.shape.size() < sizes || truth.shape.size() < sizes || array.shape[i] != truth.shape[i])
      throw input_error.of_file(array.file, "{} values where {} has {}", fmt::join(array.shape, " x "),
                                truth.file, fmt::join(truth.shape, " x "));
}

}  // namespace aqbench
