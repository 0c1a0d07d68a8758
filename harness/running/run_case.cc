#include "harness/running/run_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/error.h"
#include "core/parallel.h"
#include "core/scratch_folder.h"
#include "core/text.h"
#include "harness/measuring/library_threads.h"
#include "harness/planning/case_method.h"
#include "harness/running/case_dataset.h"
#include "harness/running/case_modules.h"
#include "harness/running/depth_pictures.h"
#include "harness/running/depth_score.h"
#include "harness/running/method_process.h"
#include "harness/running/method_run.h"
#include "harness/running/run_workload.h"
#include "harness/viewing/make_view.h"
#include "metrics/diagnosis.h"
#include "metrics/score.h"
#include "metrics/tiles.h"
#include "pipeline/method/method.h"
#include "scenes/cloud/ply.h"
#include "scenes/registry.h"
#include "scenes/rendering/ray_hit.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

// Keeps what a method printed beside its result, whether it ended well or not; of a long log, the end.
void take_log(const std::filesystem::path& work_dir, CaseResult& result) {
  constexpr std::streamoff max_bytes = 1 << 20;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(work_dir / kMethodLog, unknown)))
    return;
  std::ifstream file(work_dir / kMethodLog, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  if (size <= 0) return;
  std::string text(static_cast<std::size_t>(std::min(size, max_bytes)), '\0');
  file.seekg(size - static_cast<std::streamoff>(text.size()));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  result.artefacts.emplace_back("logs/" + file_name_of(result.record.case_name) + ".log", std::move(text));
}

// What is done with the output of a method beyond its hash.
struct Afterwards {
  bool score = true;
  KeptFiles kept{.cloud = false, .pictures = false};
};

void score_output(const Reconstruction& output, const Surface& truth, const Afterwards& afterwards,
                  CaseResult& result, const ViewCounter& views = {}) {
  Score score = score_reconstruction(output, truth, ScoreOptions{}, views);
  result.record.metrics = std::move(score.metrics);
  const std::string file = file_name_of(result.record.case_name) + ".csv";
  if (!score.tiles.tiles.empty()) result.artefacts.emplace_back("tiles/" + file, tiles_to_csv(score.tiles));
  if (!score.by_views.empty()) result.artefacts.emplace_back("views/" + file, views_to_csv(score.by_views));
  if (afterwards.kept.cloud)
    result.artefacts.emplace_back("clouds/" + file_name_of(result.record.case_name) + ".ply",
                                  ply_cloud_bytes(output.cloud));
}

void score_depths(const Reconstruction& output, const CaseDataset& dataset, bool keep_pictures,
                  CaseResult& result) {
  const auto scores = score_depth_maps(output.depth_maps, dataset.plan.rig.cameras, dataset.dataset.dir());
  if (scores.empty()) return;
  for (auto& metric : median_over_cameras(scores)) result.record.metrics.push_back(std::move(metric));
  result.artefacts.emplace_back("depth/" + file_name_of(result.record.case_name) + ".csv",
                                depth_scores_csv(scores));
  if (!keep_pictures) return;
  const std::string folder = fmt::format("{}/{}/", kPicturesFolder, file_name_of(result.record.case_name));
  for (auto& [name, bytes] :
       depth_pictures(output.depth_maps, dataset.plan.rig.cameras, dataset.dataset.dir()))
    result.artefacts.emplace_back(folder + name, std::move(bytes));
}

// Adds the causes of holes and the errors of each camera, for methods that give depth maps; returns the
// holes.
ViewHoles diagnose_output(const Reconstruction& output, const PatchHeightField& truth, const Rig& rig,
                          CaseResult& result) {
  if (output.depth_maps.empty()) return {};
  Diagnosis diagnosis = diagnose(output, truth, rig);
  for (auto& metric : diagnosis.metrics) result.record.metrics.push_back(std::move(metric));
  result.artefacts.emplace_back("diagnosis/" + file_name_of(result.record.case_name) + ".csv",
                                std::move(diagnosis.csv));
  return {std::move(diagnosis.hole_positions_m), std::move(diagnosis.hole_causes)};
}

// Keeps what the report shows in three dimensions; all points where the cloud is kept as well.
void add_view(const Reconstruction& output, const Surface& truth, const Rig* rig, const ViewHoles& holes,
              const ViewCounter& views, const KeptFiles& kept, CaseResult& result) {
  if (!kept.pictures || output.cloud.points_m.empty()) return;
  const CloudView view = make_view(output, truth, rig, holes, views, kept.cloud ? kFullView : ViewLimits{});
  result.artefacts.emplace_back(
      fmt::format("{}/{}.bin", kViewerFolder, file_name_of(result.record.case_name)), encode_view(view));
}

