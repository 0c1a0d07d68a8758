#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "harness/eval/eval_protocol.h"
#include "harness/eval/file_family.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/text_lines.h"
#include "scenes/dataset/layouts.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

template <class Named>
Named& named(std::vector<Named>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Named::name);
  if (found != all.end()) return *found;
  all.push_back({std::string(name), {}});
  return all.back();
}

// The columns of a table, -1 where there is none.
struct SetColumns {
  std::array<int, 5> place = {-1, -1, -1, -1, -1};  // dataset, scene, image, rotation, translation
  std::size_t count = 0;
};

SetColumns columns_of(const TextLines& lines, std::string_view header) {
  SetColumns columns;
  for (const std::string_view word : split_at(header, ',')) {
    const std::string_view name = trim_blanks(word);
    const int place = static_cast<int>(columns.count++);
    if (name == "dataset") columns.place[0] = place;
    if (name == "scene") columns.place[1] = place;
    if (name == "image" || name == "image_path") columns.place[2] = place;
    if (name == "rotation_matrix") columns.place[3] = place;
    if (name == "translation_vector") columns.place[4] = place;
  }
  if (std::ranges::any_of(columns.place.begin() + 1, columns.place.end(), [](int p) { return p < 0; }))
    lines.fail("expected the columns scene, image, rotation_matrix, translation_vector");
  return columns;
}

template <std::size_t N>
std::array<double, N> read_semicolons(const TextLines& lines, std::string_view field, const char* what) {
  const auto words = split_at(field, ';');
  if (words.size() != N) lines.fail("{}: {} numbers, expected {}", what, words.size(), N);
  std::array<double, N> numbers{};
  for (std::size_t i = 0; i < N; ++i) numbers[i] = lines.number(trim_blanks(words[i]), what);
  return numbers;
}

CameraPose pose_of_row(const TextLines& lines, std::string_view rotation, std::string_view translation) {
  const auto r = read_semicolons<9>(lines, rotation, "rotation_matrix");
  const auto t = read_semicolons<3>(lines, translation, "translation_vector");
  CameraPose pose;
  Eigen::Matrix3d camera_from_world;
  camera_from_world << r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8];
  if (!camera_from_world.allFinite() || !Vec3(t[0], t[1], t[2]).allFinite()) {
    pose.position_m.setConstant(std::numeric_limits<double>::quiet_NaN());
    return pose;
  }
  const double off = (camera_from_world * camera_from_world.transpose() - Eigen::Matrix3d::Identity()).norm();
  if (off > 1e-3 || camera_from_world.determinant() < 0) lines.fail("rotation_matrix: not a rotation");
  pose.rotation = camera_from_world.transpose();
  pose.position_m = -(pose.rotation * Vec3(t[0], t[1], t[2]));
  return pose;
}

std::vector<PoseDataset> read_table(const fs::path& path) {
  const std::string bytes = read_file(path);
  TextLines lines(bytes, path.string());
  std::string_view line;
  std::vector<PoseDataset> datasets;
  std::set<std::string> seen;
  if (!lines.next_content(line)) lines.fail("is empty");
  const SetColumns columns = columns_of(lines, line);
  while (lines.next_content(line)) {
    const auto fields = split_at(line, ',');
    if (fields.size() != columns.count)
      lines.fail("{} columns where the first line has {}", fields.size(), columns.count);
    const auto field = [&](std::size_t column) {
      return columns.place[column] < 0 ? std::string_view() : trim_blanks(fields[columns.place[column]]);
    };
    if (!seen.insert(fmt::format("{},{},{}", field(0), field(1), field(2))).second)
      lines.fail("{} comes twice in {}", field(2), field(1));
    named(named(datasets, field(0)).sets, field(1))
        .images.push_back({std::string(field(2)), pose_of_row(lines, field(3), field(4))});
  }
  return datasets;
}

PoseSet set_of(std::string name, const fs::path& path) {
  PoseSet set{std::move(name), {}};
  for (const OwnCamera& camera : read_camera_poses(path))
    set.images.push_back({camera.name, {camera.own_from_camera, camera.centre}});
  return set;
}

bool is_model(const fs::path& folder) {
  return fs::exists(folder / "images.bin") || fs::exists(folder / "images.txt");
}

void scale_sets(std::vector<PoseDataset>& datasets, double metres_per_unit) {
  for (PoseDataset& dataset : datasets)
    for (PoseSet& set : dataset.sets)
      for (SetImage& image : set.images) image.pose.position_m *= metres_per_unit;
}

}  // namespace

std::vector<PoseDataset> read_pose_sets(const fs::path& path) {
  if (!folder_exists(path) && path.extension() == ".csv") return read_table(path);
  PoseDataset dataset;
  if (!folder_exists(path) || is_model(path)) {
    dataset.sets.push_back(set_of("", path));
    return {dataset};
  }
  for (const fs::path& folder : files_in(folder_exists(path / "sparse") ? path / "sparse" : path))
    if (folder_exists(folder) && is_model(folder))
      dataset.sets.push_back(set_of(folder.filename().string(), folder));
  return {dataset};
}

SearchedFamily open_pose_sets(const EvalProtocolRequest& request, const EvalCloudRequest& cloud, Notes&) {
  if (!request.mask_file.empty() || !request.confidence_file.empty())
    throw usage_error("--mask, --confidence: not with sets of poses");
  std::vector<PoseDataset> truth = read_pose_sets(cloud.truth_files[0]),
                           estimate = read_pose_sets(cloud.cloud_file);
  scale_sets(truth, cloud.truth_metres_per_unit);
  scale_sets(estimate, cloud.metres_per_unit);
  for (const PoseDataset& dataset : truth)
    if (dataset.sets.empty()) throw input_error.of_file(cloud.truth_files[0], "holds no model");
  if (truth.empty()) throw input_error.of_file(cloud.truth_files[0], "holds no image");
  return searched_family<PoseSetKnobs>(pose_set_knobs(), [truth, estimate](const PoseSetKnobs& knobs) {
    return pose_set_errors(truth, estimate, knobs);
  });
}

}  // namespace aqbench
