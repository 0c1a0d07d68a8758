#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/eval_charuco.h"
#include "cli/eval_depth.h"
#include "cli/eval_input.h"
#include "cli/eval_output.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/sha256.h"
#include "core/table.h"
#include "metrics/align.h"
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

struct EvalRequest {
  std::string cloud_file, scene;  // scene empty: the dataset's own
  std::string rig, dataset_dir;   // one of them where it shall be known what the cameras see
  std::vector<Override> overrides;
  double metres_per_unit = 1;
  std::string transform_file;
  bool align = false;
  std::string tiles_file, views_file;
  bool json = false;
};

CommandLine eval_command_line() {
  CommandLine line{
      "aqbench eval CLOUD (--scene S | --mesh M.ply | --dataset DIR) [OPTION]...\n"
      "       aqbench eval --depth D.npy --camera NAME --dataset DIR [--unit UNIT] [--json]\n"
      "       aqbench eval --charuco DETECTED --board TRUE_CORNERS [--unit UNIT] [--json]",
      "Scores a point cloud or mesh (PLY, or XYZ text) against the exact surface of a scene, or against a\n"
      "mesh taken as truth. Coordinates are metres in the scene's world frame, +Z down into the water.\n"
      "With --rig or --dataset also over what two or more cameras see through the water, and by the number\n"
      "of views. NaN points are counted and left out. Undefined metrics are shown as n/a with their reason.\n"
      "With --depth: a depth map (rows x columns, metres along the refracted ray from the water surface, of\n"
      "the undistorted camera; NaN or 0 where there is none) against the true one of a rendered dataset.\n"
      "With --charuco: the reconstructed corners of a ChArUco board against its true ones, one by one.",
      make_options(),
      {}};
  line.optional_positional = "CLOUD";
  line.options.add_options()("scene", po::value<std::string>()->value_name("S"),
                             "a registered scene (aqbench list scenes)")(
      "mesh", po::value<std::string>()->value_name("M.ply"), "a PLY mesh taken as truth")(
      "dataset", po::value<std::string>()->value_name("DIR"),
      "a dataset of aqbench render: its cameras, and its scene unless another is given")(
      "rig", po::value<std::string>()->value_name("RIG"), "cameras without a dataset (aqbench list rigs)")(
      "set", po::value<Strings>()->composing()->value_name("NAME=VALUE"),
      "SCENE.PARAMETER=VALUE or RIG.PARAMETER=VALUE, may be repeated")(
      "unit", po::value<std::string>()->value_name("UNIT")->default_value("m"),
      "unit of CLOUD's coordinates or of the depths: m, cm or mm")(
      "transform", po::value<std::string>()->value_name("T.json"),
      "JSON file with a 4x4 matrix world_from_cloud (metres), applied after --unit")(
      "align", po::value<std::string>()->value_name("HOW")->default_value("none"),
      "none, or icp: rigid point-to-plane alignment to the truth before scoring; prints the transform. It "
      "can hide bias")("threads", po::value<int>()->value_name("N"),
                       "threads; changes no metric (default: all processors)")(
      "tiles", po::value<std::string>()->value_name("FILE"),
      "write the errors per 10 mm tile to this CSV file")(
      "views", po::value<std::string>()->value_name("FILE"),
      "write completeness by number of views to this CSV file")(
      "depth", po::value<std::string>()->value_name("D.npy"), "score this depth map instead of a cloud")(
      "camera", po::value<std::string>()->value_name("NAME"), "the depth map's camera")(
      "json", "print JSON in the layout of results.json");
  add_charuco_options(line.options);
  return line;
}

double parse_unit(const std::string& unit) {
  if (unit == "m") return 1;
  if (unit == "cm") return 1e-2;
  if (unit == "mm") return 1e-3;
  throw Error(ErrorKind::usage, fmt::format("--unit '{}': expected m, cm or mm", unit));
}

std::string text_of(const po::variables_map& values, const char* name) {
  return values.count(name) != 0 ? values[name].as<std::string>() : std::string();
}

void read_scene(const po::variables_map& values, EvalRequest& request) {
  if (values.count("scene") + values.count("mesh") > 1 ||
      (values.count("scene") + values.count("mesh") + values.count("dataset") == 0))
    throw Error(ErrorKind::usage, "give one of --scene S, --mesh M.ply and --dataset DIR");
  if (values.count("rig") + values.count("dataset") > 1)
    throw Error(ErrorKind::usage, "--rig, --dataset: give one of them; a dataset has its cameras");
  request.scene = values.count("mesh") != 0 ? "mesh:" + text_of(values, "mesh") : text_of(values, "scene");
  request.rig = text_of(values, "rig");
  request.dataset_dir = text_of(values, "dataset");
  for (const std::string& set : strings(values, "set")) {
    request.overrides.push_back(parse_override(set));
    const std::string& owner = request.overrides.back().owner;
    if (owner.empty() || (owner != request.scene && owner != request.rig))
      throw Error(ErrorKind::usage,
                  fmt::format("--set '{}': the scene is {}{}", set,
                              request.scene.empty() ? "the dataset's, as it is" : request.scene,
                              request.rig.empty() ? "" : ", the rig " + request.rig));
  }
}

