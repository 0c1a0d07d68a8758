#include "harness/running/dataset_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/scratch_folder.h"
#include "core/text.h"
#include "harness/measuring/library_threads.h"
#include "harness/planning/select.h"
#include "harness/running/case_dataset.h"
#include "harness/running/case_outcome.h"
#include "harness/running/method_process.h"
#include "harness/running/method_run.h"
#include "harness/running/run_case.h"
#include "metrics/diagnosis.h"
#include "metrics/score.h"
#include "scenes/cloud/npy.h"
#include "scenes/cloud/ply.h"
#include "scenes/dataset/dataset_digest.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/images/image_file.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/registry.h"
#include "scenes/rendering/ray_hit.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

Case case_of(const DatasetRunRequest& request, const MethodSpec& method) {
  Case planned;
  planned.method = method.name;
  planned.preset = request.preset;
  const std::string folder = std::filesystem::absolute(request.dataset_dir / ".")
                                 .lexically_normal()
                                 .parent_path()
                                 .filename()
                                 .string();
  planned.name =
      fmt::format("{}/{}{}{}", folder, method.name, request.preset.empty() ? "" : ":", request.preset);
  planned.seed = request.seed;
  planned.threads = request.threads;
  planned.device = request.device;
  planned.overrides = request.sets;
  for (const Override& given : request.sets)
    if (given.owner != method.name)
      throw Error(ErrorKind::usage, fmt::format("--set {}.{}={}: the method is {}", given.owner,
                                                given.parameter, given.value, method.name));
  const Parameters parameters = method_parameters(planned, method);
  for (const auto& [name, value] : parameters.items())
    planned.options.emplace_back(method.name + "." + name, value);
  return planned;
}

MethodSpec check_method(const DatasetRunRequest& request) {
  const MethodSpec method =
      request.declaration ? declared_method(*request.declaration) : find_method(request.method);
  if (method.simulated())
    throw Error(ErrorKind::usage, fmt::format("method {} is simulated and looks at no images", method.name));
  if (!request.depth_range_m) return method;
  if (!method.takes_depth_range)
    throw Error(ErrorKind::usage, fmt::format("--depth-range: method {} takes none", method.name));
  const auto [min_m, max_m] = *request.depth_range_m;
  if (!(min_m >= 0 && min_m < max_m && max_m <= 1000))
    throw Error(ErrorKind::usage,
                fmt::format("--depth-range {}:{}: expected 0 <= LO < HI <= 1000, metres", min_m, max_m));
  return method;
}

void make_run_folder(const std::filesystem::path& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) throw Error(ErrorKind::io, fmt::format("{}: {}", dir.string(), error.message()));
}

void write_map(const std::filesystem::path& file, const DepthMap& map, const std::vector<float>& values) {
  const std::array<std::size_t, 2> shape = {static_cast<std::size_t>(map.height),
                                            static_cast<std::size_t>(map.width)};
  write_npy(file, std::span<const float>(values), shape);
}

void write_output(const Reconstruction& output, const std::filesystem::path& dir) {
  write_ply_cloud(dir / "cloud.ply", output.cloud);
  if (output.mesh) write_ply_mesh(dir / "mesh.ply", *output.mesh);
  if (output.depth_maps.empty()) return;
  make_run_folder(dir / "depth");
  for (const DepthMap& map : output.depth_maps) {
    write_map(dir / "depth" / (map.camera + ".npy"), map, map.depth_along_ray_m);
    if (!map.confidence.empty())
      write_map(dir / "depth" / (map.camera + "_confidence.npy"), map, map.confidence);
  }
}

// The artefact with what the child tells beside its record.
constexpr const char* kCamerasPart = "cameras.json";

