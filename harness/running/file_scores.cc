#include "harness/running/file_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "harness/eval/file_family.h"
#include "harness/planning/case_options.h"
#include "harness/scoring/depth_score.h"
#include "harness/scoring/own_poses.h"
#include "harness/scoring/score_case.h"
#include "metrics/protocols/file_protocols.h"
#include "metrics/protocols/pose_protocol.h"
#include "metrics/protocols/pose_sets.h"
#include "pipeline/method/declaration.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/length_units.h"
#include "scenes/cloud/npy.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr float kNoDepth = std::numeric_limits<float>::quiet_NaN();

// What is asked of one protocol of a case.
struct Asked {
  const AskedFileProtocol& protocol;
  const MethodDeclaration* method;  // of a declared one
  const TrueViews& truth;
  const Reconstruction& output;
  fs::path given;    // the file or folder for the protocol; empty: the output has it
  fs::path scratch;  // for true files
  Notes& notes;

  double metres_per_unit() const {
    return method == nullptr ? 1 : aqbench::metres_per_unit(method->unit).value();
  }
};

// ---- True files ----

struct TrueDepths {
  const Camera* camera;
  DepthMap map;
};

std::vector<TrueDepths> true_depths(const TrueViews& truth) {
  std::vector<TrueDepths> all;
  for (const Camera& camera : truth.rig.cameras) {
    if (camera.is_auxiliary || truth.depths_dir.empty()) continue;
    const fs::path file = true_depth_file(truth.depths_dir / "truth", camera.name, truth.frame);
    if (!file.empty()) all.push_back({&camera, read_true_depths(file, camera, {})});
  }
  return all;
}

// The point of each pixel in the world, NaN where there is none.
std::vector<Vec3> points_of(const TrueDepths& depths) {
  const RefractiveCamera view = refractive_camera(*depths.camera);
  std::vector<Vec3> points;
  for (int y = 0; y < depths.map.height; ++y)
    for (int x = 0; x < depths.map.width; ++x) {
      const double depth_m = depths.map.depth_along_ray_m[points.size()];
      const auto ray = has_depth(depth_m) ? cast_ray(view, Vec2(x, y)) : std::nullopt;
      points.push_back(ray ? point_on_ray(*ray, depth_m) : Vec3::Constant(kNoDepth));
    }
  return points;
}

Vec3 in_camera(const Camera& camera, const Vec3& point) {
  return camera.camera_from_world.rotation * point + camera.camera_from_world.translation_m;
}

void require_one_size(const std::vector<TrueDepths>& all, const char* what) {
  for (const TrueDepths& depths : all)
    if (depths.map.width != all[0].map.width || depths.map.height != all[0].map.height)
      throw method_error("{} in one file: cameras {} and {} have images of different sizes", what,
                         all[0].camera->name, depths.camera->name);
}

// Along the ray, or along z of the camera.
std::vector<float> values_of(const TrueDepths& depths, bool along_z) {
  if (!along_z) return depths.map.depth_along_ray_m;
  std::vector<float> values;
  for (const Vec3& point : points_of(depths))
    values.push_back(static_cast<float>(in_camera(*depths.camera, point).z()));
  return values;
}

// A folder of maps by camera, or for one file all of them in the order of the cameras.
fs::path write_true_depths(const std::vector<TrueDepths>& all, bool along_z, bool one_file,
                           const fs::path& scratch) {
  std::vector<float> stack;
  std::vector<std::size_t> shape;
  for (const TrueDepths& depths : all) {
    const std::vector<float> values = values_of(depths, along_z);
    shape = {static_cast<std::size_t>(depths.map.height), static_cast<std::size_t>(depths.map.width)};
    if (!one_file) write_npy(scratch / "true_depths" / (depths.camera->name + ".npy"), values, shape);
    stack.insert(stack.end(), values.begin(), values.end());
  }
  if (!one_file) return scratch / "true_depths";
  require_one_size(all, "depth maps");
  if (all.size() > 1) shape.insert(shape.begin(), all.size());
  write_npy(scratch / "true_depths.npy", stack, shape);
  return scratch / "true_depths.npy";
}

fs::path write_true_points(const std::vector<TrueDepths>& all, bool in_first_camera,
                           const fs::path& scratch) {
  require_one_size(all, "point maps");
  std::vector<double> values;
  for (const TrueDepths& depths : all)
    for (const Vec3& point : points_of(depths)) {
      const Vec3 placed = in_first_camera ? in_camera(*all[0].camera, point) : point;
      values.insert(values.end(), {placed.x(), placed.y(), placed.z()});
    }
  const std::array<std::size_t, 4> shape = {all.size(), static_cast<std::size_t>(all[0].map.height),
                                            static_cast<std::size_t>(all[0].map.width), 3};
  write_npy(scratch / "true_points.npy", std::span<const double>(values), shape);
  return scratch / "true_points.npy";
}

