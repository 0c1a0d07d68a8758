#include "scenes/cloud/ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>

#include "core/error.h"
#include "core/files.h"

namespace aqbench {
namespace {

// Appends values in the chosen format; `end_record` ends the line in ASCII.
class PlySink {
 public:
  explicit PlySink(const PlyWriteOptions& options)
      : options_(options),
        ascii_(options.format == PlyFormat::ascii),
        swap_((options.format == PlyFormat::binary_big_endian) != (std::endian::native == std::endian::big)) {
  }

  void reserve_more(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }
  void header(const std::string& text) { bytes_ += text; }

  void real(double value) {
    if (options_.double_precision) {
      append(value);
    } else {
      append(static_cast<float>(value));
    }
  }

  template <class T>
  void append(T value) {
    if (ascii_) {
      if (!bytes_.ends_with('\n')) bytes_ += ' ';
      fmt::format_to(std::back_inserter(bytes_), "{}", value);
      return;
    }
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (swap_) std::reverse(raw, raw + sizeof(T));
    bytes_.append(raw, sizeof(T));
  }

  void end_record() {
    if (ascii_) bytes_ += '\n';
  }

  const std::string& bytes() const { return bytes_; }

 private:
  PlyWriteOptions options_;
  bool ascii_;
  bool swap_;
  std::string bytes_;
};

std::string_view ply_format_name(PlyFormat format) {
  switch (format) {
    case PlyFormat::ascii:
      return "ascii";
    case PlyFormat::binary_little_endian:
      return "binary_little_endian";
    case PlyFormat::binary_big_endian:
      break;
  }
  return "binary_big_endian";
}

std::string real_properties(const PlyWriteOptions& options, std::initializer_list<const char*> names) {
  std::string lines;
  for (const char* const name : names)
    lines += fmt::format("property {} {}\n", options.double_precision ? "double" : "float", name);
  return lines;
}

void append_vector(PlySink& sink, const Vec3& vector) {
  for (int axis = 0; axis < 3; ++axis) sink.real(vector[axis]);
}

}  // namespace

std::string ply_cloud_bytes(const PointCloud& cloud, const PlyWriteOptions& options,
                            const std::string& name) {
  const std::size_t count = cloud.points_m.size();
  const bool normals = !cloud.normals.empty();
  const bool confidence = !cloud.confidence.empty();
  const bool colours = !cloud.colours.empty();
  if ((normals && cloud.normals.size() != count) || (confidence && cloud.confidence.size() != count) ||
      (colours && cloud.colours.size() != count))
    throw input_error("{}: {} points with {} normals, {} confidences and {} colours", name, count,
                      cloud.normals.size(), cloud.confidence.size(), cloud.colours.size());
  PlySink sink(options);
  sink.header(fmt::format("ply\nformat {} 1.0\nelement vertex {}\n", ply_format_name(options.format), count));
  sink.header(real_properties(options, {"x", "y", "z"}));
  if (normals) sink.header(real_properties(options, {"nx", "ny", "nz"}));
  if (confidence) sink.header("property float confidence\n");
  if (colours) sink.header("property uchar red\nproperty uchar green\nproperty uchar blue\n");
  sink.header("end_header\n");
  sink.reserve_more(count * 24 * (normals ? 2 : 1));
  for (std::size_t i = 0; i < count; ++i) {
    append_vector(sink, cloud.points_m[i]);
    if (normals) append_vector(sink, cloud.normals[i]);
    if (confidence) sink.append(cloud.confidence[i]);
    if (colours)
      for (const std::uint8_t level : cloud.colours[i]) sink.append(level);
    sink.end_record();
  }
  return std::string(sink.bytes());
}

void write_ply_cloud(const std::filesystem::path& path, const PointCloud& cloud,
                     const PlyWriteOptions& options) {
  write_file(path, ply_cloud_bytes(cloud, options, path.string()));
}

void write_ply_mesh(const std::filesystem::path& path, const TriangleMesh& mesh,
                    const PlyWriteOptions& options) {
  const std::size_t count = mesh.vertices_m.size();
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (const std::uint32_t index : mesh.triangles[i])
      if (index >= count || index > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
        throw input_error("{}: triangle {} uses vertex {} of {}", path.string(), i, index, count);
  PlySink sink(options);
  sink.header(fmt::format("ply\nformat {} 1.0\nelement vertex {}\n", ply_format_name(options.format), count));
  sink.header(real_properties(options, {"x", "y", "z"}));
  sink.header(fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                          mesh.triangles.size()));
  sink.reserve_more(count * 24 + mesh.triangles.size() * 13);
  for (const Vec3& vertex : mesh.vertices_m) {
    append_vector(sink, vertex);
    sink.end_record();
  }
  for (const auto& triangle : mesh.triangles) {
    sink.append(std::uint8_t{3});
    for (const std::uint32_t index : triangle) sink.append(static_cast<std::int32_t>(index));
    sink.end_record();
  }
  write_file(path, sink.bytes());
}

}  // namespace aqbench
