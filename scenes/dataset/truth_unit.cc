#include "scenes/dataset/recording_truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/length_units.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

constexpr std::size_t kPlaces = 500, kNearPlaces = 20000;  // of a file that are looked at
constexpr double kOutOfView = 0.01, kInView = 0.5;
// A rig that is good for anything stands within these many times the distance between its cameras.
constexpr double kNearestBaselines = 0.3, kFarthestBaselines = 30, kTooManyBaselines = 300;

// The position of the surface relative to the cameras in one unit.
struct UnitSight {
  std::string_view unit;
  double seen = 0;        // share of its places that a camera sees
  double distance_m = 0;  // of those, from the nearest camera: the median
  double baselines = 1;   // that distance by the cameras' largest distance from each other
  bool is_wrong() const { return seen < kOutOfView || baselines > kTooManyBaselines; }
  bool is_likely() const {
    return seen >= kInView && baselines >= kNearestBaselines && baselines <= kFarthestBaselines;
  }
  std::string text() const {
    return seen < kOutOfView
               ? fmt::format("in {} no camera sees it", unit)
               : fmt::format("in {} {:.0f} % of it is in view, {:.3g} m away", unit, 100 * seen, distance_m);
  }
};

// Returns places all over the surface, in the file's unit.
std::vector<Vec3> places_of(const GeometryFile& file) {
  std::vector<Vec3> places;
  const std::vector<Vec3>& points = file.cloud.points_m;
  if (!file.mesh) {
    for (std::size_t i = 0; i < kPlaces && !points.empty(); ++i)
      places.push_back(points[i * points.size() / kPlaces]);
  } else {
    const auto& triangles = file.mesh->triangles;
    for (std::size_t i = 0; i < kPlaces && !triangles.empty(); ++i) {
      const auto& [a, b, c] = triangles[i * triangles.size() / kPlaces];
      // Two numbers in 0..1 that fill the square evenly, folded into the triangle.
      double u = std::fmod(0.7548776662 * static_cast<double>(i), 1.0),
             v = std::fmod(0.5698402910 * static_cast<double>(i), 1.0);
      if (u + v > 1) u = 1 - u, v = 1 - v;
      const auto& corners = file.mesh->vertices_m;
      places.push_back(corners[a] + u * (corners[b] - corners[a]) + v * (corners[c] - corners[a]));
    }
  }
  std::erase_if(places, [](const Vec3& place) { return !place.allFinite(); });
  return places;
}

double largest_baseline_m(const Rig& rig) {
  double largest_m = 0;
  for (const Camera& one : rig.cameras)
    for (const Camera& other : rig.cameras)
      largest_m = std::max(
          largest_m,
          (camera_centre_m(one.camera_from_world) - camera_centre_m(other.camera_from_world)).norm());
  return largest_m;
}

UnitSight sight_in(std::string_view unit, const Recording& recording, std::span<const Vec3> places) {
  const double scale = metres_per_unit(unit).value();
  std::vector<RefractiveCamera> cameras;
  for (const Camera& camera : recording.rig.cameras) cameras.push_back(refractive_camera(camera));
  std::vector<double> distances_m;
  for (const Vec3& place : places) {
    const Vec3 place_m = scale * place;
    double nearest_m = std::numeric_limits<double>::infinity();
    for (const RefractiveCamera& camera : cameras)
      if (const auto seen = project(camera, place_m);
          seen && is_in_image(camera, seen->pixel.x(), seen->pixel.y()))
        nearest_m = std::min(nearest_m, (place_m - to_vec3(camera.centre_m)).norm());
    if (std::isfinite(nearest_m)) distances_m.push_back(nearest_m);
  }
  UnitSight sight{unit};
  sight.seen = static_cast<double>(distances_m.size()) / static_cast<double>(places.size());
  if (distances_m.empty()) return sight;
  const auto middle = distances_m.begin() + static_cast<std::ptrdiff_t>(distances_m.size() / 2);
  std::ranges::nth_element(distances_m, middle);
  sight.distance_m = *middle;
  if (const double baseline_m = largest_baseline_m(recording.rig); baseline_m > 0)
    sight.baselines = *middle / baseline_m;
  return sight;
}

// The scans of a project, put into the world; the content of any other file.
std::vector<GeometryFile> parts_of(const std::filesystem::path& file) {
  if (file.extension() != ".mlp") return {read_geometry_file(file)};
  std::vector<GeometryFile> parts;
  for (Scan& scan : read_scans(file)) parts.push_back({std::move(scan.cloud), {}, {}});
  return parts;
}

std::vector<Vec3> places_in_frame(const SurfaceTruth& surface, std::size_t frame) {
  std::vector<Vec3> places;
  for (const std::string& name : surface.files) {
    const std::filesystem::path file = file_of_frame(name, frame);
    for (const GeometryFile& part : parts_of(file)) {
      const std::vector<Vec3> more = places_of(part);
      if (more.empty()) throw input_error.of_file(file, "no points");
      places.insert(places.end(), more.begin(), more.end());
    }
  }
  return places;
}

// A triangle, or a part of one.
using Corners = std::array<Vec3, 3>;

