#include "harness/running/run_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>

#include "core/files.h"
#include "core/module.h"
#include "core/parallel.h"
#include "core/scratch_folder.h"
#include "harness/measuring/libraries.h"
#include "harness/measuring/roofline.h"
#include "harness/measuring/timing.h"
#include "harness/planning/case_options.h"
#include "harness/planning/scene_choice.h"
#include "harness/running/case_input.h"
#include "harness/running/file_scores.h"
#include "harness/running/measured_case.h"
#include "harness/running/method_process.h"
#include "harness/running/method_run.h"
#include "harness/running/sampled_scene.h"
#include "harness/scoring/evaluate.h"
#include "harness/scoring/photographs.h"
#include "harness/scoring/true_surface.h"
#include "pipeline/method/method.h"
#include "pipeline/opencl/opencl.h"
#include "scenes/cloud/npy.h"
#include "scenes/cloud/ply.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

void fill_rates(const Case& planned, const WorkloadSpec& spec, const WorkloadRun& run, Timing& timing) {
  for (const WorkloadFigure& figure : run.figures()) timing.figures.emplace_back(figure.name, figure.value);
  timing.verdict = run.verdict();
  const auto typical = typical_ms(timing);
  if (!typical || *typical <= 0) return;
  const WorkloadCost cost = run.cost();
  if (cost.items > 0) {
    timing.throughput = cost.items / (1e-3 * *typical);
    timing.throughput_unit = spec.throughput_unit;
  }
  if (cost.flops <= 0 || planned.device != "cpu") return;  // the roofline is the processor's
  add_roofline(measure_roofline(planned.threads), cost.flops, cost.bytes, cost.single_precision, *typical,
               timing.figures);
}

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

void write_map(const std::filesystem::path& file, const DepthMap& map, const std::vector<float>& values) {
  const std::array<std::size_t, 2> shape = {static_cast<std::size_t>(map.height),
                                            static_cast<std::size_t>(map.width)};
  write_npy(file, std::span<const float>(values), shape);
}

void write_output(const Reconstruction& output, const std::filesystem::path& files,
                  const std::filesystem::path& dir) {
  if (folder_exists(files)) std::filesystem::copy(files, dir, std::filesystem::copy_options::recursive);
  if (!output.cloud.points_m.empty()) write_ply_cloud(dir / "cloud.ply", output.cloud);
  if (output.mesh) write_ply_mesh(dir / "mesh.ply", *output.mesh);
  if (output.depth_maps.empty()) return;
  make_folders(dir / kDepthFolder);
  for (const DepthMap& map : output.depth_maps) {
    write_map(dir / kDepthFolder / (map.camera + ".npy"), map, map.depth_along_ray_m);
    if (!map.confidence.empty())
      write_map(dir / kDepthFolder / (map.camera + "_confidence.npy"), map, map.confidence);
  }
}

// Returns why an output could not be written; "" where it was. A full disk is no failure of the method.
std::string write_problem(const Reconstruction& output, const std::filesystem::path& files,
                          const std::filesystem::path& dir) {
  try {
    write_output(output, files, dir);
  } catch (const std::filesystem::filesystem_error& error) {
    return error.what();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    return error.what();
  }
  return "";
}

// Returns what the output of a case is scored against: what its method observed, or its scene alone. Refers
// to the recording.
Subject subject_of(const Case& planned, const Observed& observed) {
  if (observed.recording) {
    const Recording& recording = observed.recording->recording;
    const RecordingTruth& truth = observed.recording->truth;
    Subject subject{.rig = recording.rig,
                    .recording = &recording,
                    .truth = &truth,
                    .frame = recording_frame(planned),
                    .depths_dir = recording.dir};
    if (recording.has_cameras() && truth.has_surface())
      subject.scene = true_scene(truth, subject.frame, planned.scene, recording);
    return subject;
  }
  if (!observed.dataset && !planned.images) return {.scene = make_scene(planned.scene, planned.overrides)};
  const DatasetPlan plan = observed.dataset ? observed.dataset->plan : plan_dataset(dataset_request(planned));
  return {.scene = plan.scene,
          .rig = plan.rig,
          .depths_dir = observed.dataset ? observed.dataset->dataset.dir() : std::filesystem::path()};
}

