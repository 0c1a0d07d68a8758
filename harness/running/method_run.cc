#include "harness/running/method_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "core/error.h"
#include "core/text.h"
#include "harness/measuring/library_threads.h"
#include "harness/measuring/opencl_device.h"
#include "harness/planning/select.h"
#include "harness/records/case_name.h"
#include "harness/records/case_result.h"
#include "harness/running/measured_case.h"
#include "pipeline/opencl/opencl.h"

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
  return input;
}

Reconstruction run_measured(const Case& planned, const std::function<Reconstruction()>& run, CaseBoard& board,
                            Record& record) {
  MeasuredCase measured(planned, board, record);
  const auto run_once = [&](Reconstruction& output) {
    output = {};  // two whole outputs at once would show in the memory
    output = run();
  };
  Reconstruction output;
  measured.run_cold([&] { run_once(output); });
  if (measured.corrupts_output()) corrupt(output);
  record.output_sha256 = output_sha256(output);
  Reconstruction repeated;
  measured.run_warm({[&] { run_once(repeated); },
                     [&] {
                       if (measured.corrupts_output()) corrupt(repeated);
                       return output_sha256(repeated);
                     }});
  return output;
}

void check_output(const Reconstruction& output) {
  const std::vector<Vec3>& points_m = output.cloud.points_m;
  if (points_m.empty()) throw Error(ErrorKind::method, "it gave no points");
  const auto bad = std::ranges::count_if(points_m, [](const Vec3& point) { return !point.allFinite(); });
  if (bad > 0) throw method_error("{} of its {} points are not finite", bad, points_m.size());
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

}  // namespace aqbench