// Returns the scene of truth/scene.json. nullopt where there is no such file, and, with a line in the log,
// where the file does not describe a scene of aqbench.
std::optional<Scene> scene_to_score(const std::filesystem::path& dataset_dir) {
  std::error_code status;
  if (!std::filesystem::exists(dataset_dir / "truth" / "scene.json", status)) return std::nullopt;
  try {
    return read_dataset_scene(dataset_dir);
  } catch (const Error& error) {
    fmt::print(stderr, "the cloud is not scored: {}\n", printable(error.what()));
    return std::nullopt;
  }
}

void score_run(const DatasetRunRequest& request, const Reconstruction& output,
               const std::filesystem::path& partial, CaseResult& result) {
  Record& record = result.record;
  const Rig rig = read_calibration(request.dataset_dir / "calibration.json");
  const auto scores = score_depth_maps(output.depth_maps, rig.cameras, request.dataset_dir);
  if (const auto scene = scene_to_score(request.dataset_dir)) {
    record.scene = scene->name;
    const Surface& truth = *scene->truth.surface;
    record.metrics = score_reconstruction(output, truth, {}, view_counter(*scene, rig)).metrics;
    if (!output.depth_maps.empty()) {
      const Diagnosis diagnosis = diagnose(output, truth, rig);
      for (const auto& metric : diagnosis.metrics) record.metrics.push_back(metric);
      write_file(partial / "diagnosis.csv", diagnosis.csv);
    }
  }
  for (auto& metric : median_over_cameras(scores)) record.metrics.push_back(std::move(metric));
  if (!scores.empty()) write_file(partial / "depth.csv", depth_scores_csv(scores));
  Json told = {{"maps", output.depth_maps.size()},
               {"triangles", output.mesh ? output.mesh->triangles.size() : 0},
               {"points", output.cloud.points_m.size()},
               {"cameras", Json::array()}};
  for (const CameraDepthScore& score : scores)
    told["cameras"].push_back({{"camera", score.camera}, {"metrics", to_json(score.metrics)}});
  result.artefacts = {{kCamerasPart, told.dump()}};
}

// Throws Error(method) if the dataset is another one now: for a method that could reach it.
void require_same_dataset(const std::filesystem::path& dataset_dir, const std::string& sha256) {
  if (dataset_sha256(read_contents(dataset_dir)) != sha256)
    throw Error(ErrorKind::method,
                fmt::format("{}: the dataset was changed while the method ran", dataset_dir.string()));
}

// Returns what the method is given. It sees the dataset itself only where that has no truth.
MethodTask task_of(const DatasetRunRequest& request, const MethodSpec& method, const Case& planned,
                   const std::filesystem::path& partial, const std::filesystem::path& scratch) {
  std::error_code status;
  const bool has_truth = std::filesystem::exists(request.dataset_dir / "truth", status);
  MethodTask task{{request.dataset_dir}, {}, method.reads, {partial}};
  if (has_truth) {
    task.observation.dataset_dir = scratch / kObservationFolder;
    task.hidden.push_back(request.dataset_dir);
  }
  task.input.parameters = method_parameters(planned, method);
  task.input.seed = request.seed;
  task.input.device = request.device;
  task.input.work_dir = scratch / kWorkFolder;
  task.input.depth_range_m = request.depth_range_m;
  task.input.declaration = method.declaration;
  task.input.project_dir = request.project_dir;
  make_run_folder(task.input.work_dir);
  return task;
}

