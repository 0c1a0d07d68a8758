#include "cli/eval_cloud.h"

#include <fmt/format.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/eval_output.h"
#include "cli/json_output.h"
#include "core/error.h"
#include "core/files.h"
#include "core/table.h"
#include "core/text.h"
#include "metrics/align.h"
#include "metrics/plane_fit.h"
#include "metrics/point_details.h"
#include "metrics/score.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/transform.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/rendering/visibility.h"

namespace aqbench::cli {
namespace {

// ---- Is it worth scoring? ----

using Box = Eigen::AlignedBox3d;

// With a smaller share of points near the scene, a wrong unit or frame is the likely cause.
constexpr double kAlmostNone = 0.01;

std::vector<Vec3> finite_points(const Reconstruction& reconstruction) {
  std::vector<Vec3> finite;
  for (const Vec3& point : reconstruction.cloud.points_m)
    if (point.allFinite()) finite.push_back(point);
  return finite;
}

// Returns the box of the scored region, with room around it for a poor reconstruction.
Box truth_region(const Surface& truth) {
  Box box;
  const Patch* const patch = truth.patch();
  const double coarse_pitch_m = patch != nullptr ? (patch->x_max_m - patch->x_min_m) / 20 : 1.0;
  for (const Vec3& vertex : truth.mesh(coarse_pitch_m).vertices_m) box.extend(vertex);
  const double margin_m = 0.5 * box.diagonal().norm();
  return {box.min() - Vec3::Constant(margin_m), box.max() + Vec3::Constant(margin_m)};
}

double share_inside(const std::vector<Vec3>& points, const Box& box, double scale) {
  const auto inside = std::ranges::count_if(points, [&](const Vec3& p) { return box.contains(p * scale); });
  return static_cast<double>(inside) / static_cast<double>(points.size());
}

void refuse_other_units(const std::vector<Vec3>& points, const Box& region, const std::string& file) {
  struct Unit {
    const char* name;
    const char* flag;
    double metres;
  };
  for (const Unit unit : {Unit{"millimetres", "mm", 1e-3}, Unit{"centimetres", "cm", 1e-2}}) {
    const double share = share_inside(points, region, unit.metres);
    if (share > 0.5)
      throw Error(
          ErrorKind::input,
          fmt::format(
              "{}: coordinates look like {}, not metres ({:.0f} % of the points would then lie in the "
              "scene, now none does); give --unit {}",
              file, unit.name, 100 * share, unit.flag));
  }
}

std::string span_text(const std::vector<Vec3>& points) {
  Box box;
  for (const Vec3& point : points) box.extend(point);
  return fmt::format("x {:.4g} to {:.4g}, y {:.4g} to {:.4g}, z {:.4g} to {:.4g} m", box.min().x(),
                     box.max().x(), box.min().y(), box.max().y(), box.min().z(), box.max().z());
}

// Says before any metric is printed whether a cloud is worth scoring. Returns a warning for the user, empty
// for none, when almost no point lies near the scene. Throws what eval_cloud() says of the file.
std::string check_scorable(const Reconstruction& reconstruction, const Surface& truth,
                           const std::string& file) {
  const std::vector<Vec3>& all = reconstruction.cloud.points_m;
  if (all.empty()) throw Error(ErrorKind::input, file + ": no points");
  const std::vector<Vec3> points = finite_points(reconstruction);
  if (points.empty())
    throw Error(ErrorKind::input, fmt::format("{}: none of its {} points is finite", file, all.size()));

  const Box region = truth_region(truth);
  const double inside = share_inside(points, region, 1.0);
  if (inside < kAlmostNone) refuse_other_units(points, region, file);

  const Patch* const patch = truth.patch();
  const auto scored =
      patch == nullptr
          ? std::ranges::count_if(points, [&](const Vec3& p) { return region.contains(p); })
          : std::ranges::count_if(points, [&](const Vec3& p) { return patch->contains(p.x(), p.y()); });
  const std::string frame_hint =
      "is it in the scene's frame (metres, +Z down into the water)? see --transform";
  if (scored == 0)
    throw Error(ErrorKind::input,
                fmt::format("{}: no point lies where the scene is scored; the cloud spans {}; {}", file,
                            span_text(points), frame_hint));
  if (inside < kAlmostNone)
    return fmt::format("{}: only {:.2g} % of the points lie near the scene; {}", file, 100 * inside,
                       frame_hint);
  return {};
}

// ---- Loading ----

// The cloud in the world frame, and what was done to bring it there.
struct Input {
  Reconstruction reconstruction;
  std::vector<std::string> notes;
  Json transforms = Json::object();
};

Input load_input(const EvalCloudRequest& request, const Surface& truth) {
  Input input;
  input.reconstruction = read_cloud_file(request.cloud_file);
  if (request.metres_per_unit != 1) {
    Eigen::Matrix4d scaling = Eigen::Matrix4d::Identity();
    scaling.topLeftCorner<3, 3>() *= request.metres_per_unit;
    apply(similarity_from_matrix(scaling, "--unit"), input.reconstruction);
  }
  if (!request.transform_file.empty()) {
    const Similarity world_from_cloud = read_similarity(request.transform_file);
    apply(world_from_cloud, input.reconstruction);
    input.transforms["given"] = to_json(world_from_cloud);
    if (std::abs(world_from_cloud.scale - 1) > 1e-9)
      input.notes.push_back(fmt::format("--transform scales by {:.9g}", world_from_cloud.scale));
  }
  const std::string warning = check_scorable(input.reconstruction, truth, request.cloud_file);
  if (!warning.empty()) fmt::print(stderr, "aqbench: warning: {}\n", printable(warning));
  return input;
}

void align_input(Input& input, const Surface& truth) {
  const Alignment alignment = align_icp(input.reconstruction.cloud, truth);
  const Similarity aligned_from_given = similarity_from_matrix(alignment.b_from_a, "--align icp");
  apply(aligned_from_given, input.reconstruction);
  input.transforms["icp"] = to_json(aligned_from_given);
  input.transforms["icp"]["iterations"] = alignment.iterations;
  input.notes.push_back(
      fmt::format("aligned by ICP in {} iterations, rms {:.4g} -> {:.4g} mm: a bias may be hidden; x_world = "
                  "M x_given, M =",
                  alignment.iterations, 1e3 * alignment.rms_before_m, 1e3 * alignment.rms_after_m));
  for (int row = 0; row < 4; ++row)
    input.notes.push_back(fmt::format("  [{:13.9f} {:13.9f} {:13.9f} {:13.9f}]", alignment.b_from_a(row, 0),
                                      alignment.b_from_a(row, 1), alignment.b_from_a(row, 2),
                                      alignment.b_from_a(row, 3)));
}

// ---- Scoring ----

Json views_json(const std::vector<ViewShare>& rows) {
  Json list = Json::array();
  for (const ViewShare& row : rows)
    list.push_back({{"views", row.views},
                    {"surface_pct", row.surface_pct},
                    {"completeness_2mm_pct", row.completeness_pct ? Json(*row.completeness_pct) : Json()}});
  return list;
}

void print_score(const EvalCloudRequest& request, const Scene& scene, const Input& input,
                 const Score& score) {
  fmt::print("{} against {}\n", request.cloud_file, printable(scene.name));
  for (const std::string& note : input.notes) fmt::print("{}\n", printable(note));
  fmt::print("\n");
  print_metrics(score.metrics);
  if (score.by_views.empty()) return;
  Table table;
  table.columns = {
      {"views", Align::right}, {"surface %", Align::right}, {"completeness 2 mm %", Align::right}};
  for (const ViewShare& row : score.by_views)
    table.rows.push_back({{std::to_string(row.views)},
                          {fmt::format("{:.4g}", row.surface_pct)},
                          {row.completeness_pct ? fmt::format("{:.4g}", *row.completeness_pct) : "n/a"}});
  fmt::print(
      "\nby the number of cameras that see a place through the water (auxiliary ones not counted):\n{}",
      render_table(table, wants_colours(STDOUT_FILENO)));
}

Json null_with_reason(const char* reason) { return {{"value", nullptr}, {"reason", reason}}; }

Json plane_json(const std::optional<PlaneFit>& plane) {
  if (!plane) return null_with_reason("no plane: fewer than 3 scored points, or all on a line");
  return {{"normal", {plane->normal.x(), plane->normal.y(), plane->normal.z()}},
          {"centroid_m", {plane->centroid_m.x(), plane->centroid_m.y(), plane->centroid_m.z()}},
          {"definition", "total least-squares plane of the scored points; unit normal towards the cameras"}};
}

Json height_json(const std::optional<HeightDifference>& height) {
  if (!height) return null_with_reason("no scored point, or a truth that is no height field");
  return {
      {"points", height->points},
      {"mean_mm", 1e3 * height->mean_m},
      {"mean_abs_mm", 1e3 * height->mean_abs_m},
      {"rmse_mm", 1e3 * height->rmse_m},
      {"max_abs_mm", 1e3 * height->max_abs_m},
      {"definition",
       "vertical distance of the scored points from the true height at their (x, y), positive towards the "
       "cameras; on a slope it is larger than the distance along the normal"}};
}

Json reprojection_json(const std::optional<ReprojectionError>& error) {
  if (!error) return null_with_reason("no camera has a scored point in its image");
  return {
      {"projections", error->projections},
      {"mean_px", error->mean_px},
      {"median_px", error->median_px},
      {"rmse_px", error->rmse_px},
      {"definition",
       "distance in the undistorted image between a scored point and the closest point of the true surface, "
       "both through the water; over all cameras that are not auxiliary and have both in their image"}};
}

// What the JSON says beyond the metrics, which are the same in every record.
void add_details(const Reconstruction& reconstruction, const Surface& truth, const std::optional<Rig>& rig,
                 Json& effective) {
  const std::vector<Vec3>& points_m = reconstruction.cloud.points_m;
  const ScoredPoints scored = score_points(points_m, truth);
  effective["plane_fit"] = plane_json(fit_plane(points_m, scored.index));
  effective["height_difference"] = height_json(measure_height_difference(points_m, scored, truth));
  if (rig) effective["reprojection"] = reprojection_json(measure_reprojection(points_m, scored, truth, *rig));
}

// Returns the cameras of the request; nullopt where none is known.
std::optional<Rig> request_rig(const EvalCloudRequest& request) {
  if (request.rig.empty() && request.dataset_dir.empty()) return std::nullopt;
  constexpr std::uint64_t kJitterSeed = 42;  // render's default
  return request.rig.empty()
             ? read_calibration(std::filesystem::path(request.dataset_dir) / "calibration.json")
             : make_rig(request.rig, request.overrides, kJitterSeed);
}

// Returns what the cameras see; empty where no camera is known.
ViewCounter request_views(const EvalCloudRequest& request, const Scene& scene,
                          const std::optional<Rig>& rig) {
  if (!rig) return {};
  const ViewCounter views = view_counter(scene, *rig);
  if (!views && !request.views_file.empty())
    throw Error(ErrorKind::usage, "--views: what cameras see is only known of a scene by formula");
  return views;
}

}  // namespace

ExitCode eval_cloud(const EvalCloudRequest& request, const Arguments& arguments) {
  const Scene scene = request.scene.empty() ? read_dataset_scene(request.dataset_dir)
                                            : make_scene(request.scene, request.overrides);
  const Surface& truth = *scene.truth.surface;
  const std::optional<Rig> rig = request_rig(request);
  const ViewCounter views = request_views(request, scene, rig);
  Input input = load_input(request, truth);
  if (request.align) align_input(input, truth);

  const Score score = score_reconstruction(input.reconstruction, truth, ScoreOptions{}, views);
  if (!request.tiles_file.empty()) write_file(request.tiles_file, tiles_to_csv(score.tiles));
  if (!request.views_file.empty()) write_file(request.views_file, views_to_csv(score.by_views));
  if (!request.json) {
    print_score(request, scene, input, score);
    return ExitCode::pass;
  }
  Json effective = {{"transforms", input.transforms}};
  add_details(input.reconstruction, truth, rig, effective);
  if (views) effective["completeness_by_views"] = views_json(score.by_views);
  print_json(eval_results_text(eval_record(scene, request.cloud_file, score.metrics),
                               Json{{"arguments", arguments}}, std::move(effective)));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
