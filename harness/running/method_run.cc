#include "harness/running/method_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/measuring/libraries.h"
#include "harness/planning/case_options.h"
#include "harness/planning/select.h"
#include "harness/records/case_name.h"
#include "harness/records/case_result.h"
#include "harness/records/guests.h"
#include "harness/running/measured_case.h"
#include "pipeline/opencl/opencl.h"
#include "scenes/cloud/measurable.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

void corrupt(Reconstruction& reconstruction) {
  for (Vec3& point : reconstruction.cloud.points_m) point.z() += kCorruptShiftM;
  if (reconstruction.mesh)
    for (Vec3& vertex : reconstruction.mesh->vertices_m) vertex.z() += kCorruptShiftM;
  for (DepthMap& map : reconstruction.depth_maps)
    for (float& depth : map.depth_along_ray_m) depth += static_cast<float>(kCorruptShiftM);
}

// Of the built-in methods the plane sweep alone has code for OpenCL; a program of the user's may have its
// own.
std::optional<std::string> opencl_skip_reason(const Case& planned, const MethodSpec& method) {
  const bool own_program = method.declaration != nullptr || method.name == "external";
  if (!own_program && method.name != "plane_sweep")
    return fmt::format("{} has no code for OpenCL", method.name);
  if (!own_program && method_parameters(planned, method).text("kernel") != "fused")
    return fmt::format("kernel {} has no code for OpenCL; only fused has",
                       method_parameters(planned, method).text("kernel"));
  return opencl_device_problem(planned.device);
}

namespace fs = std::filesystem;

// The hash of a file, which stays while nothing is written to it. Files of a sweep are asked for after each
// case, and weights have gigabytes.
std::string file_sha256(const fs::path& file) {
  using Version = std::array<std::int64_t, 7>;
  static std::map<fs::path, std::pair<Version, std::string>> known;
  const auto version_of = [&file] {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return Version{};
    return Version{static_cast<std::int64_t>(status.st_dev),
                   static_cast<std::int64_t>(status.st_ino),
                   status.st_size,
                   status.st_mtim.tv_sec,
                   status.st_mtim.tv_nsec,
                   status.st_ctim.tv_sec,
                   status.st_ctim.tv_nsec};
  };
  const fs::path path = fs::absolute(file);
  const Version version = version_of();
  const auto found = known.find(path);
  if (found != known.end() && found->second.first == version) return found->second.second;
  std::string sha256 = sha256_file_hex(file);
  // What is being written may have the same times afterwards: the clock of file systems has steps.
  constexpr std::int64_t kSettled_s = 2;
  if (version_of() == version && ::time(nullptr) - version[5] > kSettled_s)
    known.insert_or_assign(path, std::pair(version, sha256));
  return sha256;
}

// "tank" of "dataset:tank", "ship" of "mesh:data/ship.ply".
std::string scene_label(const std::string& scene) {
  if (scene.starts_with(kDatasetPrefix)) return scene.substr(kDatasetPrefix.size());
  if (scene.starts_with(kMeshPrefix)) return fs::path(scene.substr(kMeshPrefix.size())).stem().string();
  return scene;
}

std::string folder_sha256(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  std::ranges::sort(files);
  Sha256 all;
  for (const fs::path& file : files)
    all.add(fmt::format("{} {}\n", file.lexically_relative(folder).generic_string(), file_sha256(file)));
  return all.hex();
}

std::pair<std::string, std::string> hashed(const GuestPart& part) {
  if (!part.sha256.empty() || part.file.empty()) return {part.name, part.sha256};
  if (folder_exists(part.file)) {
    const bool ends = part.name.ends_with('/');
    return {ends ? part.name : part.name + "/", folder_sha256(part.file)};
  }
  return {part.name, path_exists(part.file) ? file_sha256(part.file) : ""};
}

std::optional<Guest> hashed_guest(const MethodSpec& method, const MethodInput& input) {
  if (method.guest == nullptr) return std::nullopt;
  Guest guest;
  for (const GuestPart& part : method.guest(input)) guest.files.push_back(hashed(part));
  if (method.declaration && !method.declaration->runs_in.kind.empty())
    guest.runs_in = fmt::format("{} {}", method.declaration->runs_in.kind, method.declaration->runs_in.place);
  return guest;
}

// Files that git does not know, such as results, are no change of the repository.
void ask_repository(const fs::path& folder, Guest& guest) {
  const ProgramAnswer commit = ask_git(folder, {"rev-parse", "HEAD"});
  if (!commit.ok) return;
  guest.commit = commit.output;
  const ProgramAnswer status = ask_git(folder, {"status", "--porcelain", "--untracked-files=no"});
  if (status.ok) guest.changed = !status.output.empty();
}

