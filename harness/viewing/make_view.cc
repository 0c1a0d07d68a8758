#include "harness/viewing/make_view.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json.h"
#include "core/morton.h"
#include "core/quantiles.h"
#include "harness/viewing/camera_rays.h"
#include "metrics/scored_points.h"

namespace aqbench {
namespace {

constexpr double kMillimetresPerMetre = 1000;
constexpr double kFar_m = 10;  // of what a view of a patch shows, along each axis
constexpr double kFarMedians =
    10;  // of any other view, where that is more: times the points' median distance
constexpr double kGreatest_m = 5000;  // that the steps of a file can hold
constexpr int kTruthColumns = 96;

double rounded(double value, double step) { return std::round(value / step) * step; }

// The patch's origin in whole millimetres; without a patch, the origin of the world.
Vec3 view_origin_m(const Surface& truth) {
  const Patch* const patch = truth.patch();
  if (patch == nullptr) return Vec3::Zero();
  const double x = 0.5 * (patch->x_min_m + patch->x_max_m), y = 0.5 * (patch->y_min_m + patch->y_max_m);
  const double z = truth.is_height_field() ? static_cast<const HeightField&>(truth).jet(x, y).z : 0;
  return {rounded(x, 1e-3), rounded(y, 1e-3), rounded(z, 1e-3)};
}

CloudView empty_view(const Vec3& origin_m) {
  CloudView view;
  for (int axis = 0; axis < 3; ++axis)
    view.origin_mm[static_cast<std::size_t>(axis)] = rounded(origin_m[axis] * kMillimetresPerMetre, 1);
  return view;
}

GridPoint grid_point(const Vec3& point_m, const Vec3& origin_m) {
  GridPoint found{};
  for (int axis = 0; axis < 3; ++axis)
    found[static_cast<std::size_t>(axis)] = static_cast<std::int32_t>(
        std::lround((point_m[axis] - origin_m[axis]) * kMillimetresPerMetre / kViewStep_mm));
  return found;
}

// Surface neighbours are neighbours in this (Morton) order, so differences are small and every n-th point is
// an even choice.
std::vector<std::uint32_t> order_on_surface(const std::vector<GridPoint>& points) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> codes(points.size());
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const auto shifted = [](std::int32_t value) { return static_cast<std::uint32_t>(value + (1 << 19)); };
    codes[i] = {morton_encode(shifted(points[i][0]), shifted(points[i][1]), 0), i};
  }
  std::ranges::sort(codes);
  std::vector<std::uint32_t> order(points.size());
  std::ranges::transform(codes, order.begin(), [](const auto& code) { return code.second; });
  return order;
}

// Courtyards and streets are larger than a tank.
double greatest_distance_m(const std::vector<Vec3>& points_m, const Surface& truth, const Vec3& origin_m) {
  if (truth.patch() != nullptr) return kFar_m;
  std::vector<double> distances_m;
  for (const Vec3& point : points_m)
    if (point.allFinite()) distances_m.push_back((point - origin_m).cwiseAbs().maxCoeff());
  if (distances_m.empty()) return kFar_m;
  const double median_m = upper_median_in_place(std::span(distances_m));
  return std::min(kGreatest_m, std::max(kFar_m, kFarMedians * median_m));
}

// Indices of the scored points that are near enough to be drawn.
std::vector<std::uint32_t> candidates(const std::vector<Vec3>& points_m, const Surface& truth,
                                      const Vec3& origin_m, CloudView& view) {
  const Patch* const patch = truth.patch();
  const double far_m = greatest_distance_m(points_m, truth, origin_m);
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < points_m.size(); ++i) {
    const Vec3& point = points_m[i];
    if (!point.allFinite() || (patch != nullptr && !patch->contains(point.x(), point.y()))) continue;
    ++view.scored;
    if ((point - origin_m).cwiseAbs().maxCoeff() > far_m)
      ++view.far;
    else
      found.push_back(i);
  }
  return found;
}

