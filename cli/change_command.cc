#include <fmt/format.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/change_picture.h"
#include "cli/change_report.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/text.h"
#include "metrics/change/change.h"
#include "metrics/change/sides.h"
#include "metrics/mesh_metrics.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/length_units.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench::cli {
namespace {

constexpr std::size_t kUsualCores = 100000;

struct ChangeRequest {
  std::filesystem::path before, after;
  double metres_per_unit = 1;
  std::string up = "-z";
  std::optional<double> normal_mm, cylinder_mm, depth_mm, cell_mm;
  double registration_mm = 0;
  std::size_t cores = kUsualCores;
  std::optional<std::filesystem::path> csv, picture;
  std::optional<int> threads;
  bool json = false;
};

const Flag<ChangeRequest> kChangeFlags[] = {
    {"unit", "m|cm|mm|um", "unit of both files",
     [](ChangeRequest& r, const FlagValue& v) { r.metres_per_unit = metres_per_unit(v.text).value(); },
     usually("m")},
    {"up", "+x|-x|+y|-y|+z|-z",
     "up (aqbench's world has +Z down). Heights are measured along it, and growth of an open surface is "
     "positive towards it; growth of a body is positive out of it",
     into<&ChangeRequest::up>, usually("-z")},
    {"normal-mm", "MM", "diameter of the sphere that gives a normal (twice the cylinder's)",
     [](ChangeRequest& r, const FlagValue& v) { r.normal_mm = v.positive(); }},
    {"cylinder-mm", "MM",
     "diameter of the cylinder in which points are averaged (one with about 30 points of the sparser cloud)",
     [](ChangeRequest& r, const FlagValue& v) { r.cylinder_mm = v.positive(); }},
    {"depth-mm", "MM", "the largest distance that is looked for (5 diameters of the cylinder)",
     [](ChangeRequest& r, const FlagValue& v) { r.depth_mm = v.positive(); }},
    {"cell-mm", "MM", "cell of the grid of heights (the cylinder's diameter)",
     [](ChangeRequest& r, const FlagValue& v) { r.cell_mm = v.positive(); }},
    {"registration-mm", "MM", "standard error of the registration of the two states",
     [](ChangeRequest& r, const FlagValue& v) {
       r.registration_mm = v.number<double>();
       if (!(r.registration_mm >= 0 && std::isfinite(r.registration_mm)))
         v.refuse(r.registration_mm, "must not be negative");
     },
     usually("0")},
    {"cores", "N", "most points of BEFORE at which the distance is measured, spread evenly",
     [](ChangeRequest& r, const FlagValue& v) { r.cores = v.at_least<std::size_t>(1); }, usually("100000")},
    {"csv", "FILE.csv", "write each core point with its distance and limit", into<&ChangeRequest::csv>},
    {"picture", "FILE.svg", "draw the significant distances by place", into<&ChangeRequest::picture>},
    {"threads", "N", "threads; changes no number (default: all processors)",
     [](ChangeRequest& r, const FlagValue& v) { r.threads = v.at_least<int>(1); }},
    {"json", nullptr, "print JSON", into<&ChangeRequest::json>},
};

CommandLine<ChangeRequest> change_command_line() {
  return {
      "aqbench change BEFORE AFTER [OPTION]...",
      "Measures how a surface changed between two clouds or meshes of one frame: distances along the normal\n"
      "with their limit of detection (M3C2, Lague et al. 2013), and over a grid of heights volume, area and\n"
      "rugosity with 95 % intervals. A distance beyond its limit is significant; where nothing changed, 5 %\n"
      "of the points are. Noise is judged by the scatter of the points: an error that all points of a state\n"
      "share, as of its registration or scale, is not seen in it (--registration-mm).\n\n"
      "  aqbench change reef_2025.ply reef_2026.ply --unit mm --registration-mm 0.5 --picture change.svg",
      {std::begin(kChangeFlags), std::end(kChangeFlags)},
      {{{.name = "BEFORE"}, into<&ChangeRequest::before>}, {{.name = "AFTER"}, into<&ChangeRequest::after>}}};
}

// One state of the surface, metres.
struct State {
  PointCloud cloud;            // each place once; of a mesh its vertices
  std::vector<Vec3> raised_m;  // with the third coordinate up; of a cloud what looks up
  std::optional<TriangleMesh> raised_mesh;
  StepsOfCloud steps;
};

// Returns the points that have no earlier one at their place.
PointCloud first_points(const PointCloud& cloud) {
  const std::vector<std::uint32_t> first = first_at_place(cloud.points_m);
  PointCloud places;
  for (std::uint32_t i = 0; i < first.size(); ++i) {
    if (first[i] != i) continue;
    places.points_m.push_back(cloud.points_m[i]);
    if (!cloud.normals.empty()) places.normals.push_back(cloud.normals[i]);
  }
  return places;
}

State read_state(const std::filesystem::path& file, double metres_per_unit, const UpAxis& up) {
  GeometryFile read = read_geometry_file(file);
  if (read.cloud.points_m.empty()) throw input_error("{}: has no points", file.string());
  for (Vec3& point : read.cloud.points_m) {
    if (!point.allFinite()) throw input_error("{}: has a point that is not finite", file.string());
    point *= metres_per_unit;
  }
  State state;
  if (read.mesh) {
    TriangleMesh mesh{read.cloud.points_m, std::move(read.mesh->triangles)};
    read.cloud.normals = vertex_normals(mesh, up.vector());
    for (Vec3& vertex : mesh.vertices_m) vertex = up.raised(vertex);
    state.raised_mesh = std::move(mesh);
  }
  state.cloud = first_points(read.cloud);
  state.steps = float_steps_of(state.cloud, metres_per_unit);
  return state;
}

// Heights are those of the upper side: a body's underside lies in the same cells.
void raise_points(State& state, const UpAxis& up) {
  for (std::size_t i = 0; i < state.cloud.points_m.size(); ++i)
    if (state.raised_mesh || state.cloud.normals[i].dot(up.vector()) >= 0)
      state.raised_m.push_back(up.raised(state.cloud.points_m[i]));
}

// Where points lie on a lattice that is coarser than the places at which they are gathered, neither density
// nor cells say anything.
void refuse_coarse_steps(const std::filesystem::path& file, const State& state, int up_axis, double place_m) {
  Vec3 level_m = state.steps.step_m;
  level_m[up_axis] = 0;
  if (!(level_m.maxCoeff() > place_m)) return;
  throw input_error(
      "{}: its coordinates are numbers of 32 bits, which have steps of {:.3g} m, more than a "
      "cylinder or cell of {:.3g} mm: store them as 64 bits, or less an offset, or give larger --cylinder-mm "
      "and --cell-mm",
      printable(file.string()), level_m.maxCoeff(), 1000 * place_m);
}

M3c2Options options_of(const ChangeRequest& request, const State& before, const State& after,
                       const UpAxis& up) {
  M3c2Options options =
      request.cylinder_mm ? M3c2Options{} : m3c2_scales(before.cloud.points_m, after.cloud.points_m);
  if (request.cylinder_mm) options.cylinder_diameter_m = *request.cylinder_mm / 1000;
  options.normal_diameter_m = request.normal_mm ? *request.normal_mm / 1000 : 2 * options.cylinder_diameter_m;
  options.depth_m = request.depth_mm ? *request.depth_mm / 1000 : 5 * options.cylinder_diameter_m;
  options.registration_m = request.registration_mm / 1000;
  options.up = up.vector();
  return options;
}

// Says that the coordinates of a file are too coarse for what is measured.
void warn_of_steps(const std::filesystem::path& file, const StepsOfCloud& steps, const Distances& found,
                   const M3c2Options& options) {
  constexpr double kShare = 0.1;
  const double step_m = steps.step_m.maxCoeff();
  const bool widens = found.measured > 0 && found.median_rounding_m > kShare * found.median_limit_m;
  if (!(step_m > 0 && (widens || step_m > kShare * options.cylinder_diameter_m))) return;
  fmt::print(stderr,
             "aqbench: warning: {}: its {}, which have steps of {:.3g} m: limits of detection hold {}\n",
             printable(file.string()),
             steps.is_float ? "coordinates are numbers of 32 bits" : "heights are rounded numbers", step_m,
             steps.is_float ? "half a step; store them as 64 bits, or less an offset" : "half a step");
}

// The points of `before` at which distances are measured, spread evenly.
std::vector<Vec3> cores_of(const State& before, std::size_t most) {
  std::vector<Vec3> cores_m;
  const std::size_t stride = (before.cloud.points_m.size() + most - 1) / most;
  for (std::size_t i = 0; i < before.cloud.points_m.size(); i += stride)
    cores_m.push_back(before.cloud.points_m[i]);
  return cores_m;
}

void refuse_apart(const State& before, const State& after, const M3c2Options& options) {
  Eigen::AlignedBox3d was, is;
  for (const Vec3& point : before.cloud.points_m) was.extend(point);
  for (const Vec3& point : after.cloud.points_m) is.extend(point);
  if (was.exteriorDistance(is) > options.depth_m)
    throw Error(ErrorKind::input, "BEFORE and AFTER do not overlap; are they in one frame and unit?");
}

}  // namespace

