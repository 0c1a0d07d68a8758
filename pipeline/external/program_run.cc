#include "pipeline/external/external.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/stage_scope.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/transform.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

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

std::vector<OwnCamera> read_own_cameras(const fs::path& output_dir, const std::string& name) {
  const fs::path place = (output_dir / name).lexically_normal();
  if (!path_exists(place))
    throw method_error("the command wrote no {} with its poses to its output folder", name);
  std::vector<OwnCamera> cameras = read_camera_poses(place);
  read_own_intrinsics(place, cameras);
  return cameras;
}

constexpr double kClientTimeoutS = 60;

const RunsIn& runs_in_of(const MethodInput& input) { return input.declaration->runs_in; }

// The image as the client takes it: a file of the project, or a name of a registry.
std::string image_of(const MethodInput& input) {
  const fs::path file = input.project_dir / runs_in_of(input).place;
  return is_file(file) ? file.lexically_normal().string() : runs_in_of(input).place;
}

std::vector<std::string> container_words(const MethodInput& input, std::vector<std::string> words,
                                         const fs::path& working_folder, const std::vector<fs::path>& bound) {
  const bool podman = runs_in_of(input).kind == "podman";
  std::vector<std::string> all = {runs_in_of(input).kind, podman ? "run" : "exec"};
  if (podman) all.emplace_back("--rm");
  for (const fs::path& folder : bound) {
    all.emplace_back(podman ? "--volume" : "--bind");
    all.push_back(fmt::format("{0}:{0}", folder.string()));
  }
  all.emplace_back(podman ? "--workdir" : "--pwd");
  all.push_back(working_folder.string());
  std::vector<std::string> names = {"AQBENCH_STAGES"};
  for (const auto& [name, value] : input.declaration->environment) names.push_back(name);
  if (podman)  // apptainer passes all variables on
    for (const std::string& name : names) {
      all.emplace_back("--env");
      all.push_back(name);
    }
  all.push_back(image_of(input));
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace

Reconstruction read_results(const fs::path& output_dir, const ProgramRun& program) {
  try {
    Reconstruction output;
    if (!program.result.empty()) output = read_result(output_dir / program.result, program.result);
    if (!program.depth_maps.empty())
      read_result_maps(output_dir / program.depth_maps, program.depth_meaning, output);
    if (!program.cameras.empty()) output.own_cameras = read_own_cameras(output_dir, program.cameras);
    scale(output, program.metres_per_unit);
    if (!program.world_from_cloud.empty()) {
      const Similarity world_from_cloud = read_similarity(output_dir / program.world_from_cloud);
      apply(world_from_cloud, output);
      output.effective.emplace_back("world_from_cloud_scale", world_from_cloud.scale);
    }
    return output;
  } catch (const Error& error) {
    throw Error(ErrorKind::method, error.what());
  }
}

void keep_protocol_files(const MethodInput& input, const fs::path& folder, const std::string& given) {
  const fs::path kept = input.work_dir / kProtocolFilesFolder;
  std::error_code error;
  fs::remove_all(kept, error);  // of an earlier repetition
  for (const auto& [kind, place] : protocol_files(*input.declaration)) {
    const std::string& name = place.empty() ? given : place;
    const fs::path from = (folder / name).lexically_normal();
    if (!path_exists(from))
      throw Error(ErrorKind::method, given.empty()
                                         ? fmt::format("the command wrote no {} to its output folder", name)
                                         : fmt::format("{}: no such file", from.string()));
    make_folders(kept / kind);
    // What a link leads to is read here, where the method may read, and nowhere else.
    fs::copy(from, kept / kind / from.filename(), fs::copy_options::recursive, error);
    if (error) throw method_error("{}: {}", from.string(), error.message());
  }
}

fs::path output_folder(const MethodInput& input) { return input.work_dir / "output"; }

Reconstruction run_program(const Observation& observation, const MethodInput& input,
                           const ProgramRun& program) {
  const StageScope pipeline("pipeline");
  const fs::path output_dir = output_folder(input), temporary = input.work_dir / "tmp",
                 stages = input.work_dir / "stages";
  // Removes results of an earlier repetition.
  for (const fs::path& folder : {output_dir, temporary, stages}) {
    std::error_code unknown;
    fs::remove_all(folder, unknown);
    make_folders(folder);
  }
  CommandOptions options{.timeout_s = program.timeout_s,
                         .log_file = input.work_dir / kMethodLog,
                         .variables = program.variables,
                         .working_folder = program.working_folder};
  add_system_access(options.access);
  for (const fs::path& path : program.reads) options.access.readable.push_back(path);
  options.access.readable.push_back(observation.dataset_dir);
  options.access.writable.push_back(output_dir);
  options.access.temporary = temporary;
  StageSources sources{
      .lines_file = stages / "lines", .file = output_dir / program.stages, .file_name = program.stages};
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
  Reconstruction output = read_results(output_dir, program);
  keep_protocol_files(input, output_dir);
  return output;
}

std::vector<std::string> words_in_environment(const MethodInput& input, std::vector<std::string> words,
                                              const fs::path& working_folder,
                                              const std::vector<fs::path>& bound) {
  const RunsIn& runs_in = runs_in_of(input);
  if (runs_in.is_container()) return container_words(input, std::move(words), working_folder, bound);
  const fs::path folder = environment_folder(runs_in, input.project_dir);
  if (!folder.empty() && !words.empty() && words.front().find('/') == std::string::npos)
    if (const fs::path program = folder / "bin" / words.front(); path_exists(program))
      words.front() = program.string();
  return words;
}

std::vector<std::pair<std::string, std::string>> environment_variables(const MethodInput& input) {
  const fs::path folder = environment_folder(runs_in_of(input), input.project_dir);
  if (folder.empty()) return {};
  const char* const path = std::getenv("PATH");
  return {{"PATH", fmt::format("{}:{}", (folder / "bin").string(), path != nullptr ? path : "/usr/bin:/bin")},
          {runs_in_of(input).kind == "venv" ? "VIRTUAL_ENV" : "CONDA_PREFIX", folder.string()}};
}

std::string environment_problem(const MethodInput& input) {
  const RunsIn& runs_in = runs_in_of(input);
  if (runs_in.kind.empty()) return {};
  if (runs_in.is_container()) {
    if (find_in_path(runs_in.kind) == runs_in.kind)
      return fmt::format("runs_in: {}: no such program in PATH", runs_in.kind);
    const fs::path file = input.project_dir / runs_in.place;
    if (runs_in.kind == "apptainer" && !path_exists(file))
      return fmt::format("runs_in: {}: no such image", file.string());
    return {};
  }
  const fs::path folder = environment_folder(runs_in, input.project_dir);
  if (folder_exists(folder / "bin")) return {};
  return fmt::format("runs_in: {} is not an environment of {}: it has no folder bin", folder.string(),
                     runs_in.kind);
}

std::vector<GuestPart> image_part(const MethodInput& input) {
  const RunsIn& runs_in = runs_in_of(input);
  if (!runs_in.is_container()) return {};
  const fs::path file = input.project_dir / runs_in.place;
  if (path_exists(file)) return {{runs_in.place, file.lexically_normal()}};
  const ProgramAnswer answer = ask_program(
      {runs_in.kind, "image", "inspect", "--format", "{{.Digest}}", runs_in.place}, kClientTimeoutS);
  std::string digest = answer.output;
  while (digest.ends_with('\n')) digest.pop_back();
  constexpr std::string_view kind = "sha256:";
  if (!answer.ok || !digest.starts_with(kind) || digest.size() != kind.size() + 64)
    throw method_error("runs_in: {} gives no digest of image {}: {}", runs_in.kind, runs_in.place,
                       answer.ok ? one_line(answer.output) : answer.problem);
  return {{runs_in.place, {}, digest.substr(kind.size())}};
}

void require_container_starts(const MethodInput& input, const ProgramRun& program,
                              const fs::path& dataset_dir) {
  if (!runs_in_of(input).is_container()) return;
  CommandOptions options{.timeout_s = kClientTimeoutS, .log_file = input.work_dir / "container.txt"};
  add_system_access(options.access);
  options.access.readable.insert(options.access.readable.end(), program.reads.begin(), program.reads.end());
  options.access.readable.push_back(dataset_dir);
  options.access.temporary = input.work_dir / "tmp";
  std::error_code unknown;
  fs::create_directories(options.access.temporary, unknown);
  const std::vector<std::string> words = {
      runs_in_of(input).kind, runs_in_of(input).kind == "podman" ? "run" : "exec", image_of(input), "true"};
  const CommandOutcome outcome = run_command(words, options);
  if (outcome.end == CommandOutcome::End::exited && outcome.code == 0) return;
  const std::string said = last_words(options.log_file);
  throw CannotRunHere(fmt::format("{} cannot start image {} inside the isolation: it {}{}", words[0],
                                  runs_in_of(input).place, describe(outcome, options),
                                  said.empty() ? "" : "; it said: " + said));
}

}  // namespace aqbench