// The middle of the finite points, by the median of each coordinate, in whole millimetres.
Vec3 middle_of(const std::vector<Vec3>& points_m) {
  Vec3 middle = Vec3::Zero();
  std::vector<double> values;
  for (int axis = 0; axis < 3; ++axis) {
    values.clear();
    for (const Vec3& point : points_m)
      if (point.allFinite()) values.push_back(point[axis]);
    if (!values.empty()) middle[axis] = rounded(upper_median_in_place(std::span(values)), 1e-3);
  }
  return middle;
}

// The indices of the points in the order of their neighbourhood.
std::vector<std::uint32_t> neighbours_first(const std::vector<Vec3>& points_m,
                                            const std::vector<std::uint32_t>& chosen, const Vec3& origin_m) {
  std::vector<GridPoint> grid;
  for (const std::uint32_t i : chosen) grid.push_back(grid_point(points_m[i], origin_m));
  std::vector<std::uint32_t> order = order_on_surface(grid);
  for (std::uint32_t& place : order) place = chosen[place];
  return order;
}

Json truth_json(const Surface& truth, const Vec3& origin_m) {
  const Patch* const patch = truth.patch();
  if (patch == nullptr || !truth.is_height_field()) return nullptr;
  const auto& field = static_cast<const HeightField&>(truth);
  const double width_m = patch->x_max_m - patch->x_min_m, height_m = patch->y_max_m - patch->y_min_m;
  const int columns = kTruthColumns;
  const int rows = std::clamp(static_cast<int>(std::lround(columns * height_m / width_m)), 2, 4 * columns);
  std::vector<std::int64_t> heights;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const double x = patch->x_min_m + width_m * column / (columns - 1),
                   y = patch->y_min_m + height_m * row / (rows - 1);
      heights.push_back(
          std::llround((field.jet(x, y).z - origin_m.z()) * kMillimetresPerMetre / kViewStep_mm));
    }
  const auto mm = [&](double value_m, int axis) {
    return rounded((value_m - origin_m[axis]) * kMillimetresPerMetre, 1e-3);
  };
  return {{"columns", columns},
          {"rows", rows},
          {"x_mm", {mm(patch->x_min_m, 0), mm(patch->x_max_m, 0)}},
          {"y_mm", {mm(patch->y_min_m, 1), mm(patch->y_max_m, 1)}},
          {"z_steps", heights}};
}

std::string scene_text(Json truth, const Rig* rig, const Vec3& origin_m, Json mesh, CloudView& view) {
  Json scene = {{"truth", std::move(truth)}};
  if (!mesh.is_null()) scene["mesh"] = std::move(mesh);
  if (rig != nullptr) {
    scene["cameras"] = add_camera_rays(*rig, view);
    if (const auto water = level_water(*rig))
      scene["water_z_mm"] = rounded((water->water_z_m - origin_m.z()) * kMillimetresPerMetre, 1e-2);
  }
  return scene.dump();
}

// Surface points at the same x and y, or the closest ones of a mesh: a point beside the surface would be
// hidden by it.
std::vector<Vec3> on_surface(std::vector<Vec3> points_m, const Surface& truth) {
  if (!truth.is_height_field()) {
    std::vector<ClosestPoint> closest(points_m.size());
    truth.closest_points(points_m, closest);
    std::ranges::transform(closest, points_m.begin(), &ClosestPoint::position_m);
    return points_m;
  }
  const auto& field = static_cast<const HeightField&>(truth);
  for (Vec3& point : points_m) point.z() = field.jet(point.x(), point.y()).z;
  return points_m;
}

std::uint8_t mark_of(int views, float confidence) {
  const int seen = views < 0 ? kUnknownMark : std::min(views, 14);
  const bool known = confidence >= 0 && confidence <= 1;
  return static_cast<std::uint8_t>(seen | (known ? static_cast<int>(std::lround(14 * confidence)) : 15) << 4);
}