ExitCode change_command(const Arguments& arguments) {
  const auto request = parse(change_command_line(), arguments);
  if (request.threads) set_thread_count(*request.threads);
  const UpAxis up{request.up[1] - 'x', request.up[0] == '+' ? 1.0 : -1.0};
  State before = read_state(request.before, request.metres_per_unit, up);
  State after = read_state(request.after, request.metres_per_unit, up);
  M3c2Options options = options_of(request, before, after, up);
  const double cell_m = request.cell_mm ? *request.cell_mm / 1000 : options.cylinder_diameter_m;
  const double place_m = std::min(cell_m, options.cylinder_diameter_m);
  refuse_coarse_steps(request.before, before, up.axis, place_m);
  refuse_coarse_steps(request.after, after, up.axis, place_m);
  refuse_apart(before, after, options);
  find_sides(before.cloud, after.cloud, up.vector(),
             std::max(before.steps.step_m.maxCoeff(), after.steps.step_m.maxCoeff()));
  for (State* const state : {&before, &after}) {
    add_steps_of_heights(state->cloud, up.axis, state->steps);
    raise_points(*state, up);
  }
  options.step_before_m = before.steps.step_m;
  options.step_after_m = after.steps.step_m;
  const GridPlace place = shared_grid(before.raised_m, after.raised_m, cell_m);
  const auto heights_of = [&](const State& state) {
    const double step_m = state.steps.step_m[up.axis];
    return state.raised_mesh ? heights_of_mesh(*state.raised_mesh, place, step_m)
                             : heights_of_cloud(state.raised_m, place, step_m);
  };
  const HeightChange heights = compare_heights(heights_of(before), heights_of(after), options.registration_m);
  const std::vector<M3c2Change> changes =
      measure_m3c2(before.cloud, after.cloud, cores_of(before, request.cores), options);
  const Distances found = summary_of(changes);
  warn_of_steps(request.before, before.steps, found, options);
  warn_of_steps(request.after, after.steps, found, options);
  if (request.csv) write_file(*request.csv, csv_of(changes));
  if (request.picture)
    write_file(*request.picture,
               change_picture(changes, up,
                              fmt::format("Change from {} to {}", request.before.filename().string(),
                                          request.after.filename().string())));
  if (request.json) {
    print_json(change_json(options, found, heights, cell_m).dump(2) + "\n");
  } else {
    print_distances(options, found);
    print_heights(heights, cell_m);
  }
  return ExitCode::pass;
}

}  // namespace aqbench::cli
