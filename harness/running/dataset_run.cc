#include "harness/running/dataset_run.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/module.h"
#include "core/parallel.h"
#include "core/scratch_folder.h"
#include "harness/measuring/libraries.h"
#include "harness/planning/scene_choice.h"
#include "harness/planning/select.h"
#include "harness/records/case_result.h"
#include "harness/running/case_process.h"
#include "harness/running/case_score.h"
#include "harness/running/method_process.h"
#include "harness/running/method_run.h"
#include "harness/running/run_case.h"
#include "scenes/cloud/npy.h"
#include "scenes/cloud/ply.h"
#include "scenes/dataset/dataset.h"

namespace aqbench {
namespace {

std::string folder_name(const std::filesystem::path& dir) {
  return std::filesystem::absolute(dir / ".").lexically_normal().parent_path().filename().string();
}

// Reads the dataset and adds its frame to the case, like a sweep of a recording.
void choose_images(const DatasetRunRequest& request, Case& planned) {
  const std::string label = folder_name(request.dataset_dir);
  const SceneChoice choice = choose_recording(std::string(kDatasetPrefix) + request.dataset_dir.string(),
                                              label, request.dataset_dir, request.declared_truth);
  if (!choice.recording->has_cameras)
    throw usage_error("{}: images without cameras; aqbench sweep runs methods on it that find them",
                      request.dataset_dir.string());
  const auto last = static_cast<std::size_t>(choice.recording->parameters.front().max);
  if (request.frame > last)
    throw usage_error("--frame {}: {} has {}", request.frame, request.dataset_dir.string(),
                      last == 0 ? "frame 0 only" : fmt::format("frames 0 to {}", last));
  planned.scene = choice.name;
  planned.options.insert(planned.options.end(), choice.options.begin(), choice.options.end());
  planned.options.emplace_back(fmt::format("{}.frame", kDatasetOwner),
                               static_cast<std::int64_t>(request.frame));
}

Case case_of(const DatasetRunRequest& request, const MethodSpec& method) {
  Case planned;
  planned.method = method.name;
  planned.preset = request.preset;
  planned.name = fmt::format("{}/{}{}{}", folder_name(request.dataset_dir), method.name,
                             request.preset.empty() ? "" : ":", request.preset);
  if (request.frame != 0) planned.name += fmt::format("/frame={}", request.frame);
  planned.seed = request.seed;
  planned.threads = request.threads;
  planned.device = request.device;
  planned.overrides = request.sets;
  planned.project_dir = request.project_dir.string();
  for (const Override& given : request.sets)
    if (given.owner != method.name)
      throw usage_error("--set {}.{}={}: the method is {}", given.owner, given.parameter, given.value,
                        method.name);
  add_options(planned, method.name, method_parameters(planned, method));
  choose_images(request, planned);
  return planned;
}

MethodSpec check_method(const DatasetRunRequest& request) {
  const MethodSpec method =
      request.declaration ? declared_method(*request.declaration) : find_method(request.method);
  if (method.simulated()) throw usage_error("method {} is simulated and uses no images", method.name);
  if (method.declaration && method.declaration->own_poses)
    throw usage_error(
        "method {} finds its poses itself: aqbench sweep --scene "
        "dataset:{} --method {} runs and aligns it",
        method.name, request.dataset_dir.string(), method.name);
  if (!request.depth_range_m) return method;
  if (!method.takes_depth_range) throw usage_error("--depth-range: not supported by method {}", method.name);
  const auto [min_m, max_m] = *request.depth_range_m;
  if (!(min_m >= 0 && min_m < max_m && max_m <= 1000))
    throw usage_error("--depth-range {}:{}: expected 0 <= LO < HI <= 1000, metres", min_m, max_m);
  return method;
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
  make_folders(dir / "depth");
  for (const DepthMap& map : output.depth_maps) {
    write_map(dir / "depth" / (map.camera + ".npy"), map, map.depth_along_ray_m);
    if (!map.confidence.empty())
      write_map(dir / "depth" / (map.camera + "_confidence.npy"), map, map.confidence);
  }
}

// The artefact for the child's additional results.
constexpr const char* kCamerasPart = "cameras.json";

// The child's results beside the record.
Json child_results(const Reconstruction& output) {
  return {{"maps", output.depth_maps.size()},
          {"triangles", output.mesh ? output.mesh->triangles.size() : 0},
          {"points", output.cloud.points_m.size()},
          {"cameras", Json::array()}};
}

// Scores the output, writes its tables beside it, and reports each camera.
void score_run(const DatasetRunRequest& request, const Case& planned, const CaseRecordingData& data,
               Reconstruction output, const std::filesystem::path& partial, CaseResult& result,
               Json& reported) {
  const Recording& recording = data.recording;
  for (const CameraDepthScore& score :
       score_depth_maps(output.depth_maps, recording.rig.cameras, recording.dir, request.frame))
    reported["cameras"].push_back({{"camera", score.camera}, {"metrics", to_json(score.metrics)}});
  CaseResult scored{result.record, {}};
  score_recording(planned, data, std::move(output), {}, scored);
  result.record = std::move(scored.record);
  for (const auto& [name, bytes] : scored.artefacts)  // "depth/CASE.csv"
    write_file(partial / (name.substr(0, name.find('/')) + ".csv"), bytes);
}

// Returns the method's input: it sees only a copy.
MethodTask task_of(const DatasetRunRequest& request, const MethodSpec& method, const Case& planned,
                   const std::filesystem::path& partial, const CaseBoard& board) {
  MethodTask task = method_task(planned, method, board.scratch_dir(), board);
  task.hidden.push_back(partial);
  task.input.depth_range_m = request.depth_range_m;
  return task;
}

// Runs and scores the method; called in the child.
CaseResult run_here(const DatasetRunRequest& request, const MethodSpec& method, const Case& planned,
                    const std::filesystem::path& partial, CaseBoard& board) {
  CaseResult result{planned_record(planned), {}};
  const std::filesystem::path scratch = board.scratch_dir();
  const MethodTask task = task_of(request, method, planned, partial, board);
  const RealMethod run = std::get<RealMethod>(method.run);
  Json reported;
  try {
    // Before any truth is in this process, and before it has threads.
    MethodProcess process(task, board, scratch, [&] { return measure_method(planned, run, task, board); });
    set_thread_count(request.threads);
    set_library_threads(request.threads);
    const std::optional<Guest> guest = guest_of(method, task.input);
    const CaseRecordingData data = make_case_recording(planned, task.observation.dataset_dir);
    const IsolateOutcome outcome = process.run();
    auto [record, output] =
        take_method_result(planned, outcome, process.options(), board, request.dataset_dir.string());
    result.record = std::move(record);
    result.record.dataset_sha256 = data.sha256;
    result.record.guest = guest;
    if (result.record.isolation.starts_with("none")) require_unchanged(data);
    if (output) {
      write_output(*output, partial);
      reported = child_results(*output);
      score_run(request, planned, data, *std::move(output), partial, result, reported);
    }
  } catch (...) {
    note_failure(result.record);
  }
  if (!reported.is_null()) result.artefacts = {{kCamerasPart, reported.dump()}};
  const std::filesystem::path log = task.input.work_dir / kMethodLog;
  std::error_code status;
  if (std::filesystem::is_regular_file(std::filesystem::symlink_status(log, status)))
    std::filesystem::copy_file(log, partial / "command.log", status);
  return result;
}

void read_told(const CaseResult& result, DatasetRun& run) {
  for (const auto& [name, text] : result.artefacts) {
    if (name != kCamerasPart) continue;
    run.kept = true;
    const Json reported = parse_strict_json(text, kCamerasPart, kMessageJson);
    run.depth_maps = reported["maps"].get<std::size_t>();
    run.points = reported["points"].get<std::size_t>();
    run.triangles = reported["triangles"].get<std::size_t>();
    for (const Json& camera : reported["cameras"])
      run.cameras.push_back(
          {camera["camera"].get<std::string>(), metrics_from_json(camera["metrics"], "run")});
  }
}

}  // namespace

DatasetRun run_on_dataset(const DatasetRunRequest& request) {
  const MethodSpec method = check_method(request);
  const Case planned = case_of(request, method);
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
  if (!method.starts_program) load_modules_of(std::span(&planned, 1));
  const IsolateOutcome outcome = run_isolated(
      [&] { return encode_case_result(run_here(request, method, planned, partial, board)); }, options);
  DatasetRun run;
  const CaseResult result = result_of(planned, outcome, options, board, request.dataset_dir.string());
  run.record = result.record;
  run.record.files.clear();  // the child's additional results are not a file of a bundle
  run.interrupted = outcome.end == IsolateOutcome::End::cancelled;
  run.log_tail = outcome.log_tail;
  read_told(result, run);
  if (request.ended) request.ended(planned, method, run.record, scratch.path());
  if (!run.kept) return run;
  if (request.add_files) request.add_files(run, partial);
  std::error_code error;
  std::filesystem::rename(partial, target, error);  // replaces an empty folder only
  if (error) throw io_error("{}: {}", target.string(), error.message());
  return run;
}

}  // namespace aqbench
