#include "harness/running/run_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/parallel.h"
#include "core/scratch_folder.h"
#include "harness/measuring/library_threads.h"
#include "harness/measuring/torch_table.h"
#include "harness/planning/case_images.h"
#include "harness/planning/case_method.h"
#include "harness/planning/case_poses.h"
#include "harness/planning/case_protocols.h"
#include "harness/planning/case_scoring.h"
#include "harness/running/case_dataset.h"
#include "harness/running/case_guest.h"
#include "harness/running/case_recording.h"
#include "harness/running/method_process.h"
#include "harness/running/method_run.h"
#include "harness/running/run_workload.h"
#include "harness/scoring/own_poses.h"
#include "harness/scoring/protocol_score.h"
#include "pipeline/method/method.h"
#include "pipeline/opencl/opencl.h"
#include "scenes/registry.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

// Keeps a method's printed output beside its result, however it ended; of a long log, the end.
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
  result.artefacts.emplace_back(case_file(kLogsFolder, result.record.case_name, ".log"), std::move(text));
}

// Of a scene; a recording has scans (score_recording()).
void add_protocol_metrics(const Case& planned, const Reconstruction& output, const Surface& truth,
                          const Rig* rig, CaseResult& result) {
  for (auto& metric :
       score_protocols(case_protocols(planned), output.cloud, truth,
                       sized_for(truth, case_score_options(planned), output.cloud.points_m.size()), {}, rig))
    result.record.metrics.push_back(std::move(metric));
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
  score_output(output, *scene.truth.surface, afterwards, result, {}, case_score_options(planned));
  add_view(output, *scene.truth.surface, nullptr, {}, {}, afterwards, result);
  add_protocol_metrics(planned, output, *scene.truth.surface, nullptr, result);
}

// Makes the method's input, runs the method in a process that sees nothing else of it, and returns its
// output; none if it failed, with the reason in the record.
std::optional<Reconstruction> run_apart(const Case& planned, const MethodSpec& method, CaseBoard& board,
                                        const std::filesystem::path& scratch, Observed& observed,
                                        CaseResult& result) {
  const MethodTask task = method_task(planned, method, scratch, board);
  const auto run = std::get<RealMethod>(method.run);
  // Before any truth is in this process, and before it has threads.
  MethodProcess process(task, board, scratch, [&] { return measure_method(planned, run, task, board); });
  set_library_threads(planned.threads);
  board.set_phase("rendering");
  std::optional<Guest> guest = guest_of(planned);
  observed = observe(planned, scratch);
  const IsolateOutcome outcome = process.run();
  auto [record, output] = take_method_result(planned, outcome, process.options(), board, "{dataset}");
  result.record = std::move(record);
  result.record.dataset_sha256 = observed.sha256;
  if (result.record.status != Status::invalid) result.record.timing.dataset_ms = observed.made_ms;
  result.record.guest = std::move(guest);
  take_log(task.input.work_dir, result);
  if (result.record.isolation.starts_with("none")) {
    if (observed.dataset) require_unchanged(observed.dataset->dataset);
    if (observed.recording) require_unchanged(*observed.recording);
  }
  return std::move(output);
}

// `rendered`: the dataset's folder; empty if it was not rendered.
void score_seen(const Case& planned, const DatasetPlan& plan, const std::filesystem::path& rendered,
                Reconstruction& output, const Afterwards& afterwards, CaseResult& result) {
  const Rig& rig = plan.rig;
  const CalibrationError error = case_calibration_error(planned);
  const auto had = wrong_calibration(rig, error);
  if (error.tilt_deg != 0) apply(had->world_from_rig, output);
  const Surface& truth = *plan.scene.truth.surface;
  const auto alignment = alignment_of(planned);
  MetricSet of_poses;
  if (alignment)
    of_poses = align_own_cameras(
        output, rig, alignment->estimates_scale ? FitScale::estimated : FitScale::one, result.record);
  if (alignment && alignment->then_icp) align_to_truth(output, truth, result.record);
  require_scorable(output, truth);
  const ViewCounter views = [&](std::span<const Vec3> positions_m) {
    return count_views(truth, rig, positions_m);
  };
  ScoreOptions options = case_score_options(planned);
  // A room has as many samples for its holes as for its completeness.
  if (truth.patch() == nullptr) options = sized_for(truth, options, output.cloud.points_m.size());
  const MapCalibration* const made_with = had ? &*had : nullptr;
  score_output(output, truth, afterwards, result, views, options);
  if (!rendered.empty()) score_depths(output, rig, made_with, rendered, 0, afterwards, result);
  const ViewHoles holes = diagnose_output(output, truth, rig, made_with, options, result);
  add_view(output, truth, &rig, holes, views, afterwards, result);
  for (auto& metric : of_poses) result.record.metrics.push_back(std::move(metric));
  add_protocol_metrics(planned, output, truth, &rig, result);
}

void run_real(const Case& planned, const MethodSpec& method, CaseBoard& board, const Afterwards& afterwards,
              CaseResult& result) {
  // A sweep has made a folder that it removes even after a crash.
  std::optional<ScratchFolder> own;
  if (board.scratch_dir().empty()) own.emplace();
  const std::filesystem::path scratch = own ? own->path() : board.scratch_dir();
  Observed observed;
  std::optional<Reconstruction> output = run_apart(planned, method, board, scratch, observed, result);
  if (!output || !afterwards.score) return;
  board.set_phase("scoring");
  if (observed.recording)
    return score_recording(planned, *observed.recording, std::move(*output), afterwards, result);
  if (observed.dataset)
    return score_seen(planned, observed.dataset->plan, observed.dataset->dataset.dir(), *output, afterwards,
                      result);
  if (planned.images)
    return score_seen(planned, plan_dataset(dataset_request(planned)), {}, *output, afterwards, result);
  const Scene scene = make_scene(planned.scene, planned.overrides);
  require_scorable(*output, *scene.truth.surface);
  score_output(*output, *scene.truth.surface, afterwards, result, {}, case_score_options(planned));
  add_view(*output, *scene.truth.surface, nullptr, {}, {}, afterwards, result);
  add_protocol_metrics(planned, *output, *scene.truth.surface, nullptr, result);
}

// Does the parts of a case that may throw. Numbers measured before an exception stay in the record.
void run_and_score(const Case& planned, const MethodSpec& method, CaseBoard& board,
                   const Afterwards& afterwards, CaseResult& result) {
  set_thread_count(planned.threads);
  if (!method.simulated()) return run_real(planned, method, board, afterwards, result);
  run_simulated(planned, method, board, afterwards, result);
  result.record.status = Status::ok;
}

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

void load_modules_of(std::span<const Case> cases) {
  if (std::ranges::any_of(cases, [](const Case& planned) { return opencl::is_opencl(planned.device); }))
    opencl::open_if_possible();
  if (std::ranges::any_of(cases, uses_libraries)) torch_table();
}

}  // namespace aqbench