// The hash of an output and of the files for protocols beside it; of a single file or folder without a cloud
// that of the file, as eval has it.
std::string hash_with_files(const Reconstruction& output, const fs::path& work_dir) {
  const fs::path folder = work_dir / kProtocolFilesFolder;
  if (work_dir.empty() || !folder_exists(folder)) return output_sha256(output);
  std::vector<fs::path> files;
  for (const fs::path& kind : entries_of(folder))
    for (const fs::path& file : entries_of(kind)) files.push_back(file);
  if (files.size() == 1 && output.cloud.points_m.empty() && output.depth_maps.empty() &&
      output.own_cameras.empty())
    return folder_exists(files[0]) ? folder_sha256(files[0]) : file_sha256(files[0]);
  return sha256_hex(output_sha256(output) + folder_sha256(folder));
}

}  // namespace

std::optional<std::string> method_skip_reason(const Case& planned, const MethodSpec& method) {
  if (planned.device == "cpu") return std::nullopt;
  if (method.simulated()) return fmt::format("{} is simulated and runs on the CPU only", method.name);
  if (opencl::is_opencl(planned.device)) return opencl_skip_reason(planned, method);
  if (!cuda_device_available()) return std::string("no CUDA device is available");
  return std::nullopt;
}

Parameters method_parameters(const Case& planned, const MethodSpec& method) {
  std::vector<Override> overrides = preset_overrides(method, planned.preset);
  overrides.insert(overrides.end(), planned.overrides.begin(), planned.overrides.end());
  return resolve_parameters(method.name, method.parameters, overrides);
}

MethodInput method_input(const Case& planned, const MethodSpec& method,
                         const std::filesystem::path& work_dir) {
  MethodInput input;
  input.parameters = method_parameters(planned, method);
  input.seed = planned.seed;
  input.device = planned.device;
  input.work_dir = work_dir;
  input.declaration = method.declaration;
  input.project_dir = planned.project_dir;
  input.own_poses = has_own_poses(planned.name);
  input.scene = scene_label(planned.scene);
  return input;
}

Reconstruction run_measured(const Case& planned, const std::function<Reconstruction()>& run, CaseBoard& board,
                            Record& record, const fs::path& work_dir) {
  MeasuredCase measured(planned, board, record);
  const auto run_once = [&](Reconstruction& output) {
    output = {};  // two whole outputs at once would show in the memory
    output = run();
  };
  Reconstruction output;
  measured.run_cold([&] { run_once(output); });
  if (measured.corrupts_output()) corrupt(output);
  record.output_sha256 = hash_with_files(output, work_dir);
  Reconstruction repeated;
  measured.run_warm({[&] { run_once(repeated); },
                     [&] {
                       if (measured.corrupts_output()) corrupt(repeated);
                       return hash_with_files(repeated, work_dir);
                     }});
  return output;
}

void check_output(const Reconstruction& output) {
  const std::vector<Vec3>& points_m = output.cloud.points_m;
  if (points_m.empty()) throw method_error("it gave no points");
  const auto bad = std::ranges::count_if(points_m, std::not_fn(is_measurable));
  if (bad > 0)
    throw method_error("{} of its {} points are not finite, or beyond 1e100 m", bad, points_m.size());
}

void note_failure(Record& record) {
  record.status = Status::failed;
  record.metrics.clear();
  try {
    throw;
  } catch (const CannotRunHere& problem) {
    record.status = Status::skipped;
    record.reason = one_line(problem.what());
    record.timing = {};
  } catch (const ProgramFailure& failure) {
    record.status = failure.how() == ProgramFailure::How::timeout ? Status::timeout : Status::crashed;
    record.reason = one_line(failure.what());
  } catch (const InvalidOutput& invalid) {
    record.status = Status::invalid;
    record.reason = one_line(invalid.what());
    record.timing = {};  // wrong output has no meaningful time
  } catch (const std::bad_alloc&) {
    record.reason = "out of memory";
  } catch (const std::exception& error) {
    record.reason = one_line(error.what());
  } catch (...) {
    record.reason = "unknown exception";
  }
  if (record.reason.empty()) record.reason = "failed without a message";
}

std::optional<Guest> guest_of(const Case& planned) {
  if (!planned.workload.empty()) return std::nullopt;
  const MethodSpec method = method_of(planned);
  return guest_of(method, method_input(planned, method, {}));
}

std::optional<Guest> guest_of(const MethodSpec& method, const MethodInput& input) {
  std::optional<Guest> guest = hashed_guest(method, input);
  if (guest) ask_repository(input.project_dir.empty() ? fs::path(".") : input.project_dir, *guest);
  return guest;
}

std::optional<Guest> program_of(const Case& planned) {
  if (!planned.workload.empty() || planned.simulated) return std::nullopt;
  const MethodSpec method = method_of(planned);
  return hashed_guest(method, method_input(planned, method, {}));
}

void require_unchanged_guest(const Case& planned, const Record& record) {
  if (!record.guest) return;
  if (const auto now = program_of(planned)) require_unchanged(planned.name, *record.guest, *now);
}

}  // namespace aqbench