// Runs and scores the method; called in the child.
CaseResult run_here(const DatasetRunRequest& request, const MethodSpec& method, const Case& planned,
                    const std::filesystem::path& partial, CaseBoard& board) {
  CaseResult result{planned_record(planned), {}};
  const std::filesystem::path scratch = board.scratch_dir();
  const MethodTask task = task_of(request, method, planned, partial, scratch);
  const RealMethod run = std::get<RealMethod>(method.run);
  try {
    // Before anything of the truth is in this process, and before it has threads.
    MethodProcess process(task, board, scratch, [&] { return measure_method(planned, run, task, board); });
    set_thread_count(request.threads);
    set_library_threads(request.threads);
    if (task.observation.dataset_dir != request.dataset_dir)
      copy_observation(request.dataset_dir, task.observation.dataset_dir);
    const std::string sha256 = dataset_sha256(read_contents(request.dataset_dir));
    const IsolateOutcome outcome = process.run();
    auto [record, output] =
        take_method_result(planned, outcome, process.options(), board, request.dataset_dir.string());
    result.record = std::move(record);
    result.record.dataset_sha256 = sha256;
    if (result.record.isolation.starts_with("none")) require_same_dataset(request.dataset_dir, sha256);
    if (output) {
      write_output(*output, partial);
      score_run(request, *output, partial, result);
    }
  } catch (...) {
    note_failure(result.record);
  }
  const std::filesystem::path log = task.input.work_dir / kMethodLog;
  std::error_code status;
  if (std::filesystem::is_regular_file(std::filesystem::symlink_status(log, status)))
    std::filesystem::copy_file(log, partial / "command.log", status);
  return result;
}

void read_told(const CaseResult& result, DatasetRun& run) {
  for (const auto& [name, text] : result.artefacts) {
    if (name != kCamerasPart) continue;
    const Json told = parse_strict_json(text, kCamerasPart, kMessageJson);
    run.depth_maps = told["maps"].get<std::size_t>();
    run.points = told["points"].get<std::size_t>();
    run.triangles = told["triangles"].get<std::size_t>();
    for (const Json& camera : told["cameras"])
      run.cameras.push_back(
          {camera["camera"].get<std::string>(), metrics_from_json(camera["metrics"], "run")});
  }
}

// Refuses images that are cut short or damaged before a method decodes what is left of them as grey.
void check_images(const std::filesystem::path& dataset) {
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(dataset / "images", error), end;
       !error && entry != end; entry.increment(error))
    if (entry->is_regular_file(error) && is_image_name(entry->path()))
      inspect_image(read_file(entry->path()), entry->path().string());
}

}  // namespace

DatasetRun run_on_dataset(const DatasetRunRequest& request) {
  const MethodSpec method = check_method(request);
  const Case planned = case_of(request, method);
  read_calibration(request.dataset_dir / "calibration.json");
  check_images(request.dataset_dir);
  require_free_folder(request.out_dir);
  const std::filesystem::path target =
      std::filesystem::absolute(request.out_dir / ".").lexically_normal().parent_path();
  const ScratchFolder scratch;
  CaseBoard board;
  board.set_scratch_dir(scratch.path());
  const std::filesystem::path partial = make_folder_beside(target);
  const ScratchFolder keep_clean(partial);

  IsolateOptions options;
  options.timeout_s = request.timeout_s;
  options.memory_limit_bytes = request.memory_limit_bytes;
  options.log_file = partial / "log.txt";
  options.cancel_descriptor = request.cancel_descriptor;
  if (request.tick) options.tick = [&] { request.tick(board.stage()); };
  load_modules_of(std::span(&planned, 1));
  const IsolateOutcome outcome = run_isolated(
      [&] { return encode_case_result(run_here(request, method, planned, partial, board)); }, options);
  DatasetRun run;
  const CaseResult result = result_of(planned, outcome, options, board, request.dataset_dir.string());
  run.record = result.record;
  run.record.files.reset();  // what the child tells is no file of a bundle
  run.interrupted = outcome.end == IsolateOutcome::End::cancelled;
  run.log_tail = outcome.log_tail;
  if (run.record.status != Status::ok) return run;
  read_told(result, run);
  if (request.add_files) request.add_files(run, partial);
  std::error_code error;
  std::filesystem::rename(partial, target, error);  // replaces an empty folder only
  if (error) throw Error(ErrorKind::io, fmt::format("{}: {}", target.string(), error.message()));
  return run;
}

}  // namespace aqbench
