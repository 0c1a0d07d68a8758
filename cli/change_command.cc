#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/change_picture.h"
#include "cli/options.h"
#include "core/files.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "metrics/change/change.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/length_units.h"
#include "scenes/dataset/recording_truth.h"

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

void read_up(ChangeRequest& request, const FlagValue& value) {
  request.up = value.text;
  if (value.text.size() != 2 || std::string_view("+-").find(value.text[0]) == std::string_view::npos ||
      std::string_view("xyz").find(value.text[1]) == std::string_view::npos)
    value.refuse_text("expected +x, -x, +y, -y, +z or -z");
}

const Flag<ChangeRequest> kChangeFlags[] = {
    {"unit", "m|cm|mm|um", "unit of both files",
     [](ChangeRequest& r, const FlagValue& v) {
       const auto metres = metres_per_unit(v.text);
       if (!metres) v.refuse_text("expected m, cm, mm or um");
       r.metres_per_unit = *metres;
     },
     usually("m")},
    {"up", "AXIS",
     "the direction that counts as growth: +x, -x, +y, -y, +z or -z (aqbench's world has +Z down)", read_up,
     usually("-z")},
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
  std::vector<Vec3> points_m,
      raised_m;  // vertices of a mesh; as in the file, and with the third coordinate up
  std::optional<TriangleMesh> raised_mesh;
};

State read_state(const std::filesystem::path& file, double metres_per_unit, const UpAxis& up) {
  GeometryFile read = read_geometry_file(file);
  State state;
  state.points_m = std::move(read.cloud.points_m);
  if (state.points_m.empty()) throw input_error("{}: has no points", file.string());
  for (Vec3& point : state.points_m) {
    if (!point.allFinite()) throw input_error("{}: has a point that is not finite", file.string());
    point *= metres_per_unit;
    state.raised_m.push_back(up.raised(point));
  }
  if (read.mesh) state.raised_mesh = TriangleMesh{state.raised_m, std::move(read.mesh->triangles)};
  return state;
}

M3c2Options options_of(const ChangeRequest& request, const State& before, const State& after,
                       const UpAxis& up) {
  M3c2Options options = request.cylinder_mm ? M3c2Options{} : m3c2_scales(before.points_m, after.points_m);
  if (request.cylinder_mm) options.cylinder_diameter_m = *request.cylinder_mm / 1000;
  options.normal_diameter_m = request.normal_mm ? *request.normal_mm / 1000 : 2 * options.cylinder_diameter_m;
  options.depth_m = request.depth_mm ? *request.depth_mm / 1000 : 5 * options.cylinder_diameter_m;
  options.registration_m = request.registration_mm / 1000;
  options.up = up.vector();
  return options;
}

// What is found in all core points together.
struct Distances {
  std::size_t cores = 0, measured = 0, up = 0, down = 0;  // up, down: significant
  double median_m = 0, mean_m = 0, median_limit_m = 0;    // of the measured ones
};

Distances summary_of(const std::vector<M3c2Change>& changes) {
  Distances found{.cores = changes.size()};
  std::vector<double> distances, limits;
  for (const M3c2Change& change : changes) {
    if (!std::isfinite(change.distance_m)) continue;
    distances.push_back(change.distance_m);
    limits.push_back(change.limit_m);
    if (change.is_significant()) ++(change.distance_m > 0 ? found.up : found.down);
  }
  found.measured = distances.size();
  if (distances.empty()) return found;
  found.mean_m =
      std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(distances.size());
  found.median_m = median_of(std::move(distances));
  found.median_limit_m = median_of(std::move(limits));
  return found;
}

std::string csv_of(const std::vector<M3c2Change>& changes) {
  std::string text = "x_m,y_m,z_m,nx,ny,nz,distance_mm,limit_mm,points_before,points_after\n";
  const auto field = [](double value_m) {
    return std::isfinite(value_m) ? fmt::format("{}", 1000 * value_m) : "";
  };
  for (const M3c2Change& c : changes)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", c.core_m.x(), c.core_m.y(), c.core_m.z(),
                        c.normal.x(), c.normal.y(), c.normal.z(), field(c.distance_m), field(c.limit_m),
                        c.points_before, c.points_after);
  return text;
}

// ---- The report ----

Json estimate_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  Json json = {{"value", estimate->value}, {"low", nullptr}, {"high", nullptr}};
  if (estimate->low) json["low"] = *estimate->low;
  if (estimate->high) json["high"] = *estimate->high;
  return json;
}

