#include "harness/checking/checks.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <numeric>

#include "core/error.h"
#include "core/quantiles.h"
#include "harness/scoring/agreement.h"
#include "harness/scoring/place_scores.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"

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

std::vector<double> sorted_distances(std::span<const Vec3> from_m, std::span<const Vec3> to_m) {
  std::vector<double> distances(from_m.size());
  NearestNeighbourIndex(to_m).distances(from_m, distances);
  std::ranges::sort(distances);
  return distances;
}

struct PairShift {
  double baseline_m = 0, shift_px = 0;
};

std::vector<PairShift> pair_shifts(std::span<const DepthMap> maps, const Rig& rig) {
  std::vector<PairShift> shifts;
  for (std::size_t i = 0; i < maps.size(); ++i)
    for (std::size_t j = i + 1; j < maps.size(); ++j) {
      const Camera *const a = find_camera(rig, maps[i].camera), *const b = find_camera(rig, maps[j].camera);
      if (a == nullptr || b == nullptr) continue;
      const std::array<DepthMap, 2> two = {maps[i], maps[j]};
      const MetricSet metrics = measure_consistency(two, Rig{{*a, *b}});
      const Metric* const shift = find_metric(metrics, "reprojection_median_px");
      if (shift != nullptr && shift->value)
        shifts.push_back(
            {(camera_centre_m(a->camera_from_world) - camera_centre_m(b->camera_from_world)).norm(),
             *shift->value});
    }
  std::ranges::sort(shifts, {}, &PairShift::baseline_m);
  return shifts;
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

std::optional<BoardScale> scale_by_board(const BoardTruth& board, const Rig& rig) {
  std::map<int, Vec3> corners_m;
  for (const BoardCorner& corner : board.corners) {
    std::vector<WaterRay> rays;
    for (const auto& [name, pixel] : corner.pixels) {
      const Camera* const camera = find_camera(rig, name);
      if (camera == nullptr) throw input_error("board corner {}: there is no camera '{}'", corner.id, name);
      const auto undistorted = Undistorter(camera->intrinsics).undistort_pixel(pixel);
      if (!undistorted) continue;
      if (const auto ray = cast_ray(refractive_camera(*camera), *undistorted)) rays.push_back(*ray);
    }
    if (const auto point = triangulate(rays)) corners_m[corner.id] = *point;
  }
  const BoardSides sides = board_sides(corners_m, board.squares_x);
  if (sides.count == 0 || !(sides.mean_m > 0)) return std::nullopt;
  return BoardScale{board.square_m / sides.mean_m, corners_m.size(), sides.count};
}

CloudDifference cloud_difference(std::span<const Vec3> a_m, std::span<const Vec3> b_m) {
  if (a_m.empty() || b_m.empty()) throw method_error("a cloud is empty");
  const std::vector<double> there = sorted_distances(a_m, b_m), back = sorted_distances(b_m, a_m);
  const auto p95 = [](const std::vector<double>& sorted) {
    return sorted[static_cast<std::size_t>(0.95 * static_cast<double>(sorted.size() - 1))];
  };
  return {std::max(median_of_sorted(there), median_of_sorted(back)), std::max(p95(there), p95(back)),
          a_m.size(), b_m.size()};
}

double extent_m(std::span<const Vec3> points_m) {
  Eigen::AlignedBox3d box;
  for (const Vec3& point : points_m) box.extend(point);
  return box.isEmpty() ? 0 : box.diagonal().norm();
}

double median_spacing_m(std::span<const Vec3> points_m) {
  if (points_m.size() < 2) throw method_error("a cloud has fewer than 2 points");
  constexpr std::size_t kMaxPoints = 20000;
  const NearestNeighbourIndex index(points_m, true);
  std::vector<double> spacings;
  std::vector<NearestNeighbourIndex::Neighbour> nearest;
  for (std::size_t i = 0; i < points_m.size(); i += (points_m.size() + kMaxPoints - 1) / kMaxPoints) {
    index.k_nearest(points_m[i], 2, nearest);
    spacings.push_back((points_m[nearest.back().index] - points_m[i]).norm());
  }
  return median_of(std::move(spacings));
}

std::vector<BaselineGroup> depth_agreement(std::span<const DepthMap> maps, const Rig& rig) {
  const std::vector<PairShift> shifts = pair_shifts(maps, rig);
  const std::size_t count = std::min<std::size_t>(3, shifts.size());
  std::vector<BaselineGroup> groups;
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t first = g * shifts.size() / count, last = (g + 1) * shifts.size() / count;
    std::vector<double> shift_px;
    for (std::size_t i = first; i < last; ++i) shift_px.push_back(shifts[i].shift_px);
    groups.push_back({shifts[first].baseline_m, shifts[last - 1].baseline_m, last - first,
                      median_of(std::move(shift_px))});
  }
  return groups;
}

}  // namespace aqbench
