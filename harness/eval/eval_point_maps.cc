#include <fmt/ranges.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <utility>
#include <variant>

#include "core/error.h"
#include "harness/eval/eval_protocol.h"
#include "harness/eval/file_family.h"
#include "scenes/cloud/npy.h"

namespace aqbench {
namespace {

// What a file holds of one side: points, and what may lie beside them in an .npz file. Positions keep the
// digits of doubles: coordinates of a map projection are large.
struct MapSide {
  FileArray points, confidence, mask, z, rays, poses;
  std::vector<double> points_m, pose_values;  // those of `points` and `poses`
};

template <class Value>
void take_values(NpyArray read, const std::string& name, FileArray& array, std::vector<Value>& values) {
  array = {name, std::move(read.shape), {}, read.is_whole};
  std::visit([&](const auto& from) { values.assign(from.begin(), from.end()); }, read.values);
}

template <class Value>
void take_array(const std::string& file, const std::map<std::string, std::string>& arrays,
                std::initializer_list<const char*> names, FileArray& array, std::vector<Value>& values) {
  for (const char* const name : names) {
    const auto found = arrays.find(name);
    if (found == arrays.end()) continue;
    const std::string of_array = file + ": " + name;
    return take_values(read_npy_bytes(found->second, of_array), of_array, array, values);
  }
}

void take_array(const std::string& file, const std::map<std::string, std::string>& arrays,
                std::initializer_list<const char*> names, FileArray& array) {
  std::vector<float> values;
  take_array(file, arrays, names, array, values);
  array.values = std::move(values);
}

// Puts the one view of an array in front, and refuses any other shape than views x height x width (x last).
void take_shape(FileArray& array, std::size_t last) {
  const std::size_t sizes = last > 1 ? 4 : 3;
  if (array.shape.size() == sizes + 1 && last == 1 && array.shape.back() == 1) array.shape.pop_back();
  if (array.shape.size() == sizes - 1) array.shape.insert(array.shape.begin(), 1);
  if (array.shape.size() != sizes || (last > 1 && array.shape.back() != last))
    throw input_error.of_file(array.file, "{} values: expected views x height x width{}",
                              fmt::join(array.shape, " x "), last > 1 ? " x 3" : "");
}

FileArray read_maps(const std::string& file, std::size_t last) {
  FileArray array = read_file_array(file);
  take_shape(array, last);
  return array;
}

// An angle between rays is that of their ends only if both have the length 1.
void require_unit_rays(const FileArray& rays) {
  for (std::size_t i = 0; i + 2 < rays.values.size(); i += 3) {
    const double length = std::hypot(rays.values[i], rays.values[i + 1], rays.values[i + 2]);
    if (length > 0 && std::isfinite(length) && std::abs(length - 1) > 0.01)
      throw input_error.of_file(rays.file, "ray {} has the length {:.4g}: expected 1", i / 3, length);
  }
}

MapSide read_side(const std::string& file, double metres_per_unit) {
  MapSide side;
  if (file.ends_with(".npz")) {
    const auto arrays = read_npz(file);
    take_array(file, arrays, {"points", "pts3d", "world_points", "point_map", "pointmap"}, side.points,
               side.points_m);
    take_array(file, arrays, {"confidence", "conf"}, side.confidence);
    take_array(file, arrays, {"mask", "valid", "valid_mask"}, side.mask);
    take_array(file, arrays, {"z", "depth", "depth_z"}, side.z);
    take_array(file, arrays, {"rays", "ray_directions"}, side.rays);
    take_array(file, arrays, {"poses", "camera_poses", "world_from_camera"}, side.poses, side.pose_values);
    if (side.points.file.empty()) {
      if (arrays.size() > 1) throw input_error.of_file(file, "holds no array called points");
      take_array(file, arrays, {arrays.begin()->first.c_str()}, side.points, side.points_m);
    }
  } else {
    take_values(read_npy(file), file, side.points, side.points_m);
  }
  take_shape(side.points, 3);
  for (FileArray* const array : {&side.confidence, &side.mask, &side.z, &side.rays}) {
    if (array->file.empty()) continue;
    take_shape(*array, array == &side.rays ? 3 : 1);
    require_sizes(*array, side.points, 3);
  }
  require_unit_rays(side.rays);
  for (double& value : side.points_m) value *= metres_per_unit;
  for (float& value : side.z.values) value = static_cast<float>(value * metres_per_unit);
  return side;
}

// Reads views x 3 x 4 or views x 4 x 4, world from camera.
std::vector<CameraPose> poses_of(const MapSide& side, double metres_per_unit) {
  const FileArray& array = side.poses;
  std::vector<CameraPose> poses;
  if (array.file.empty()) return poses;
  const auto& shape = array.shape;
  if (shape.size() != 3 || shape[0] != side.points.shape[0] || shape[1] < 3 || shape[1] > 4 || shape[2] != 4)
    throw input_error.of_file(array.file, "{} values: expected {} x 3 x 4 or {} x 4 x 4",
                              fmt::join(shape, " x "), side.points.shape[0], side.points.shape[0]);
  for (std::size_t view = 0; view < shape[0]; ++view) {
    CameraPose pose;
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 4; ++column) {
        const double value = side.pose_values[4 * (shape[1] * view + row) + column];
        (column < 3 ? pose.rotation(row, column) : pose.position_m[row]) =
            column < 3 ? value : value * metres_per_unit;
      }
    if (!pose.rotation.allFinite() || !pose.position_m.allFinite() || pose.rotation.determinant() < 0 ||
        (pose.rotation * pose.rotation.transpose() - Eigen::Matrix3d::Identity()).norm() > 1e-3)
      throw input_error.of_file(array.file, "pose {} is no rotation and translation", view);
    poses.push_back(pose);
  }
  return poses;
}

void take_mask(const FileArray& mask, MapSide& truth) {
  if (mask.file.empty()) return;
  require_sizes(mask, truth.points, 3);
  for (std::size_t i = 0; i < mask.values.size(); ++i)
    if (mask.values[i] == 0) truth.points_m[3 * i] = std::numeric_limits<double>::quiet_NaN();
}

// A pixel that the prediction masks out has none: it has no confidence at all.
void leave_out_masked(MapSide& predicted) {
  const std::vector<float>& mask = predicted.mask.values;
  auto& confidence = predicted.confidence.values;
  if (confidence.empty()) confidence.resize(mask.size(), std::numeric_limits<float>::max());
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i] == 0) confidence[i] = std::numeric_limits<float>::quiet_NaN();
}