// Evaluates an output by the options of its case.
void score_case(const Case& planned, const Subject& subject, Reconstruction output, const KeptFiles& kept,
                CaseResult& result, std::shared_ptr<const SurfaceSamples> samples = {}) {
  EvaluateOptions options{.protocols = case_protocols(planned),
                          .kept = kept,
                          .calibration_error = case_calibration_error(planned),
                          .may_miss = !planned.simulated};
  if (const auto alignment = alignment_of(planned)) {
    if (alignment->by_cameras)
      options.own_cameras = alignment->estimates_scale ? FitScale::estimated : FitScale::one;
    options.then = alignment->then;
  }
  if (const Surface* const surface = subject.surface()) {
    const std::size_t points = output.cloud.points_m.size();
    if (subject.recording != nullptr) options.score = score_options_of(*subject.truth, *surface, points);
    options.score = scoring_of(planned, *surface, points, std::move(options.score));
    options.score.samples = std::move(samples);
  }
  evaluate(subject, {std::move(output)}, options, result);
  if (kept.pictures) keep_photographs(subject, result);
}

void run_simulated(const Case& planned, const MethodSpec& method, CaseBoard& board, const KeptFiles& kept,
                   bool scores, CaseResult& result) {
  SampledScene sampled = sampled_scene(planned);
  const Subject subject{.scene = std::move(sampled.scene)};
  const MethodInput input = method_input(planned, method, {});
  const SimulatedMethod run = std::get<SimulatedMethod>(method.run);
  Reconstruction output = run_measured(
      planned, [&] { return run(subject.scene->truth, input); }, board, result.record);
  if (scores) {
    board.set_phase("scoring");
    score_case(planned, subject, std::move(output), kept, result, std::move(sampled.samples));
  }
  result.record.status = Status::ok;
}

// Makes the method's input, runs the method in a process that sees nothing else of it, and returns its
// output; none if it failed, with the reason in the record.
std::optional<Reconstruction> run_apart(const Case& planned, const MethodSpec& method, CaseBoard& board,
                                        const std::filesystem::path& scratch, Observed& observed,
                                        CaseResult& result) {
  const MethodTask task = method_task(planned, method, scratch, board);
  const auto run = std::get<RealMethod>(method.run);
  // Before any truth is in this process, and before it has threads.
  const Descriptor output_file = memory_file("output of a method");
  MethodProcess process(
      task, board, scratch,
      [&] { return encode_case_result(measure_method(planned, run, task, board, output_file.get())); },
      output_file.get());
  if (method.guest != nullptr || planned.device == "cuda") process.watch_gpus();
  set_library_threads(planned.threads);
  board.set_phase("rendering");
  std::optional<Guest> guest = guest_of(planned);
  observed = observe(planned, scratch);
  // Its record alone: files of a case are for the scoring process to write.
  result.record = result_of(planned, process.run(), process.options(), board, "{dataset}").record;
  std::optional<Reconstruction> output;
  if (result.record.status == Status::ok) {
    output = read_reconstruction(output_file.get());
    result.record.effective = output->effective;
  }
  result.record.dataset_sha256 = observed.sha256;
  if (is_given(planned)) {  // reading files is no run of the method
    result.record.timing = {};
    result.record.stages.clear();
  } else {
    if (result.record.status != Status::invalid) result.record.timing.dataset_ms = observed.made_ms;
    process.note_gpu_memory(result.record);
  }
  result.record.guest = std::move(guest);
  take_log(task.input.work_dir, result);
  if (result.record.isolation.starts_with("none")) {
    if (observed.dataset) require_unchanged(observed.dataset->dataset);
    if (observed.recording) require_unchanged(*observed.recording);
  }
  return output;
}

void run_real(const Case& planned, const MethodSpec& method, CaseBoard& board, const KeptFiles& kept,
              bool scores, CaseResult& result) {
  // A sweep has made a folder that it removes even after a crash.
  std::optional<ScratchFolder> own;
  if (board.scratch_dir().empty()) own.emplace();
  const std::filesystem::path scratch = own ? own->path() : board.scratch_dir();
  Observed observed;
  std::optional<Reconstruction> output = run_apart(planned, method, board, scratch, observed, result);
  const std::filesystem::path files = scratch / kWorkFolder / kProtocolFilesFolder;
  if (output && !kept.output_dir.empty()) result.unwritten = write_problem(*output, files, kept.output_dir);
  if (!output || !scores || !result.unwritten.empty()) return;
  board.set_phase("scoring");
  const Subject subject = subject_of(planned, observed);
  const TrueViews truth{subject.rig.value_or(Rig()), subject.depths_dir, subject.frame, observed.held_out};
  MetricSet of_files = score_files(planned, truth, *output, files, scratch);
  if (gives_cloud(planned)) score_case(planned, subject, *std::move(output), kept, result);
  add_metrics(std::move(of_files), result.record.metrics);
}

