#include "harness/checking/relations.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>
#include <numeric>

#include "core/error.h"
#include "scenes/optics/camera.h"

namespace aqbench {
namespace {

// Takes these cameras with their images, in this order.
Recording with_cameras(const Recording& recording, const std::vector<std::size_t>& order) {
  Recording taken = recording;
  taken.is_whole = false;  // its calibration is written anew
  taken.rig.cameras.clear();
  for (auto& frame : taken.images) frame.clear();
  for (const std::size_t i : order) {
    taken.rig.cameras.push_back(recording.rig.cameras[i]);
    for (std::size_t f = 0; f < recording.images.size(); ++f)
      taken.images[f].push_back(recording.images[f][i]);
  }
  return taken;
}

std::vector<std::size_t> all_cameras(const Recording& recording) {
  std::vector<std::size_t> order(recording.rig.cameras.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// The cameras sorted by their names.
std::vector<std::size_t> by_name(const Recording& recording) {
  std::vector<std::size_t> order = all_cameras(recording);
  std::ranges::sort(order, {}, [&](std::size_t i) { return recording.rig.cameras[i].name; });
  return order;
}

Relation permuted(const Recording& recording) {
  std::vector<std::size_t> order = all_cameras(recording);
  std::ranges::reverse(order);
  return {"permuted", "order of cameras", with_cameras(recording, order), {}, true};
}

Relation renamed(const Recording& recording) {
  Relation relation{"renamed", "camera names", with_cameras(recording, all_cameras(recording)), {}, true};
  const std::vector<std::size_t> order = by_name(recording);
  for (std::size_t place = 0; place < order.size(); ++place)
    relation.recording.rig.cameras[order[place]].name = fmt::format("view{:04}", order.size() - 1 - place);
  return relation;
}

// Changes the world: x_in_changed = scale * rotation * x + shift_m.
Recording in_other_world(const Recording& recording, double scale, const Mat3& rotation,
                         const Vec3& shift_m) {
  Recording changed = with_cameras(recording, all_cameras(recording));
  for (Camera& camera : changed.rig.cameras) {
    CameraFromWorld& pose = camera.camera_from_world;
    pose.rotation = pose.rotation * rotation.transpose();
    pose.translation_m = scale * pose.translation_m - pose.rotation * shift_m;
    if (auto* const water = std::get_if<WaterInterface>(&camera.interface))
      water->water_z_m = scale * water->water_z_m + shift_m.z();
  }
  return changed;
}

Similarity inverse_of(double scale, const Mat3& rotation, const Vec3& shift_m) {
  const Mat3 linear = rotation.transpose() / scale;
  return {linear, -linear * shift_m, 1 / scale};
}

Relation moved(const Recording& recording) {
  Eigen::AlignedBox3d box;
  for (const Camera& camera : recording.rig.cameras) box.extend(camera_centre_m(camera.camera_from_world));
  const double extent_m = box.diagonal().norm();
  const bool dry = is_dry(recording.rig);
  const Vec3 axis = dry ? Vec3(1, 2, 3).normalized() : Vec3::UnitZ();
  const Mat3 rotation = Eigen::AngleAxisd(40 * std::numbers::pi / 180, axis).toRotationMatrix();
  const Vec3 shift_m = extent_m * Vec3(1, -0.5, dry ? 0.25 : 0);
  return {"moved", "world: turned, shifted", in_other_world(recording, 1, rotation, shift_m),
          inverse_of(1, rotation, shift_m)};
}

Relation in_another_unit(const Recording& recording) {
  return {"unit", "lengths x 2", in_other_world(recording, 2, Mat3::Identity(), Vec3::Zero()),
          inverse_of(2, Mat3::Identity(), Vec3::Zero())};
}

Relation doubled(const Recording& recording) {
  std::vector<std::size_t> order = by_name(recording);
  const std::size_t again = order[order.size() / 2];
  order = all_cameras(recording);
  order.push_back(again);
  Relation relation{"doubled",
                    fmt::format("camera {} twice", recording.rig.cameras[again].name),
                    with_cameras(recording, order),
                    {}};
  std::string& name = relation.recording.rig.cameras.back().name;
  do name += "_again";
  while (find_camera(recording.rig, name) != nullptr);
  return relation;
}

}  // namespace

std::vector<Relation> relations_of(const Recording& recording) {
  return {permuted(recording), renamed(recording), moved(recording), in_another_unit(recording),
          doubled(recording)};
}

std::vector<Recording> halves_of(const Recording& recording) {
  constexpr std::size_t kFewestCameras = 6;
  const std::vector<std::size_t> order = by_name(recording);
  if (order.size() < kFewestCameras)
    throw input_error("{} cameras: two halves need {}", order.size(), kFewestCameras);
  std::vector<std::size_t> halves[2];
  for (std::size_t i = 0; i < order.size(); ++i) halves[i % 2].push_back(order[i]);
  return {with_cameras(recording, halves[0]), with_cameras(recording, halves[1])};
}

}  // namespace aqbench
