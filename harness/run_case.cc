#include "harness/run_case.h"

#include <fmt/format.h>

#include <bit>
#include <exception>
#include <new>
#include <optional>

#include "harness/inject.h"
#include "harness/library_threads.h"
#include "harness/measured_case.h"
#include "harness/run_workload.h"
#include "harness/select.h"
#include "harness/text.h"
#include "metrics/score.h"
#include "metrics/tiles.h"
#include "pipeline/method.h"
#include "scenes/core/error.h"
#include "scenes/core/parallel.h"
#include "scenes/core/ply.h"
#include "scenes/core/sha256.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

Parameters method_parameters(const Case& planned, const MethodSpec& method) {
  std::vector<Override> overrides = preset_overrides(method, planned.preset);
  overrides.insert(overrides.end(), planned.overrides.begin(), planned.overrides.end());
  return resolve_parameters(method.name, method.parameters, overrides);
}

// Why the case cannot run here, if so.
std::optional<std::string> skip_reason(const Case& planned, const MethodSpec& method) {
  if (planned.device != "cuda") return std::nullopt;
  if (method.simulated()) return fmt::format("{} is simulated and runs on the CPU alone", method.name);
  if (!cuda_device_available()) return std::string("there is no CUDA device here");
  return std::nullopt;
}

Reconstruction run_method(const Case& planned, const MethodSpec& method, const Scene& scene) {
  MethodInput input;
  input.parameters = method_parameters(planned, method);
  input.seed = planned.seed;
  input.device = planned.device;
  if (const auto* simulated = std::get_if<SimulatedMethod>(&method.run))
    return (*simulated)(scene.truth, input);
  throw Error(ErrorKind::method,
              fmt::format("{} needs images of the scene, and '{}' has none", method.name, scene.name));
}

void corrupt(Reconstruction& reconstruction) {
  for (Vec3& point : reconstruction.cloud.points_m) point.z() += kCorruptShiftM;
  if (reconstruction.mesh)
    for (Vec3& vertex : reconstruction.mesh->vertices_m) vertex.z() += kCorruptShiftM;
  for (DepthMap& map : reconstruction.depth_maps)
    for (float& depth : map.depth_along_ray_m) depth += static_cast<float>(kCorruptShiftM);
}

// Everything of a case that may throw. What is measured before it throws stays in the record.
void run_and_score(const Case& planned, const MethodSpec& method, CaseBoard& board, bool keep_cloud,
                   CaseResult& result) {
  set_thread_count(planned.threads);
  if (!method.simulated()) set_library_threads(planned.threads);
  const Scene scene = make_scene(planned.scene, planned.overrides);

  MeasuredCase measured(planned, board, result.record);
  Reconstruction reconstruction;
  measured.run_cold([&] { reconstruction = run_method(planned, method, scene); });
  if (measured.corrupts_output()) corrupt(reconstruction);
  result.record.output_sha256 = output_sha256(reconstruction);
  Reconstruction repeated;
  measured.run_warm({[&] { repeated = run_method(planned, method, scene); },
                     [&] {
                       if (measured.corrupts_output()) corrupt(repeated);
                       return output_sha256(repeated);
                     }});
  Score score = score_reconstruction(reconstruction, *scene.truth.surface, ScoreOptions{});
  result.record.metrics = std::move(score.metrics);
  if (!score.tiles.tiles.empty())
    result.artefacts.emplace_back("tiles/" + file_name_of(planned.name) + ".csv", tiles_to_csv(score.tiles));
  if (keep_cloud)
    result.artefacts.emplace_back("clouds/" + file_name_of(planned.name) + ".ply",
                                  ply_cloud_bytes(reconstruction.cloud));
  result.record.status = Status::ok;
}

std::string count_and_hash(std::string_view name, std::size_t count, const void* data, std::size_t bytes) {
  const std::string_view view(static_cast<const char*>(data), bytes);
  return fmt::format("{} {} {}\n", name, count, sha256_hex(view));
}