bool is_near(const Vec3& point_m, const Vec3& origin_m) {
  return point_m.allFinite() && (point_m - origin_m).cwiseAbs().maxCoeff() <= kFar_m;
}

// Adds the triangles whose corners are near and `counted`, at most `most` of them, and returns their
// description for the page: the number of triangles, of kept ones, and how far vertices were moved. `codes`
// are those of the vertices.
Json add_mesh(const TriangleMesh& mesh, const std::vector<bool>& counted,
              const std::vector<std::int8_t>& codes, const Vec3& origin_m, std::size_t most,
              CloudView& view) {
  if (most == 0) return {{"triangles", mesh.triangles.size()}, {"kept", 0}};
  TriangleMesh part{mesh.vertices_m, {}};
  for (const auto& triangle : mesh.triangles)
    if (std::ranges::all_of(triangle, [&](std::uint32_t corner) {
          return counted[corner] && is_near(mesh.vertices_m[corner], origin_m);
        }))
      part.triangles.push_back(triangle);
  const SimplifiedMesh simple = simplify_mesh(part, most);
  std::vector<bool> is_used(mesh.vertices_m.size(), false);
  for (const auto& triangle : simple.triangles)
    for (const std::uint32_t corner : triangle) is_used[corner] = true;
  std::vector<std::uint32_t> place(mesh.vertices_m.size(), 0);
  for (std::uint32_t i = 0; i < is_used.size(); ++i) {
    if (!is_used[i]) continue;
    place[i] = static_cast<std::uint32_t>(view.vertices.size());
    view.vertices.push_back(grid_point(mesh.vertices_m[i], origin_m));
    view.vertex_errors.push_back(codes[i]);
  }
  for (const auto& triangle : simple.triangles)
    view.triangles.push_back({place[triangle[0]], place[triangle[1]], place[triangle[2]]});
  return {{"triangles", part.triangles.size()},
          {"kept", simple.triangles.size()},
          {"moved_mm", std::ceil(simple.moved_m * kMillimetresPerMetre * 1e3) / 1e3}};
}

// Vertices outside the patch have no error of their own: their triangles are left out.
Json add_scored_mesh(const TriangleMesh& mesh, const Surface& truth, const Vec3& origin_m, std::size_t most,
                     CloudView& view) {
  std::vector<bool> in_patch(mesh.vertices_m.size(), false);
  std::vector<std::int8_t> codes(mesh.vertices_m.size(), 0);
  if (most > 0) {
    const ScoredPoints scored = score_points(mesh.vertices_m, truth);
    for (std::size_t k = 0; k < scored.index.size(); ++k) {
      in_patch[scored.index[k]] = true;
      codes[scored.index[k]] = error_code(scored.signed_error_m[k] * kMillimetresPerMetre);
    }
  }
  return add_mesh(mesh, in_patch, codes, origin_m, most, view);
}

void add_holes(const ViewHoles& holes, const Vec3& origin_m, std::size_t most, CloudView& view) {
  std::vector<GridPoint> points;
  std::vector<std::uint8_t> causes;
  for (std::size_t i = 0; i < holes.positions_m.size(); i += stride_for(holes.positions_m.size(), most)) {
    points.push_back(grid_point(holes.positions_m[i], origin_m));
    causes.push_back(holes.causes[i]);
  }
  for (const std::uint32_t i : order_on_surface(points)) {
    view.holes.push_back(points[i]);
    view.causes.push_back(causes[i]);
  }
}

}  // namespace

