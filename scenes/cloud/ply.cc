#include "scenes/cloud/ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "scenes/cloud/ply_source.h"
#include "scenes/cloud/ply_vertices.h"

static_assert(std::endian::native == std::endian::little && sizeof(aqbench::Vec3) == 24 &&
                  sizeof(aqbench::Rgb) == 3,
              "values are written as they lie in memory");

namespace aqbench {
namespace {

// Returns the index of x, y, z, and of nx, ny, nz or nothing, in the vertices of a text that holds no other
// records and no lists; else an empty list.
std::vector<std::size_t> text_columns(const PlyHeader& header) {
  std::vector<std::size_t> columns;
  for (const PlyElement& element : header.elements) {
    if (element.count == 0) continue;
    if (element.name != "vertex" || std::ranges::any_of(element.properties, &PlyProperty::is_list)) return {};
    for (const char* const name : {"x", "y", "z", "nx", "ny", "nz"})
      if (const int index = element.find(name); index >= 0)
        columns.push_back(static_cast<std::size_t>(index));
    if (element.find("x") < 0 || element.find("y") < 0 || element.find("z") < 0) return {};
    if (columns.size() < 6) columns.resize(3);
  }
  return columns;
}

// The vertices of a text, up to the end of its current part.
class PlyTextVertices {
 public:
  // `columns` are those of x, y, z and perhaps nx, ny, nz.
  PlyTextVertices(const PlyElement& vertex, std::vector<std::size_t> columns)
      : vertex_(vertex), slots_(vertex.properties.size(), kNoSlot) {
    for (std::size_t slot = 0; slot < columns.size(); ++slot) slots_[columns[slot]] = slot;
    has_normals_ = columns.size() == 6;
  }

  bool is_last() const { return records_ == vertex_.count; }

  // Reads the next record into the cloud.
  void read(PlyAsciiSource& source, PointCloud& cloud) {
    std::array<double, 6> values{};
    source.begin_record(vertex_, records_++);
    for (std::size_t p = 0; p < slots_.size(); ++p) {
      const double value = source.number(vertex_.properties[p], vertex_.properties[p].type);
      if (slots_[p] != kNoSlot) values[slots_[p]] = value;
    }
    source.end_record();
    cloud.points_m.emplace_back(values[0], values[1], values[2]);
    if (has_normals_) cloud.normals.emplace_back(values[3], values[4], values[5]);
  }

 private:
  static constexpr std::size_t kNoSlot = SIZE_MAX;

  const PlyElement& vertex_;
  std::vector<std::size_t> slots_;  // of each property, in x y z nx ny nz
  bool has_normals_ = false;
  std::uint64_t records_ = 0;
};

// Returns the points of a text of vertices alone; nullptr for other texts.
std::shared_ptr<const CloudBlocks> open_text(OpenFile file, const PlyHeader& header, std::uint64_t at_least,
                                             std::size_t part_bytes) {
  const std::vector<std::size_t> columns = text_columns(header);
  const auto vertex = std::ranges::find(header.elements, "vertex", &PlyElement::name);
  if (columns.empty() || vertex->count < at_least) return nullptr;
  const std::string start = read_part(file, 0, header.data_offset);
  if (start.size() < header.data_offset) fail_ply(file.name, "the file shrank while it was read");
  TextParts parts(std::move(file), header.data_offset, header.line_end, part_bytes);
  PlyAsciiSource source(start, header, parts.file().name);
  PlyTextVertices vertices(*vertex, columns);
  PointSpool spool;
  while (parts.next()) {
    if (parts.lines().empty()) source.fail_line(long_line_text(part_bytes));
    source.go_on(parts.lines());
    PointCloud cloud;
    while (!vertices.is_last() && source.has_line()) vertices.read(source, cloud);
    if (vertices.is_last()) source.expect_end();
    make_unit_length(cloud.normals);
    spool.append(cloud);
  }
  PointCloud none;
  if (!vertices.is_last()) vertices.read(source, none);  // says that the file ends
  return std::move(spool).blocks(parts.file().name);
}

// ---- Writing ----

template <class Value>
void append(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The header of a file up to the coordinates of its vertices.
std::string vertex_header(std::size_t count) {
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\n"
      "property double x\nproperty double y\nproperty double z\n",
      count);
}

}  // namespace

std::shared_ptr<const CloudBlocks> open_ply_blocks(const std::filesystem::path& path, std::uint64_t at_least,
                                                   std::size_t part_bytes) {
  OpenFile file = open_file(path);
  const std::optional<PlyHeader> header = read_ply_header(file);
  if (!header) return nullptr;
  if (header->format == PlyFormat::ascii) return open_text(std::move(file), *header, at_least, part_bytes);
  const auto layout = ply_vertex_layout(*header, file.bytes);
  if (!layout || layout->points < at_least) return nullptr;
  return record_blocks(std::move(file), *layout);
}

std::string ply_cloud_bytes(const PointCloud& cloud, const std::string& name) {
  const std::size_t count = cloud.points_m.size();
  const bool normals = !cloud.normals.empty(), confidence = !cloud.confidence.empty(),
             colours = !cloud.colours.empty();
  if ((normals && cloud.normals.size() != count) || (confidence && cloud.confidence.size() != count) ||
      (colours && cloud.colours.size() != count))
    throw input_error("{}: {} points with {} normals, {} confidences and {} colours", name, count,
                      cloud.normals.size(), cloud.confidence.size(), cloud.colours.size());
  std::string bytes = vertex_header(count);
  if (normals) bytes += "property double nx\nproperty double ny\nproperty double nz\n";
  if (confidence) bytes += "property float confidence\n";
  if (colours) bytes += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  bytes += "end_header\n";
  bytes.reserve(bytes.size() + count * sizeof(Vec3) * (normals ? 2 : 1));
  for (std::size_t i = 0; i < count; ++i) {
    append(bytes, cloud.points_m[i]);
    if (normals) append(bytes, cloud.normals[i]);
    if (confidence) append(bytes, cloud.confidence[i]);
    if (colours) append(bytes, cloud.colours[i]);
  }
  return bytes;
}

void write_ply_cloud(const std::filesystem::path& path, const PointCloud& cloud) {
  write_file(path, ply_cloud_bytes(cloud, path.string()));
}

void write_ply_mesh(const std::filesystem::path& path, const TriangleMesh& mesh) {
  const std::size_t count = mesh.vertices_m.size();
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (const std::uint32_t index : mesh.triangles[i])
      if (index >= count || index > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
        throw input_error("{}: triangle {} uses vertex {} of {}", path.string(), i, index, count);
  std::string bytes = vertex_header(count);
  bytes += fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                       mesh.triangles.size());
  bytes.reserve(bytes.size() + count * sizeof(Vec3) + mesh.triangles.size() * 13);
  for (const Vec3& vertex : mesh.vertices_m) append(bytes, vertex);
  for (const auto& triangle : mesh.triangles) {
    append(bytes, std::uint8_t{3});
    append(bytes, triangle);
  }
  write_file(path, bytes);
}

}  // namespace aqbench