// ---- Families ----

SearchedFamily open_files(const Asked& asked, const fs::path& predicted, const fs::path& truth) {
  EvalProtocolRequest request;
  request.protocol = asked.protocol.protocol->name;
  if (asked.method != nullptr && asked.method->metres_per_count > 0)
    request.metres_per_count = asked.method->metres_per_count;
  EvalCloudRequest files;
  files.cloud_file = predicted.string();
  if (!asked.given.empty()) files.metres_per_unit = asked.metres_per_unit();
  files.truth_files = {truth.string()};
  return file_families()[static_cast<std::size_t>(asked.protocol.family->kind)].open(request, files,
                                                                                     asked.notes);
}

std::optional<SearchedFamily> open_depth_maps(const Asked& asked) {
  const std::vector<TrueDepths> all = true_depths(asked.truth);
  if (all.empty()) return std::nullopt;
  make_folders(asked.scratch / "true_depths");
  if (!asked.given.empty())
    return open_files(
        asked, asked.given,
        write_true_depths(all, asked.method->depths_along_z, !folder_exists(asked.given), asked.scratch));
  const fs::path folder = asked.scratch / "depths";  // a map for each camera, as eval asks for it
  make_folders(folder);
  for (const TrueDepths& depths : all) {
    const auto map = std::ranges::find(asked.output.depth_maps, depths.camera->name, &DepthMap::camera);
    const bool has_map = map != asked.output.depth_maps.end();
    const DepthMap& of = has_map ? *map : depths.map;
    const std::array<std::size_t, 2> shape = {static_cast<std::size_t>(of.height),
                                              static_cast<std::size_t>(of.width)};
    const std::vector<float> none(of.depth_along_ray_m.size(), kNoDepth);
    write_npy(folder / (depths.camera->name + ".npy"),
              std::span<const float>(has_map ? map->depth_along_ray_m : none), shape);
  }
  return open_files(asked, folder, write_true_depths(all, false, false, asked.scratch));
}

std::optional<SearchedFamily> open_points(const Asked& asked) {
  const std::vector<TrueDepths> all = true_depths(asked.truth);
  if (all.empty()) return std::nullopt;
  const std::string align = asked.protocol.value_of("align");
  return open_files(asked, asked.given,
                    write_true_points(all, align == "scale_shift" || align == "norm", asked.scratch));
}

std::optional<SearchedFamily> open_held_out(const Asked& asked) {
  if (asked.truth.held_out.empty()) return std::nullopt;
  const fs::path folder = asked.scratch / "true_images";
  make_folders(folder);
  if (!folder_exists(asked.given))
    throw method_error("{}: expected a folder of images", asked.given.string());
  const FilesByName given = files_at(asked.given.string());
  std::error_code error;
  for (const auto& [camera, image] : asked.truth.held_out) {
    file_named(given, camera.name, asked.given.string());  // none is left out
    fs::create_symlink(image, folder / (camera.name + image.extension().string()), error);
  }
  return open_files(asked, asked.given, folder);
}

// Whether a file of poses is a text whose first word is a number: poses without names.
bool has_no_names(const fs::path& path) {
  if (folder_exists(path) || path.extension() == ".bin" || path.extension() == ".json") return false;
  const std::string text = read_file(path);
  for (const std::string_view line : split_at(text, '\n'))
    if (line.find_first_not_of(" \t\r") != line.npos && line.front() != '#')
      return parse_double(line.substr(0, line.find_first_of(" \t,\r"))).has_value();
  return false;
}

CameraPose pose_of(const Camera& camera) {
  return {camera.camera_from_world.rotation.transpose(), camera_centre_m(camera.camera_from_world)};
}

Trajectory named(const Rig& rig, const std::vector<OwnCamera>& cameras) {
  std::map<std::string, CameraPose> by_name;  // as eval sorts them
  for (const auto& [index, camera] : own_cameras_by_number(rig, cameras))
    by_name[rig.cameras[index].name] = {camera->own_from_camera, camera->centre};
  Trajectory trajectory;
  for (const auto& [name, pose] : by_name) {
    trajectory.names.push_back(name);
    trajectory.poses.push_back(pose);
  }
  return trajectory;
}

