#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/cli/eval_input.h"
#include "harness/cli/options.h"
#include "harness/environment.h"
#include "harness/text.h"
#include "metrics/align.h"
#include "metrics/registry.h"
#include "metrics/score.h"
#include "reports/bundle.h"
#include "reports/results.h"
#include "reports/table.h"
#include "scenes/core/cloud_file.h"
#include "scenes/core/error.h"
#include "scenes/core/files.h"
#include "scenes/core/parallel.h"
#include "scenes/core/ply.h"
#include "scenes/core/sha256.h"
#include "scenes/core/transform.h"
#include "scenes/registry.h"

namespace aqbench::cli {
namespace {

struct EvalRequest {
  std::string cloud_file, scene;
  std::vector<Override> overrides;
  double metres_per_unit = 1;
  std::string transform_file;
  bool align = false;
  std::string tiles_file;
  bool json = false;
};

CommandLine eval_command_line() {
  CommandLine line{
      "aqbench eval CLOUD (--scene S | --mesh M.ply) [OPTION]...",
      "Scores a point cloud or mesh (PLY, or XYZ text) against the exact surface of a scene, or against a\n"
      "mesh taken as truth. Coordinates are metres in the scene's world frame, +Z down into the water.\n"
      "NaN points are counted and left out. Undefined metrics are shown as n/a with their reason.",
      make_options(),
      {"CLOUD"}};
  line.options.add_options()("scene", po::value<std::string>()->value_name("S"),
                             "a registered scene (aqbench list scenes)")(
      "mesh", po::value<std::string>()->value_name("M.ply"), "a PLY mesh taken as truth")(
      "set", po::value<Strings>()->composing()->value_name("NAME=VALUE"),
      "SCENE.PARAMETER=VALUE, may be repeated")(
      "unit", po::value<std::string>()->value_name("UNIT")->default_value("m"),
      "unit of CLOUD's coordinates: m, cm or mm")(
      "transform", po::value<std::string>()->value_name("T.json"),
      "JSON file with a 4x4 matrix world_from_cloud (metres), applied after --unit")(
      "align", po::value<std::string>()->value_name("HOW")->default_value("none"),
      "none, or icp: rigid point-to-plane alignment to the truth before scoring; prints the transform. It "
      "can hide "
      "bias")("threads", po::value<int>()->value_name("N"),
              "threads; changes no metric (default: all processors)")(
      "tiles", po::value<std::string>()->value_name("FILE"),
      "write the errors per 10 mm tile to this CSV file")("json", "print JSON in the layout of results.json");
  return line;
}

const std::string& definition_of(const std::string& metric) {
  static const std::string none;
  const auto& registry = metric_registry();
  const auto found = std::ranges::find(registry, metric, &MetricSpec::name);
  return found == registry.end() ? none : found->definition;
}

double parse_unit(const std::string& unit) {
  if (unit == "m") return 1;
  if (unit == "cm") return 1e-2;
  if (unit == "mm") return 1e-3;
  throw Error(ErrorKind::usage, fmt::format("--unit '{}': expected m, cm or mm", unit));
}

EvalRequest read_request(const po::variables_map& values) {
  EvalRequest request;
  if (values.count("scene") == values.count("mesh"))
    throw Error(ErrorKind::usage, "give either --scene S or --mesh M.ply, one of them");
  request.cloud_file = values["CLOUD"].as<std::string>();
  request.scene = values.count("scene") != 0 ? values["scene"].as<std::string>()
                                             : "mesh:" + values["mesh"].as<std::string>();
  for (const std::string& set : strings(values, "set")) {
    request.overrides.push_back(parse_override(set));
    if (request.overrides.back().owner != request.scene)
      throw Error(ErrorKind::usage, fmt::format("--set '{}': the scene is {}", set, request.scene));
  }
  request.metres_per_unit = parse_unit(values["unit"].as<std::string>());
  if (values.count("transform") != 0) request.transform_file = values["transform"].as<std::string>();
  const std::string align = values["align"].as<std::string>();
  if (align != "none" && align != "icp")
    throw Error(ErrorKind::usage, fmt::format("--align '{}': expected none or icp", align));
  request.align = align == "icp";
  if (values.count("threads") != 0) set_thread_count(values["threads"].as<int>());
  if (values.count("tiles") != 0) request.tiles_file = values["tiles"].as<std::string>();
  request.json = values.count("json") != 0;
  return request;
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

Results as_results(const EvalRequest& request, const Scene& scene, const Input& input, const Score& score,
                   const Json& requested) {
  Record record;
  record.scene = scene.name;
  record.method = "eval";
  record.case_name = fmt::format("{}/eval/{}", scene.name, request.cloud_file);
  record.status = Status::ok;
  for (const auto& [name, value] : scene.parameters.items())
    record.options.emplace_back(scene.name + "." + name, value);
  record.metrics = score.metrics;
  record.output_sha256 = sha256_file_hex(request.cloud_file);

  const auto now = std::chrono::system_clock::now();
  Results results;
  results.run.id = bundle_stamp(now);
  results.run.suite = "eval";
  results.run.started_utc = results.run.finished_utc = utc_now();
  results.run.complete = true;
  results.run.planned_cases = 1;
  results.run.requested_json = requested.dump();
  results.run.effective_json = Json{{"transforms", input.transforms}, {"threads", thread_count()}}.dump();
  results.environment_json = environment_json({thread_count()}).dump();
  results.records = {std::move(record)};
  return results;
}

void print_score(const EvalRequest& request, const Input& input, const Score& score) {
  Table table;
  table.columns = {{"metric"}, {"value", Align::right}, {"unit"}, {"definition", Align::left, true}};
  for (const auto& [name, metric] : score.metrics) {
    table.rows.push_back({{name},
                          {metric.value ? fmt::format("{:.6g}", *metric.value) : "n/a"},
                          {metric.unit == "1" ? "" : metric.unit},
                          {metric.value ? definition_of(name) : metric.reason}});
  }
  fmt::print("{} against {}\n", request.cloud_file, request.scene);
  for (const std::string& note : input.notes) fmt::print("{}\n", note);
  fmt::print("\n{}", render_table(table, wants_colours(STDOUT_FILENO)));
}

}  // namespace

ExitCode run_eval(const Arguments& arguments) {
  const auto values = parse(eval_command_line(), arguments);
  if (!values) return ExitCode::pass;
  const EvalRequest request = read_request(*values);
  const Scene scene = make_scene(request.scene, request.overrides);
  const Surface& truth = *scene.truth.surface;
  Input input = load_input(request, truth);
  if (request.align) align_input(input, truth);

  const Score score = score_reconstruction(input.reconstruction, truth, ScoreOptions{});
  if (!request.tiles_file.empty()) write_file(request.tiles_file, tiles_to_csv(score.tiles));
  if (request.json)
    fmt::print("{}", results_text(as_results(request, scene, input, score, Json{{"arguments", arguments}})));
  else
    print_score(request, input, score);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
