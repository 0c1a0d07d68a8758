#include "harness/records/case_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

void put_part(std::string& bytes, std::string_view part) {
  const std::uint64_t size = part.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += part;
}

std::string_view take_part(std::string_view& bytes) {
  std::uint64_t size = 0;
  if (bytes.size() >= sizeof size) {
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (size <= bytes.size()) {
      const std::string_view part = bytes.substr(0, size);
      bytes.remove_prefix(size);
      return part;
    }
  }
  throw input_error("the result of a case is truncated");
}

void require_known_file(const std::string& path, const Record& record, const std::string& source) {
  if (!is_case_file(path))
    throw input_error("{}: its artefact '{}' is outside the bundle", source, printable(path));
  if (std::ranges::find(record.files, path, &CaseFile::path) == record.files.end())
    throw input_error("{}: its record does not name its artefact '{}'", source, path);
}

template <class Element>
std::string array_line(std::string_view name, const std::vector<Element>& array) {
  const std::string_view bytes(reinterpret_cast<const char*>(array.data()), array.size() * sizeof(Element));
  return fmt::format("{} {} {}\n", name, array.size(), sha256_hex(bytes));
}

}  // namespace

std::string encode_case_result(const CaseResult& result) {
  std::string bytes;
  Record record = result.record;
  record.files.clear();
  for (const auto& [path, content] : result.artefacts)
    if (is_case_file(path)) record.files.push_back({path, sha256_hex(content)});
  put_part(bytes, to_json(record).dump());
  for (const auto& [path, content] : result.artefacts) {
    put_part(bytes, path);
    put_part(bytes, content);
  }
  if (!result.unwritten.empty()) {
    put_part(bytes, "");
    put_part(bytes, result.unwritten);
  }
  return bytes;
}

CaseResult decode_case_result(std::string_view bytes, const std::string& source) {
  CaseResult result;
  const std::string_view record = take_part(bytes);
  result.record = record_from_json(parse_strict_json(record, source, kMessageJson), source);
  while (!bytes.empty()) {
    const std::string path(take_part(bytes));
    std::string content(take_part(bytes));
    if (path.empty()) {
      result.unwritten = std::move(content);
      continue;
    }
    require_known_file(path, result.record, source);
    result.artefacts.emplace_back(path, std::move(content));
  }
  return result;
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
  for (const OwnCamera& camera : reconstruction.own_cameras) {
    lines += fmt::format("own_camera {}\n", camera.name) +
             array_line("own_from_camera", std::vector<Eigen::Matrix3d>{camera.own_from_camera}) +
             array_line("centre", std::vector<Vec3>{camera.centre});
    if (camera.intrinsics) lines += array_line("intrinsics", std::vector<OwnIntrinsics>{*camera.intrinsics});
    if (camera.distortion && !camera.distortion->empty())
      lines += array_line("distortion", *camera.distortion);
  }
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

std::string case_file(std::string_view folder, std::string_view case_name, std::string_view ending) {
  return fmt::format("{}/{}{}", folder, file_name_of(case_name), ending);
}

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
  record.defaults = planned.defaults;
  for (const Fault& fault : planned.faults) record.injected.push_back({fault.stage, fault.effect, 0});
  return record;
}

}  // namespace aqbench