template <class Element>
std::string array_line(std::string_view name, const std::vector<Element>& array) {
  return count_and_hash(name, array.size(), array.data(), array.size() * sizeof(Element));
}

}  // namespace

Record planned_record(const Case& planned) {
  Record record;
  record.case_name = planned.name;
  record.scene = planned.scene;
  record.method = planned.method;
  record.preset = planned.preset;
  record.workload = planned.workload;
  record.simulated = planned.simulated;
  record.axes = {{"seed", static_cast<std::int64_t>(planned.seed)},
                 {"threads", std::int64_t{planned.threads}},
                 {"device", planned.device}};
  record.axes.insert(record.axes.end(), planned.axes.begin(), planned.axes.end());
  record.options = planned.options;
  for (const Fault& fault : planned.faults) record.injected.push_back({fault.stage, fault.effect, 0});
  return record;
}

namespace {

CaseResult run_one_case(const Case& planned, CaseBoard& board, bool keep_cloud) {
  CaseResult result{planned_record(planned), {}};
  Record& record = result.record;
  try {
    const bool workload = !planned.workload.empty();
    const auto reason =
        workload ? workload_skip_reason(planned) : skip_reason(planned, find_method(planned.method));
    if (reason) {
      record.status = Status::skipped;
      record.reason = *reason;
      return result;
    }
    if (workload)
      run_workload(planned, board, result);
    else
      run_and_score(planned, find_method(planned.method), board, keep_cloud, result);
  } catch (const std::bad_alloc&) {
    record.reason = "out of memory";
  } catch (const std::exception& error) {
    record.reason = one_line(error.what());
  } catch (...) {
    record.reason = "an exception that is no std::exception";
  }
  if (record.status != Status::ok) {
    record.status = Status::failed;
    record.metrics.clear();
    if (record.reason.starts_with("invalid: ")) record.timing = {};  // wrong output has no time worth telling
    if (record.reason.empty()) record.reason = "failed without a message";
  }
  return result;
}

}  // namespace

CaseResult run_case(const Case& planned, CaseBoard& board) { return run_one_case(planned, board, false); }

CaseResult run_case_keeping_cloud(const Case& planned, CaseBoard& board) {
  return run_one_case(planned, board, true);
}

std::string output_sha256(const Reconstruction& reconstruction) {
  static_assert(std::endian::native == std::endian::little && sizeof(Vec3) == 3 * sizeof(double));
  std::string lines = array_line("points_m", reconstruction.cloud.points_m) +
                      array_line("normals", reconstruction.cloud.normals) +
                      array_line("confidence", reconstruction.cloud.confidence);
  if (reconstruction.mesh)
    lines += array_line("vertices_m", reconstruction.mesh->vertices_m) +
             array_line("triangles", reconstruction.mesh->triangles);
  for (const DepthMap& map : reconstruction.depth_maps)
    lines += fmt::format("depth_map {} {} {}\n", map.camera, map.width, map.height) +
             array_line("depth_along_ray_m", map.depth_along_ray_m) +
             array_line("confidence", map.confidence);
  return sha256_hex(lines);
}

std::string file_name_of(std::string_view case_name) {
  constexpr std::size_t max_bytes = 160;
  constexpr std::string_view others = "_.=,+-";
  std::string name;
  bool ambiguous = case_name.find("__") != std::string_view::npos;
  for (const char c : case_name) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      others.find(c) != std::string_view::npos;
    name += kept ? std::string(1, c) : c == '/' ? "__" : "_";
    ambiguous = ambiguous || (!kept && c != '/');
  }
  if (!ambiguous && name.size() <= max_bytes && !name.starts_with('.')) return name;
  return fmt::format("_{}-{}", name.substr(0, max_bytes), sha256_hex(case_name).substr(0, 8));
}

}  // namespace aqbench