EvalRequest read_request(const po::variables_map& values) {
  EvalRequest request;
  request.cloud_file = text_of(values, "CLOUD");
  if (request.cloud_file.empty()) throw Error(ErrorKind::usage, "CLOUD is missing (or --depth)");
  if (values.count("camera") != 0) throw Error(ErrorKind::usage, "--camera belongs to --depth");
  if (values.count("board") != 0) throw Error(ErrorKind::usage, "--board belongs to --charuco");
  read_scene(values, request);
  request.metres_per_unit = parse_unit(values["unit"].as<std::string>());
  request.transform_file = text_of(values, "transform");
  const std::string align = values["align"].as<std::string>();
  if (align != "none" && align != "icp")
    throw Error(ErrorKind::usage, fmt::format("--align '{}': expected none or icp", align));
  request.align = align == "icp";
  request.tiles_file = text_of(values, "tiles");
  request.views_file = text_of(values, "views");
  if (!request.views_file.empty() && request.rig.empty() && request.dataset_dir.empty())
    throw Error(ErrorKind::usage, "--views: needs --rig or --dataset, to know the cameras");
  request.json = values.count("json") != 0;
  return request;
}

EvalDepthRequest read_depth_request(const po::variables_map& values) {
  for (const char* needed : {"camera", "dataset"})
    if (values.count(needed) == 0) throw Error(ErrorKind::usage, fmt::format("--depth: needs --{}", needed));
  for (const char* other : {"CLOUD", "scene", "mesh", "rig", "set", "transform", "tiles", "views"})
    if (values.count(other) != 0)
      throw Error(ErrorKind::usage,
                  fmt::format("--depth: goes without {}{}", *other == 'C' ? "" : "--", other));
  return {text_of(values, "depth"), text_of(values, "dataset"), text_of(values, "camera"),
          parse_unit(values["unit"].as<std::string>()), values.count("json") != 0};
}

// The cloud in the world frame, and how it got there ("" where it was taken as it is).
struct Input {
  Reconstruction reconstruction;
  std::vector<std::string> notes;
  Json transforms = Json::object();
};

Input load_input(const EvalRequest& request, const Surface& truth) {
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
  if (!warning.empty()) fmt::print(stderr, "aqbench: warning: {}\n", warning);
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

Record eval_record(const EvalRequest& request, const Scene& scene, const Score& score) {
  Record record;
  record.scene = scene.name;
  record.method = "eval";
  record.case_name = fmt::format("{}/eval/{}", scene.name, request.cloud_file);
  record.status = Status::ok;
  for (const auto& [name, value] : scene.parameters.items())
    record.options.emplace_back(scene.name + "." + name, value);
  record.metrics = score.metrics;
  record.output_sha256 = sha256_file_hex(request.cloud_file);
  return record;
}

Json views_json(const std::vector<ViewShare>& rows) {
  Json list = Json::array();
  for (const ViewShare& row : rows)
    list.push_back({{"views", row.views},
                    {"surface_pct", row.surface_pct},
                    {"completeness_2mm_pct", row.completeness_pct ? Json(*row.completeness_pct) : Json()}});
  return list;
}

void print_score(const EvalRequest& request, const Scene& scene, const Input& input, const Score& score) {
  fmt::print("{} against {}\n", request.cloud_file, scene.name);
  for (const std::string& note : input.notes) fmt::print("{}\n", note);
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

// What the cameras see; empty where no camera is known.
ViewCounter request_views(const EvalRequest& request, const Scene& scene) {
  if (request.rig.empty() && request.dataset_dir.empty()) return {};
  constexpr std::uint64_t kJitterSeed = 42;  // render's default
  const Rig rig = request.rig.empty()
                      ? read_calibration(std::filesystem::path(request.dataset_dir) / "calibration.json")
                      : make_rig(request.rig, request.overrides, kJitterSeed);
  const ViewCounter views = view_counter(scene, rig);
  if (!views && !request.views_file.empty())
    throw Error(ErrorKind::usage, "--views: what cameras see is only known of a scene by formula");
  return views;
}

ExitCode eval_cloud(const EvalRequest& request, const Arguments& arguments) {
  const Scene scene = request.scene.empty() ? read_dataset_scene(request.dataset_dir)
                                            : make_scene(request.scene, request.overrides);
  const Surface& truth = *scene.truth.surface;
  const ViewCounter views = request_views(request, scene);
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
  if (views) effective["completeness_by_views"] = views_json(score.by_views);
  fmt::print("{}", eval_results_text(eval_record(request, scene, score), Json{{"arguments", arguments}},
                                     std::move(effective)));
  return ExitCode::pass;
}

}  // namespace

ExitCode run_eval(const Arguments& arguments) {
  const auto values = parse(eval_command_line(), arguments);
  if (!values) return ExitCode::pass;
  if (values->count("threads") != 0) set_thread_count((*values)["threads"].as<int>());
  if (values->count("charuco") != 0)
    return eval_charuco(*values, parse_unit((*values)["unit"].as<std::string>()));
  if (values->count("depth") != 0) return eval_depth(read_depth_request(*values), arguments);
  return eval_cloud(read_request(*values), arguments);
}

}  // namespace aqbench::cli
