#pragma once
// PLY files as other programs store them.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include "scenes/cloud/ply_source.h"

namespace aqbench {

// How a file is stored.
struct PlyForm {
  PlyFormat format = PlyFormat::binary_little_endian;
  bool double_precision = true;  // of coordinates and normals
};

// Returns the bytes of a file with this cloud and these faces; ASCII numbers are the shortest that read back
// the same.
inline std::string ply_bytes(const PlyForm& form, const PointCloud& cloud, const TriangleMesh& mesh = {}) {
  const char* const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  const auto properties = [](const char* type, std::initializer_list<const char*> all) {
    std::string lines;
    for (const char* const name : all) lines += fmt::format("property {} {}\n", type, name);
    return lines;
  };
  const char* const real = form.double_precision ? "double" : "float";
  std::string bytes = fmt::format("ply\nformat {} 1.0\nelement vertex {}\n",
                                  names[static_cast<int>(form.format)], cloud.points_m.size()) +
                      properties(real, {"x", "y", "z"});
  if (!cloud.normals.empty()) bytes += properties(real, {"nx", "ny", "nz"});
  if (!cloud.confidence.empty()) bytes += properties("float", {"confidence"});
  if (!cloud.colours.empty()) bytes += properties("uchar", {"red", "green", "blue"});
  if (!mesh.triangles.empty())
    bytes += fmt::format("element face {}\nproperty list uchar int vertex_indices\n", mesh.triangles.size());
  bytes += "end_header\n";
  const auto put = [&](auto value) {
    if (form.format == PlyFormat::ascii) {
      fmt::format_to(std::back_inserter(bytes), "{}{}", bytes.ends_with('\n') ? "" : " ", value);
      return;
    }
    std::string raw(reinterpret_cast<const char*>(&value), sizeof value);
    if (swaps_ply_bytes(form.format)) std::ranges::reverse(raw);
    bytes += raw;
  };
  const auto put_vector = [&](const Vec3& vector) {
    for (const double value : vector) form.double_precision ? put(value) : put(static_cast<float>(value));
  };
  const auto end_record = [&] { bytes += form.format == PlyFormat::ascii ? "\n" : ""; };
  for (std::size_t i = 0; i < cloud.points_m.size(); ++i, end_record()) {
    put_vector(cloud.points_m[i]);
    if (!cloud.normals.empty()) put_vector(cloud.normals[i]);
    if (!cloud.confidence.empty()) put(cloud.confidence[i]);
    if (!cloud.colours.empty())
      for (const std::uint8_t level : cloud.colours[i]) put(level);
  }
  for (const auto& triangle : mesh.triangles) {
    put(std::uint8_t{3});
    for (const std::uint32_t index : triangle) put(static_cast<std::int32_t>(index));
    end_record();
  }
  return bytes;
}

}  // namespace aqbench
