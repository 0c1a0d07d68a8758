#include "scenes/cloud/mesh_formats.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "scenes/cloud/text_lines.h"
#include "scenes/triangles/faces.h"

namespace aqbench {
namespace {

std::string_view next_off_line(TextLines& lines) {
  std::string_view line;
  if (!lines.next_content(line)) lines.fail("the file ends before the last record of its header");
  return line;
}

// Header fields: the values per vertex and the number of records.
struct OffHeader {
  bool normals = false;
  std::uint64_t vertices = 0, faces = 0;
};

OffHeader read_off_header(TextLines& lines) {
  OffHeader header;
  std::string_view line = next_off_line(lines);
  const std::string_view kind = line.substr(0, line.find_first_of("0123456789 \t"));
  line.remove_prefix(kind.size());
  if (kind != "OFF" && kind != "COFF" && kind != "NOFF" && kind != "CNOFF")
    lines.fail("not a supported OFF file (the first word must be OFF, COFF, NOFF or CNOFF)");
  header.normals = kind.find('N') != std::string_view::npos;
  if (const auto rest = trim_blanks(line); rest.empty() || rest.front() == '#') line = next_off_line(lines);
  header.vertices = lines.count(take_word(line), "number of vertices");
  header.faces = lines.count(take_word(line), "number of faces");
  // A record takes at least a digit and a separator: memory is bounded by the file's size.
  if (header.vertices > lines.bytes_left() / 2 + 1 || header.faces > lines.bytes_left() / 2 + 1)
    lines.fail("the header promises {} vertices and {} faces, but {} bytes are left", header.vertices,
               header.faces, lines.bytes_left());
  return header;
}

void add_off_face(const TextLines& lines, std::string_view line, std::uint64_t vertices, FaceList& faces) {
  const std::uint64_t corners = lines.count(take_word(line), "face");
  if (corners < 3) lines.fail("a face of {} vertices", corners);
  std::vector<std::uint32_t> indices;
  for (std::uint64_t i = 0; i < corners; ++i) {
    const std::uint64_t index = lines.count(take_word(line), "face");
    if (index >= vertices) lines.fail("face: vertex {} of {} does not exist", index, vertices);
    indices.push_back(static_cast<std::uint32_t>(index));
  }
  faces.add(indices);
}

}  // namespace

bool is_off(std::string_view start) {
  return start.starts_with("OFF") && start.size() > 3 &&
         std::string_view("0123456789 \t\r\n").find(start[3]) != std::string_view::npos;
}

Reconstruction read_off(std::string_view bytes, const std::string& name) {
  TextLines lines(bytes, name);
  const OffHeader header = read_off_header(lines);
  Reconstruction result;
  for (std::uint64_t i = 0; i < header.vertices; ++i) {
    std::string_view line = next_off_line(lines);
    Vec3 position, normal;
    for (int axis = 0; axis < 3; ++axis) position[axis] = lines.number(take_word(line), "vertex");
    result.cloud.points_m.push_back(position);
    if (!header.normals) continue;
    for (int axis = 0; axis < 3; ++axis) normal[axis] = lines.number(take_word(line), "normal");
    result.cloud.normals.push_back(normal);
  }
  FaceList faces;
  for (std::uint64_t i = 0; i < header.faces; ++i)
    add_off_face(lines, next_off_line(lines), header.vertices, faces);
  std::string_view more;
  if (lines.next_content(more)) lines.fail("text after the last record of the header");
  if (faces.empty()) return result;
  const std::vector<Vec3>& vertices = result.cloud.points_m;
  result.mesh = TriangleMesh{vertices, cut_faces(std::move(faces), vertices, name)};
  return result;
}

}  // namespace aqbench