// Adds the centres of the parts of a triangle that lie in the ball and are smaller than a 100th of its
// radius.
void add_near_parts(const Corners& corners, const Vec3& centre, double radius, std::vector<Vec3>& places) {
  std::vector<Corners> waiting = {corners};
  while (!waiting.empty()) {
    const Corners at = waiting.back();
    waiting.pop_back();
    const Vec3 middle = (at[0] + at[1] + at[2]) / 3;
    double reach = 0;
    for (const Vec3& corner : at) reach = std::max(reach, (corner - middle).norm());
    if (!std::isfinite(reach) || (middle - centre).norm() > radius + reach) continue;
    if (reach <= radius / 100) {
      places.push_back(middle);
      continue;
    }
    const Vec3 ab = 0.5 * (at[0] + at[1]), bc = 0.5 * (at[1] + at[2]), ca = 0.5 * (at[2] + at[0]);
    for (const Corners& part :
         {Corners{at[0], ab, ca}, Corners{ab, at[1], bc}, Corners{ca, bc, at[2]}, Corners{ab, bc, ca}})
      waiting.push_back(part);
  }
}

// Returns places of the surface about the cameras, where it would have to be seen: of a large truth they may
// look at a small part.
std::vector<Vec3> places_near_rig(const Recording& recording, const SurfaceTruth& surface,
                                  std::size_t frame) {
  const double scale = metres_per_unit(surface.unit).value();
  const double radius = kFarthestBaselines * largest_baseline_m(recording.rig) / scale;
  const Vec3 centre = camera_centre_m(recording.rig.cameras.front().camera_from_world) / scale;
  std::vector<Vec3> near;
  for (const std::string& name : surface.files) {
    for (const GeometryFile& file : parts_of(file_of_frame(name, frame))) {
      const std::vector<Vec3>& points = file.cloud.points_m;
      if (file.mesh)
        for (const auto& [a, b, c] : file.mesh->triangles)
          add_near_parts({points[a], points[b], points[c]}, centre, radius, near);
      else
        std::ranges::copy_if(points, std::back_inserter(near),
                             [&](const Vec3& point) { return (point - centre).norm() <= radius; });
    }
  }
  std::vector<Vec3> places;
  for (std::size_t i = 0; i < kNearPlaces && !near.empty(); ++i)
    places.push_back(near[i * near.size() / kNearPlaces]);
  return places;
}

// How the true surface of a frame would lie in the unit that is said, where one is, and in the likeliest.
struct UnitSights {
  std::optional<UnitSight> given, likely;
};

UnitSights sights_in_frame(const Recording& recording, const SurfaceTruth& surface, std::size_t frame) {
  const std::vector<Vec3> places = places_in_frame(surface, frame);
  UnitSights sights;
  for (const auto& [unit, words, metres] : kLengthUnits) {
    const UnitSight sight = sight_in(unit, recording, places);
    if (unit == surface.unit) sights.given = sight;
    if (unit == surface.unit && sight.is_wrong()) {
      const std::vector<Vec3> near = places_near_rig(recording, surface, frame);
      UnitSight of_part = near.empty() ? UnitSight{unit} : sight_in(unit, recording, near);
      if (of_part.seen > 0) of_part.seen = std::max(of_part.seen, kOutOfView);
      if (!of_part.is_wrong()) sights.given = of_part;
    }
    if (sight.is_likely() && (!sights.likely || std::abs(std::log(sight.baselines)) <
                                                    std::abs(std::log(sights.likely->baselines))))
      sights.likely = sight;
  }
  return sights;
}

void check_frame(const Recording& recording, const RecordingTruth& truth, std::size_t frame) {
  const auto [given, likely] = sights_in_frame(recording, *truth.surface, frame);
  const std::string file = file_of_frame(truth.surface->files.front(), frame).string();
  if (!given) {
    std::string why = fmt::format("missing; the unit of {} is m, cm, mm or um", file);
    if (likely) why += fmt::format(" Likely {}: {}", likely->unit, likely->text());
    throw input_error("{}: surface.unit: {}", truth.source, why);
  }
  if (given->is_wrong() && likely && likely->unit != given->unit)
    throw input_error("{}: surface.unit: '{}' looks wrong for {}: {}, but {}", truth.source, given->unit,
                      file, given->text(), likely->text());
  if (given->seen == 0)
    throw input_error(
        "{}: surface.unit: no camera sees any of {}; it must be in the cameras' world frame and in '{}'",
        truth.source, file, given->unit);
}

}  // namespace

void check_truth_unit(const Recording& recording, const RecordingTruth& truth) {
  if (!truth.surface || truth.surface->from_depths) return;
  const bool by_frame = std::ranges::any_of(truth.surface->files, [](const std::string& name) {
    return file_of_frame(name, 0) != file_of_frame(name, 1);
  });
  for (std::size_t frame = 0; frame < (by_frame ? recording.images.size() : 1); ++frame)
    check_frame(recording, truth, frame);
}

std::string likelier_truth_unit(const Recording& recording, const RecordingTruth& truth, std::size_t frame) {
  if (!truth.surface || truth.surface->from_depths) return {};
  const auto [given, likely] = sights_in_frame(recording, *truth.surface, frame);
  if (!given || !likely || likely->unit == given->unit) return {};
  return fmt::format("{}: surface.unit: '{}' is likely wrong: {}, but {}", truth.source, given->unit,
                     given->text(), likely->text());
}

}  // namespace aqbench