void run_simulated(const Case& planned, const MethodSpec& method, CaseBoard& board,
                   const Afterwards& afterwards, CaseResult& result) {
  const Scene scene = make_scene(planned.scene, planned.overrides);
  const MethodInput input = method_input(planned, method, {});
  const SimulatedMethod run = std::get<SimulatedMethod>(method.run);
  const Reconstruction output = run_measured(
      planned, [&] { return run(scene.truth, input); }, board, result.record);
  if (!afterwards.score) return;
  board.set_phase("scoring");
  score_output(output, *scene.truth.surface, afterwards, result);
  add_view(output, *scene.truth.surface, nullptr, {}, {}, afterwards.kept, result);
}

// Makes the images, runs the method in a process that sees nothing else of them, and returns its output; none
// where it failed, and then the record says why.
std::optional<Reconstruction> run_apart(const Case& planned, const MethodSpec& method, CaseBoard& board,
                                        const std::filesystem::path& scratch,
                                        std::optional<CaseDataset>& dataset, CaseResult& result) {
  const MethodTask task = method_task(planned, method, scratch, board);
  const auto run = std::get<RealMethod>(method.run);
  // Before anything of the truth is in this process, and before it has threads.
  MethodProcess process(task, board, scratch, [&] { return measure_method(planned, run, task, board); });
  set_library_threads(planned.threads);
  board.set_phase("rendering");
  dataset.emplace(make_case_dataset(planned, scratch));
  const IsolateOutcome outcome = process.run();
  auto [record, output] = take_method_result(planned, outcome, process.options(), board, "{dataset}");
  result.record = std::move(record);
  result.record.dataset_sha256 = dataset->dataset.sha256();
  if (result.record.status != Status::invalid) result.record.timing.dataset_ms = dataset->made_ms;
  take_log(task.input.work_dir, result);
  if (result.record.isolation.starts_with("none")) require_unchanged(dataset->dataset);
  return std::move(output);
}

void run_real(const Case& planned, const MethodSpec& method, CaseBoard& board, const Afterwards& afterwards,
              CaseResult& result) {
  // A sweep has made a folder that it removes even after a crash.
  std::optional<ScratchFolder> own;
  if (board.scratch_dir().empty()) own.emplace();
  const std::filesystem::path scratch = own ? own->path() : board.scratch_dir();
  std::optional<CaseDataset> dataset;
  std::optional<Reconstruction> output = run_apart(planned, method, board, scratch, dataset, result);
  if (!output || !afterwards.score) return;
  if (const CalibrationError error = case_calibration_error(planned); error.tilt_deg != 0)
    apply(world_from_perturbed(dataset->plan.rig, error), *output);
  const PatchHeightField& truth =
      renderable_surface(*dataset->plan.scene.truth.surface, dataset->plan.scene.name);
  const Rig& rig = dataset->plan.rig;
  board.set_phase("scoring");
  const ViewCounter views = [&](std::span<const Vec3> positions_m) {
    return count_views(truth, rig, positions_m);
  };
  score_output(*output, truth, afterwards, result, views);
  score_depths(*output, *dataset, afterwards.kept.pictures, result);
  const ViewHoles holes = diagnose_output(*output, truth, rig, result);
  add_view(*output, truth, &rig, holes, views, afterwards.kept, result);
}

// Does everything of a case that may throw. Numbers measured before an exception stay in the record.
void run_and_score(const Case& planned, const MethodSpec& method, CaseBoard& board,
                   const Afterwards& afterwards, CaseResult& result) {
  set_thread_count(planned.threads);
  if (!method.simulated()) return run_real(planned, method, board, afterwards, result);
  run_simulated(planned, method, board, afterwards, result);
  result.record.status = Status::ok;
}

}  // namespace

namespace {

CaseResult run_one_case(const Case& planned, CaseBoard& board, const Afterwards& afterwards) {
  CaseResult result{planned_record(planned), {}};
  Record& record = result.record;
  try {
    load_modules_of(std::span(&planned, 1));
    const bool workload = !planned.workload.empty();
    const auto reason =
        workload ? workload_skip_reason(planned) : method_skip_reason(planned, method_of(planned));
    if (reason) {
      record.status = Status::skipped;
      record.reason = *reason;
      return result;
    }
    if (workload)
      run_workload(planned, board, result);
    else
      run_and_score(planned, method_of(planned), board, afterwards, result);
  } catch (...) {
    note_failure(record);
  }
  return result;
}

}  // namespace

CaseResult run_case(const Case& planned, CaseBoard& board) { return run_one_case(planned, board, {}); }

CaseResult run_case_keeping(const Case& planned, CaseBoard& board, const KeptFiles& kept) {
  return run_one_case(planned, board, {true, kept});
}

CaseResult run_case_unscored(const Case& planned, CaseBoard& board) {
  return run_one_case(planned, board, {.score = false});
}

}  // namespace aqbench