CaseResult run_one_case(const Case& planned, CaseBoard& board, const KeptFiles& kept, bool scores = true) {
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
    set_thread_count(planned.threads);
    if (workload)
      run_workload(planned, board, result);
    else if (const MethodSpec method = method_of(planned); method.simulated())
      run_simulated(planned, method, board, kept, scores, result);
    else
      run_real(planned, method, board, kept, scores, result);
  } catch (...) {
    note_failure(record);
  }
  return result;
}

bool uses_libtorch(const Case& planned) {
  if (!planned.workload.empty()) return true;
  if (!uses_libraries(planned)) return false;
  const ParameterValue* const kernel = find_option(planned, planned.method + ".kernel");
  return method_of(planned).uses_libtorch || (kernel != nullptr && to_string(*kernel) == "torch");
}

}  // namespace

WorkloadInput workload_input(const Case& planned, const WorkloadSpec& spec) {
  WorkloadInput input;
  input.parameters = resolve_parameters(spec.name, spec.parameters, planned.overrides);
  input.seed = planned.seed;
  input.device = planned.device;
  input.threads = planned.threads;
  return input;
}

void prove_output(WorkloadRun& run, MetricSet& metrics) {
  std::string broken;
  for (const Identity& identity : run.identities()) {
    metrics.emplace_back(identity.name, Metric{identity.measured, "1", Better::equal, ""});
    if (identity.holds()) continue;
    broken += fmt::format("{}{} is {:.9g}, not {:.9g} +- {:.2g}", broken.empty() ? "" : "; ", identity.name,
                          identity.measured, identity.expected, identity.tolerance);
  }
  if (!broken.empty()) throw InvalidOutput(broken);
}

std::optional<std::string> workload_skip_reason(const Case& planned) {
  set_thread_count(planned.threads);  // drivers start threads when they are asked for devices
  const WorkloadSpec& spec = find_workload(planned.workload);
  if (planned.device == "cuda" && !cuda_device_available()) return std::string("no CUDA device is available");
  if (opencl::is_opencl(planned.device))
    if (auto problem = opencl_device_problem(planned.device)) return problem;
  if (spec.skip_reason == nullptr) return std::nullopt;
  const std::string reason = spec.skip_reason(workload_input(planned, spec));
  return reason.empty() ? std::nullopt : std::optional(reason);
}

void run_workload(const Case& planned, CaseBoard& board, CaseResult& result) {
  set_library_threads(planned.threads);
  const WorkloadSpec& spec = find_workload(planned.workload);
  const std::unique_ptr<WorkloadRun> run = spec.prepare(workload_input(planned, spec));

  Record& record = result.record;
  MeasuredCase measured(planned, board, record);
  measured.run_cold([&] { run->run_once(); });
  if (measured.corrupts_output()) run->corrupt_output();
  prove_output(*run, record.metrics);
  record.output_sha256 = run->output_sha256();
  measured.run_warm({[&] { run->run_once(); }, [&] { return run->output_sha256(); }});
  fill_rates(planned, spec, *run, record.timing);
  record.status = Status::ok;
}

CaseResult run_case(const Case& planned, CaseBoard& board) {
  return run_one_case(planned, board, {.pictures = false});
}

CaseResult run_case_keeping(const Case& planned, CaseBoard& board, const KeptFiles& kept) {
  return run_one_case(planned, board, kept);
}

CaseResult run_case_unscored(const Case& planned, CaseBoard& board, const std::filesystem::path& output_dir) {
  return run_one_case(planned, board, {.output_dir = output_dir}, false);
}

void load_modules_of(std::span<const Case> cases) {
  if (std::ranges::any_of(cases, [](const Case& planned) { return opencl::is_opencl(planned.device); }))
    opencl::open_if_possible();
  if (std::ranges::any_of(cases, uses_libraries)) methods_table();
  if (std::ranges::any_of(cases, uses_libtorch)) torch_table();
}

}  // namespace aqbench