Json change_json(const M3c2Options& options, const Distances& found, const HeightChange& heights,
                 double cell_m) {
  const auto or_null = [&](double value_m) { return found.measured > 0 ? Json(1000 * value_m) : Json(); };
  return {{"scales",
           {{"normal_mm", 1000 * options.normal_diameter_m},
            {"cylinder_mm", 1000 * options.cylinder_diameter_m},
            {"depth_mm", 1000 * options.depth_m},
            {"cell_mm", 1000 * cell_m},
            {"registration_mm", 1000 * options.registration_m}}},
          {"distance",
           {{"cores", found.cores},
            {"measured", found.measured},
            {"significant_up", found.up},
            {"significant_down", found.down},
            {"median_mm", or_null(found.median_m)},
            {"mean_mm", or_null(found.mean_m)},
            {"median_limit_of_detection_mm", or_null(found.median_limit_m)}}},
          {"heights",
           {{"cells", heights.cells},
            {"cells_unmatched", heights.cells_unmatched},
            {"ground_area_m2", heights.ground_area_m2},
            {"volume_m3", heights.cells > 0 ? estimate_json(heights.volume_m3) : Json()},
            {"gained_m3", heights.cells > 0 ? Json(heights.gained_m3) : Json()},
            {"lost_m3", heights.cells > 0 ? Json(heights.lost_m3) : Json()},
            {"area_before_m2", estimate_json(heights.area_before_m2)},
            {"area_after_m2", estimate_json(heights.area_after_m2)},
            {"rugosity_before", estimate_json(heights.rugosity_before)},
            {"rugosity_after", estimate_json(heights.rugosity_after)}}}};
}

// Returns "1.23 (1.2 to 1.26)", or the value alone where its noise is unknown.
std::string estimate_text(const Estimate& estimate, double factor) {
  std::string text = fmt::format("{:.4g}", estimate.value * factor);
  if (estimate.low && estimate.high)
    text += fmt::format(" ({:.4g} to {:.4g})", *estimate.low * factor, *estimate.high * factor);
  return text;
}

void print_heights(const HeightChange& heights, double cell_m) {
  if (heights.cells == 0) {
    fmt::print(
        "heights      none: no cell of {:.3g} mm has 5 points of both clouds; give a larger --cell-mm\n",
        1000 * cell_m);
    return;
  }
  constexpr double kCm3 = 1e6;
  fmt::print(
      "volume       {} cm3 after minus before; gained {:.4g}, lost {:.4g} (over {:.4g} m2, cells of {:.3g} "
      "mm)\n",
      estimate_text(heights.volume_m3, kCm3), heights.gained_m3 * kCm3, heights.lost_m3 * kCm3,
      heights.ground_area_m2, 1000 * cell_m);
  if (heights.area_before_m2)
    fmt::print("area         {} -> {} m2\nrugosity     {} -> {}\n", estimate_text(*heights.area_before_m2, 1),
               estimate_text(*heights.area_after_m2, 1), estimate_text(*heights.rugosity_before, 1),
               estimate_text(*heights.rugosity_after, 1));
  if (heights.cells_unmatched > 0)
    fmt::print("unmatched    {:.1f} % of the cells have one state only\n",
               100.0 * static_cast<double>(heights.cells_unmatched) /
                   static_cast<double>(heights.cells + heights.cells_unmatched));
  if (!heights.volume_m3.low) fmt::print("             a mesh does not show its noise: no intervals\n");
}

void print_distances(const M3c2Options& options, const Distances& found) {
  fmt::print("scales       normal {:.3g} mm, cylinder {:.3g} mm, depth {:.3g} mm\n",
             1000 * options.normal_diameter_m, 1000 * options.cylinder_diameter_m, 1000 * options.depth_m);
  const auto share = [&](std::size_t count, std::size_t of) {
    return of == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(of);
  };
  fmt::print("measured     {} of {} core points ({:.1f} %)\n", found.measured, found.cores,
             share(found.measured, found.cores));
  if (found.measured == 0) return;
  fmt::print("distance     median {:+.3g} mm, mean {:+.3g} mm; limit of detection {:.3g} mm (median)\n",
             1000 * found.median_m, 1000 * found.mean_m, 1000 * found.median_limit_m);
  fmt::print("significant  {:.1f} % up, {:.1f} % down; by chance 5 %\n", share(found.up, found.measured),
             share(found.down, found.measured));
}

}  // namespace

ExitCode change_command(const Arguments& arguments) {
  const auto request = parse(change_command_line(), arguments);
  if (request.threads) set_thread_count(*request.threads);
  const UpAxis up{request.up[1] - 'x', request.up[0] == '+' ? 1.0 : -1.0};
  const State before = read_state(request.before, request.metres_per_unit, up);
  const State after = read_state(request.after, request.metres_per_unit, up);
  const M3c2Options options = options_of(request, before, after, up);
  const double cell_m = request.cell_mm ? *request.cell_mm / 1000 : options.cylinder_diameter_m;
  const GridPlace place = shared_grid(before.raised_m, after.raised_m, cell_m);
  const auto heights_of = [&](const State& state) {
    return state.raised_mesh ? heights_of_mesh(*state.raised_mesh, place)
                             : heights_of_cloud(state.raised_m, place);
  };
  const HeightChange heights = compare_heights(heights_of(before), heights_of(after), options.registration_m);
  std::vector<Vec3> cores_m;
  const std::size_t stride = (before.points_m.size() + request.cores - 1) / request.cores;
  for (std::size_t i = 0; i < before.points_m.size(); i += stride) cores_m.push_back(before.points_m[i]);
  const std::vector<M3c2Change> changes = measure_m3c2(before.points_m, after.points_m, cores_m, options);
  const Distances found = summary_of(changes);
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
