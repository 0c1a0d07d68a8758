#include "pipeline/external/program_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "core/program_report.h"
#include "core/stage_scope.h"
#include "core/stopwatch.h"
#include "pipeline/external/own_intrinsics.h"
#include "pipeline/external/program_stages.h"
#include "pipeline/external/run_command.h"
#include "scenes/cloud/camera_poses.h"

namespace aqbench {
namespace {

constexpr const char* kCommandStage = "external_command";

bool ended_well(const CommandOutcome& outcome) {
  return outcome.end == CommandOutcome::End::exited && outcome.code == 0;
}

[[noreturn]] void throw_failure(const CommandOutcome& outcome, const CommandOptions& options,
                                const std::string& where) {
  std::string reason = "the command " + describe(outcome, options) + where;
  if (const std::string words = last_words(options.log_file); !words.empty()) reason += "; it said: " + words;
  if (outcome.end == CommandOutcome::End::timeout) throw ProgramFailure(ProgramFailure::How::timeout, reason);
  if (outcome.end == CommandOutcome::End::signalled)
    throw ProgramFailure(ProgramFailure::How::crashed, reason);
  throw Error(ErrorKind::method, reason);
}

std::int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(SteadyClock::now().time_since_epoch()).count();
}

// Reports resource use and stages of the program to the observer. Throws if the program failed, naming its
// current stage, or if its stages cannot be read.
void tell_of_program(const CommandOutcome& outcome, const CommandOptions& options,
                     const StageSources& sources) {
  ProgramReport report{.stage = kCommandStage, .stages = {}, .use = outcome.use};
  std::string where, problem;
  try {
    ReportedStages reported = read_program_stages(sources);
    report.stages = std::move(reported.stages);
    if (!reported.open.empty()) where = fmt::format(", in its stage '{}'", reported.open);
  } catch (const Error& error) {
    problem = error.what();
    where = "; " + problem;
  }
  report_program(report);
  if (!ended_well(outcome)) throw_failure(outcome, options, where);
  if (!problem.empty()) throw Error(ErrorKind::method, problem);
}

void scale(Reconstruction& output, double metres_per_unit) {
  if (metres_per_unit == 1) return;
  for (Vec3& point : output.cloud.points_m) point *= metres_per_unit;
  if (output.mesh)
    for (Vec3& vertex : output.mesh->vertices_m) vertex *= metres_per_unit;
  for (OwnCamera& camera : output.own_cameras) camera.centre *= metres_per_unit;
  for (DepthMap& map : output.depth_maps)
    for (float& depth : map.depth_along_ray_m) depth = static_cast<float>(depth * metres_per_unit);
}

std::vector<OwnCamera> read_own_cameras(const ProgramRun& program) {
  const std::filesystem::path place = (program.output / program.cameras).lexically_normal();
  std::error_code status;
  if (!std::filesystem::exists(place, status))
    throw method_error("the command wrote no {} with its poses to its output folder", program.cameras);
  try {
    std::vector<OwnCamera> cameras = read_camera_poses(place);
    read_own_intrinsics(place, cameras);
    return cameras;
  } catch (const Error& error) {
    throw Error(ErrorKind::method, error.what());
  }
}

}  // namespace

std::filesystem::path output_folder(const MethodInput& input) { return input.work_dir / "output"; }

Reconstruction run_program(const Observation& observation, const MethodInput& input,
                           const ProgramRun& program) {
  const StageScope pipeline("pipeline");
  const std::filesystem::path temporary = input.work_dir / "tmp", stages = input.work_dir / "stages";
  std::error_code failed;
  // Removes results of an earlier repetition.
  for (const std::filesystem::path& folder : {program.output, temporary, stages}) {
    std::filesystem::remove_all(folder, failed);
    std::filesystem::create_directories(folder, failed);
    if (failed) throw io_error("{}: {}", folder.string(), failed.message());
  }
  CommandOptions options{.timeout_s = program.timeout_s,
                         .log_file = input.work_dir / kMethodLog,
                         .variables = program.variables,
                         .working_folder = program.working_folder};
  add_system_access(options.access);
  for (const std::filesystem::path& path : program.reads) options.access.readable.push_back(path);
  options.access.readable.push_back(observation.dataset_dir);
  options.access.writable.push_back(program.output);
  options.access.temporary = temporary;
  StageSources sources{
      .lines_file = stages / "lines", .file = program.output / program.stages, .file_name = program.stages};
  options.variables.emplace_back("AQBENCH_STAGES", sources.lines_file.string());
  options.access.writable.push_back(stages);
  CommandOutcome outcome;
  {
    const StageScope scope(kCommandStage);
    sources.start_ns = monotonic_ns();
    outcome = run_command(program.words, options);
    sources.end_ns = monotonic_ns();
  }
  tell_of_program(outcome, options, sources);
  Reconstruction output = read_result(program.output / program.result, program.result);
  if (!program.depth_maps.empty()) {
    try {
      output.depth_maps = read_result_maps(program.output / program.depth_maps, program.depth_meaning);
    } catch (const Error& error) {
      throw Error(ErrorKind::method, error.what());
    }
  }
  if (!program.cameras.empty()) output.own_cameras = read_own_cameras(program);
  scale(output, program.metres_per_unit);
  return output;
}

}  // namespace aqbench
