#include "pipeline/external/program_run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/program_report.h"
#include "core/stage_scope.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "pipeline/external/program_stages.h"
#include "pipeline/external/run_command.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/dataset/colmap_files.h"
#include "scenes/dataset/colmap_rig.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

void set_intrinsics(const std::string& name, const std::optional<OwnIntrinsics>& found,
                    std::vector<OwnCamera>& cameras, const std::string& file) {
  const auto camera = std::ranges::find(cameras, name, &OwnCamera::name);
  if (!found || camera == cameras.end()) return;
  if (!(found->fx_px > 0 && found->fy_px > 0 && found->width_px >= 1 && found->height_px >= 1))
    throw input_error("{}: camera '{}': focal length and size must be positive", file, escape_bytes(name));
  camera->intrinsics = found;
}

void read_of_colmap(const fs::path& dir, std::vector<OwnCamera>& cameras) {
  if (find_colmap_model(dir) != dir) return;  // images without cameras
  const ColmapModel model = read_colmap_model(dir);
  for (const ColmapImage& image : model.images)
    set_intrinsics(image.name, colmap_intrinsics(model.cameras.at(image.camera_id)), cameras,
                   model.files.front().string());
}

// nullopt unless focal length and size are there. The principal point is the middle if it is not.
std::optional<OwnIntrinsics> intrinsics_of_frame(const JsonPlace& frame, const JsonPlace& root) {
  const auto number = [&](std::string_view key) -> std::optional<double> {
    auto found = frame.find(key);
    if (!found) found = root.find(key);
    return found ? std::optional(found->number()) : std::nullopt;
  };
  const auto width = number("w"), height = number("h");
  if (!width || !height) return std::nullopt;
  auto fx = number("fl_x");
  if (const auto angle_rad = number("camera_angle_x"); !fx && angle_rad)
    fx = 0.5 * *width / std::tan(0.5 * *angle_rad);
  if (!fx) return std::nullopt;
  return OwnIntrinsics{*fx,
                       number("fl_y").value_or(*fx),
                       number("cx").value_or(0.5 * *width) - 0.5,
                       number("cy").value_or(0.5 * *height) - 0.5,
                       *width,
                       *height};
}

// Fills in the intrinsics of cameras that read_camera_poses() read from `path`: of a COLMAP model the cameras
// beside its images, of transforms.json fl_x, fl_y, cx, cy, w and h of the frame or the top. Those that are
// not there, and of a lens model of COLMAP that no camera here can hold, stay without. Throws Error(input)
// naming the file and what is malformed.
void read_own_intrinsics(const fs::path& path, std::vector<OwnCamera>& cameras) {
  std::error_code unknown;
  const fs::path file = fs::is_directory(path, unknown) ? colmap_images_file(path) : path;
  if (lower_case(file.stem().string()) == "images") return read_of_colmap(file.parent_path(), cameras);
  const std::string text = read_text_file(file);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || text[start] != '{') return;  // TUM's lines
  const Json json = parse_strict_json(text, file.string());
  const JsonPlace root(json, file.string());
  for (const JsonPlace& frame : root.at("frames").elements())
    set_intrinsics(frame.at("file_path").text(), intrinsics_of_frame(frame, root), cameras, file.string());
}

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