// Both sides, and their poses where both have some.
struct MapSides {
  MapSide predicted, truth;
  std::vector<CameraPose> predicted_poses, true_poses;
};

MapSides read_sides(const EvalProtocolRequest& request, const EvalCloudRequest& cloud) {
  MapSides sides{read_side(cloud.cloud_file, cloud.metres_per_unit),
                 read_side(cloud.truth_files[0], cloud.truth_metres_per_unit),
                 {},
                 {}};
  require_sizes(sides.predicted.points, sides.truth.points, 3);
  if (!sides.predicted.poses.file.empty() && !sides.truth.poses.file.empty()) {
    sides.predicted_poses = poses_of(sides.predicted, cloud.metres_per_unit);
    sides.true_poses = poses_of(sides.truth, cloud.truth_metres_per_unit);
  }
  take_mask(sides.truth.mask, sides.truth);
  if (!request.mask_file.empty()) take_mask(read_maps(request.mask_file, 1), sides.truth);
  if (!request.confidence_file.empty()) {
    sides.predicted.confidence = read_maps(request.confidence_file, 1);
    require_sizes(sides.predicted.confidence, sides.truth.points, 3);
  }
  leave_out_masked(sides.predicted);
  return sides;
}

}  // namespace

SearchedFamily open_point_maps(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                               Notes& notes) {
  return searched_family<PointMapKnobs>(point_map_knobs(), [&notes, sides = read_sides(request, cloud)](
                                                               const PointMapKnobs& knobs) {
    const MapSide &predicted = sides.predicted, &truth = sides.truth;
    if (knobs.min_confidence > 0 && predicted.confidence.file.empty())
      throw usage_error("knob min_confidence: needs --confidence");
    const auto& shape = truth.points.shape;
    PointMaps maps{shape[0],           shape[1],       shape[2],
                   predicted.points_m, truth.points_m, predicted.confidence.values};
    if (!predicted.z.file.empty() && !truth.z.file.empty()) {
      maps.predicted_z_m = predicted.z.values;
      maps.true_z_m = truth.z.values;
    }
    if (!predicted.rays.file.empty() && !truth.rays.file.empty()) {
      maps.predicted_rays = predicted.rays.values;
      maps.true_rays = truth.rays.values;
    }
    maps.predicted_poses = sides.predicted_poses;
    maps.true_poses = sides.true_poses;
    const auto is_bad = [](double value) { return !std::isfinite(value); };
    const auto bad = std::ranges::count_if(predicted.points_m, is_bad) +
                     std::ranges::count_if(maps.predicted_z_m, is_bad) +
                     std::ranges::count_if(maps.predicted_rays, is_bad);
    if (bad > 0 && knobs.zero_error)
      notes.push_back(fmt::format(
          "{} predicted values are not finite; as in the published program their errors count as 0", bad));
    return point_map_errors(maps, knobs);
  });
}

}  // namespace aqbench