CloudView make_view(const Reconstruction& reconstruction, const Surface& truth, const Rig* rig,
                    const ViewHoles& holes,
                    const std::function<std::vector<int>(std::span<const Vec3>)>& count_views,
                    const ViewLimits& limits) {
  const PointCloud& cloud = reconstruction.cloud;
  const Vec3 origin_m = view_origin_m(truth);
  CloudView view = empty_view(origin_m);
  const std::vector<std::uint32_t> order =
      neighbours_first(cloud.points_m, candidates(cloud.points_m, truth, origin_m, view), origin_m);
  const std::size_t every = stride_for(order.size(), limits.points);
  std::vector<Vec3> shown_m;
  std::vector<std::uint32_t> source;
  for (std::size_t k = 0; k < order.size(); k += every) {
    source.push_back(order[k]);
    shown_m.push_back(cloud.points_m[order[k]]);
    view.points.push_back(grid_point(shown_m.back(), origin_m));
  }
  const ScoredPoints scored = score_points(shown_m, truth);
  std::vector<int> seen;
  if (count_views) seen = count_views(on_surface(shown_m, truth));
  for (std::size_t k = 0; k < shown_m.size(); ++k) {
    view.errors.push_back(error_code(scored.signed_error_m.at(k) * kMillimetresPerMetre));
    view.marks.push_back(
        mark_of(seen.empty() ? -1 : seen[k], cloud.confidence.empty() ? -1 : cloud.confidence[source[k]]));
    if (!cloud.colours.empty()) view.colours.push_back(colour_code(cloud.colours.at(source[k])));
  }
  add_holes(holes, origin_m, limits.holes, view);
  Json mesh;
  if (reconstruction.mesh && !reconstruction.mesh->triangles.empty())
    mesh = add_scored_mesh(*reconstruction.mesh, truth, origin_m, limits.triangles, view);
  view.scene_json = scene_text(truth_json(truth, origin_m), rig, origin_m, std::move(mesh), view);
  return view;
}

std::vector<std::uint32_t> spread_points(const PointCloud& cloud, std::size_t most) {
  const Vec3 origin_m = middle_of(cloud.points_m);
  std::vector<std::uint32_t> finite, chosen;
  for (std::uint32_t i = 0; i < cloud.points_m.size(); ++i)
    if (is_near(cloud.points_m[i], origin_m)) finite.push_back(i);
  const std::vector<std::uint32_t> order = neighbours_first(cloud.points_m, finite, origin_m);
  for (std::size_t k = 0; k < order.size(); k += stride_for(order.size(), most)) chosen.push_back(order[k]);
  return chosen;
}

CloudView make_view_without_truth(const Reconstruction& reconstruction, const UnscoredPoints& points,
                                  const Rig* rig, const ViewLimits& limits) {
  const PointCloud& cloud = reconstruction.cloud;
  const Vec3 origin_m = middle_of(cloud.points_m);
  CloudView view = empty_view(origin_m);
  view.is_agreement = true;
  for (const Vec3& point : cloud.points_m) {
    view.scored += point.allFinite() ? 1 : 0;
    view.far += point.allFinite() && !is_near(point, origin_m) ? 1 : 0;
  }
  for (std::size_t k = 0; k < points.index.size(); ++k) {
    const std::uint32_t i = points.index[k];
    if (!is_near(cloud.points_m[i], origin_m)) continue;
    view.points.push_back(grid_point(cloud.points_m[i], origin_m));
    view.errors.push_back(agreement_code(points.agreement.at(k)));
    view.marks.push_back(mark_of(points.views.at(k), cloud.confidence.empty() ? -1 : cloud.confidence[i]));
    if (!cloud.colours.empty()) view.colours.push_back(colour_code(cloud.colours.at(i)));
  }
  Json mesh;
  if (reconstruction.mesh && !reconstruction.mesh->triangles.empty()) {
    const std::size_t vertices = reconstruction.mesh->vertices_m.size();
    mesh = add_mesh(*reconstruction.mesh, std::vector<bool>(vertices, true),
                    std::vector<std::int8_t>(vertices, agreement_code(std::nan(""))), origin_m,
                    limits.triangles, view);
  }
  view.scene_json = scene_text(nullptr, rig, origin_m, std::move(mesh), view);
  return view;
}

}  // namespace aqbench