SearchedFamily open_poses_of(const Asked& asked) {
  const Rig& rig = asked.truth.rig;
  std::vector<OwnCamera> true_cameras;
  for (const Camera& camera : rig.cameras)
    true_cameras.push_back({camera.name, pose_of(camera).rotation, pose_of(camera).position_m});
  Trajectory truth = named(rig, true_cameras), estimate;
  if (asked.given.empty()) {
    estimate = named(rig, asked.output.own_cameras);
  } else if (has_no_names(asked.given)) {
    estimate = read_trajectory(asked.given);
    truth = {};
    for (const Camera& camera : rig.cameras) truth.poses.push_back(pose_of(camera));
  } else {
    estimate = named(rig, read_camera_poses(asked.given));
  }
  if (!asked.given.empty())
    for (CameraPose& pose : estimate.poses) pose.position_m *= asked.metres_per_unit();
  return searched_family<PoseKnobs>(pose_knobs(), [truth, estimate](const PoseKnobs& knobs) {
    return pose_errors(truth, estimate, knobs);
  });
}

SearchedFamily open_sets_of(const Asked& asked) {
  const Rig& rig = asked.truth.rig;
  PoseSet scene, own;
  for (const Camera& camera : rig.cameras) scene.images.push_back({camera.name, pose_of(camera)});
  for (const OwnCamera& camera : asked.output.own_cameras)
    own.images.push_back({camera.name, {camera.own_from_camera, camera.centre}});
  std::vector<PoseDataset> estimate = {{"", {own}}};
  if (!asked.given.empty()) estimate = read_pose_sets(asked.given);
  if (estimate.size() != 1)
    throw method_error("{}: {} data sets of poses where the case is one", asked.given.string(),
                       estimate.size());
  for (PoseSet& set : estimate[0].sets)
    for (SetImage& image : set.images) {
      image.name = rig.cameras[camera_of(rig, image.name)].name;
      if (!asked.given.empty()) image.pose.position_m *= asked.metres_per_unit();
    }
  const std::vector<PoseDataset> truth = {{estimate[0].name, {scene}}};
  return searched_family<PoseSetKnobs>(pose_set_knobs(), [truth, estimate](const PoseSetKnobs& knobs) {
    return pose_set_errors(truth, estimate, knobs);
  });
}

std::optional<SearchedFamily> open_family(const Asked& asked) {
  switch (asked.protocol.family->kind) {
    case FileKind::depth_maps:
      return open_depth_maps(asked);
    case FileKind::point_maps:
      return open_points(asked);
    case FileKind::images:
      return open_held_out(asked);
    case FileKind::poses:
      return open_poses_of(asked);
    case FileKind::pose_sets:
      return open_sets_of(asked);
    case FileKind::calibrations:
      break;
  }
  return std::nullopt;
}

MetricSet undefined(const AskedFileProtocol& asked, const char* why) {
  MetricSet metrics;
  for (const ProtocolMetric& metric : metrics_of(asked))
    metrics.emplace_back(metric.name, Metric{std::nullopt, metric.unit, metric.better, why});
  return metrics;
}

// The only file or folder of a kind that the method gave; empty: it gave none apart.
fs::path given_file(const fs::path& given_dir, FileKind kind) {
  const std::string name = kind == FileKind::pose_sets ? "poses" : kind_name(kind);
  const std::vector<fs::path> files = entries_of(given_dir / name);
  return files.empty() ? fs::path() : files.front();
}

}  // namespace

MetricSet score_files(const Case& planned, const TrueViews& truth, const Reconstruction& output,
                      const fs::path& given_dir, const fs::path& scratch) {
  MetricSet metrics;
  const MethodSpec method = method_of(planned);
  for (const AskedFileProtocol& asked : case_file_protocols(planned)) {
    const FileKind kind = asked.family->kind;
    if (!gives_files(planned, kind)) continue;
    Notes notes;
    const fs::path given = given_file(given_dir, kind);
    try {
      const auto opened =
          open_family({asked, method.declaration.get(), truth, output, given, scratch, notes});
      add_metrics(opened ? file_protocol_metrics(asked.protocol->name, opened->score(asked.setting))
                         : undefined(asked, kind == FileKind::images ? "no view is held out"
                                                                     : "the dataset has no true depths"),
                  metrics);
    } catch (const Error& error) {
      std::string what = error.what();  // without the place of this run's files
      if (const std::string place = given.parent_path().string() + '/'; !given.empty())
        for (std::size_t at; (at = what.find(place)) != what.npos;) what.erase(at, place.size());
      throw method_error("protocol {}: {}", asked.protocol->name, what);
    }
    for (const std::string& note : notes)
      fmt::print(stderr, "{}: protocol {}: {}\n", printable(planned.name), asked.protocol->name,
                 printable(note));
  }
  return metrics;
}

}  // namespace aqbench
