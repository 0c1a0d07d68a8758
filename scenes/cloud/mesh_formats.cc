#include "scenes/cloud/mesh_formats.h"

#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "scenes/cloud/text_lines.h"
#include "scenes/triangles/faces.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench {
namespace {

// Adds the mesh of the faces, if there are any, on the points.
GeometryFile with_mesh(GeometryFile read, FaceList faces, const std::string& name) {
  const std::vector<Vec3>& vertices = read.cloud.points_m;
  if (!faces.empty()) read.mesh = TriangleMesh{vertices, cut_faces(std::move(faces), vertices, name)};
  return read;
}

Vec3 take_vector(const TextLines& lines, std::string_view& rest, std::string_view what) {
  Vec3 vector;
  for (int axis = 0; axis < 3; ++axis) vector[axis] = lines.number(take_word(rest), what);
  return vector;
}

// ---- OBJ ----

Vec3 obj_vertex(const TextLines& lines, std::string_view rest) {
  const Vec3 position = take_vector(lines, rest, "vertex");
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest))
    lines.number(word, "vertex");  // a weight or a colour
  return position;
}

// Returns the vertex that "12/5/3" or "-1" names, among `vertices` read so far.
std::uint32_t obj_index(const TextLines& lines, std::string_view word, std::size_t vertices) {
  const std::string_view digits = word.substr(0, word.find('/'));
  const auto value = parse_whole<std::int64_t>(digits);
  if (!value) lines.fail("face: '{}' is not an index", word);
  const auto count = static_cast<std::int64_t>(vertices);
  const std::int64_t index = *value < 0 ? count + *value : *value - 1;
  if (*value == 0 || index < 0 || index >= count)
    lines.fail("face: vertex {} of {} does not exist", *value, count);
  return static_cast<std::uint32_t>(index);
}

void add_obj_face(const TextLines& lines, std::string_view rest, std::size_t vertices,
                  std::vector<std::uint32_t>& corners, FaceList& faces) {
  corners.clear();
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest))
    corners.push_back(obj_index(lines, word, vertices));
  if (corners.size() < 3) lines.fail("a face of {} vertices", corners.size());
  faces.add(corners);
}

// Goes to the next statement. A vertex or face whose lines end in '\' is put together in `joined`; in other
// statements that may be the end of a path ("mtllib C:\models\"), and what they go on with is skipped anyway.
bool next_statement(TextLines& lines, std::string_view& statement, std::string& joined) {
  if (!lines.next_content(statement)) return false;
  std::string_view rest = statement;
  const std::string_view kind = take_word(rest);
  if (!statement.ends_with('\\') || (kind != "v" && kind != "f")) return true;
  joined.clear();
  while (statement.ends_with('\\')) {
    joined.append(statement.substr(0, statement.size() - 1)).push_back(' ');
    if (!lines.next(statement)) lines.fail("the file ends inside a continued statement");
  }
  statement = joined.append(statement);
  return true;
}

// ---- OFF ----

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

// ---- STL ----

constexpr std::size_t kStlHeaderBytes = 84, kStlTriangleBytes = 50;

std::uint32_t stl_triangle_count(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  return count;
}

// Makes one vertex of the corners at one place. Three corners each make a triangle.
TriangleMesh weld_corners(std::vector<Vec3> corners) {
  for (Vec3& corner : corners) corner.array() += 0.0;  // -0 becomes 0
  // The first corner at each place stands for it; vertices keep the order of the file.
  std::vector<std::uint32_t> vertex = first_at_place(corners);
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i < corners.size(); ++i) {
    if (vertex[i] == i) {
      vertex[i] = static_cast<std::uint32_t>(mesh.vertices_m.size());
      mesh.vertices_m.push_back(corners[i]);
    } else {
      vertex[i] = vertex[vertex[i]];  // an earlier corner, numbered already
    }
  }
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
    mesh.triangles.push_back({vertex[i], vertex[i + 1], vertex[i + 2]});
  return mesh;
}

std::vector<Vec3> binary_stl_corners(std::string_view bytes) {
  const std::uint32_t count = stl_triangle_count(bytes);
  std::vector<Vec3> corners;
  corners.reserve(std::size_t{3} * count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::array<float, 12> values{};  // the normal, then three corners
    std::memcpy(values.data(), bytes.data() + kStlHeaderBytes + i * kStlTriangleBytes, sizeof values);
    for (std::size_t k = 3; k < 12; k += 3) corners.emplace_back(values[k], values[k + 1], values[k + 2]);
  }
  return corners;
}

void expect_stl_words(TextLines& lines, std::string_view line, std::string_view first,
                      std::string_view second) {
  if (lower_case(take_word(line)) != first || lower_case(take_word(line)) != second)
    lines.fail("expected '{} {}'", first, second);
}

std::vector<Vec3> text_stl_corners(std::string_view bytes, const std::string& name) {
  TextLines lines(bytes, name);
  std::vector<Vec3> corners;
  std::string_view line;
  bool ended = false;
  const auto next = [&] {
    if (!lines.next_content(line)) lines.fail("the file ends inside a facet");
    return line;
  };
  while (lines.next_content(line)) {
    std::string_view rest = line;
    const std::string word = lower_case(take_word(rest));
    if (word == "solid" || word == "endsolid") {
      ended = word == "endsolid";
      continue;
    }
    expect_stl_words(lines, line, "facet", "normal");
    expect_stl_words(lines, next(), "outer", "loop");
    for (int corner = 0; corner < 3; ++corner) {
      rest = next();
      if (lower_case(take_word(rest)) != "vertex") lines.fail("expected 'vertex'");
      corners.push_back(take_vector(lines, rest, "vertex"));
    }
    if (lower_case(next()) != "endloop") lines.fail("expected 'endloop'");
    if (lower_case(next()) != "endfacet") lines.fail("expected 'endfacet'");
  }
  if (!ended) lines.fail("the file ends before 'endsolid'");
  return corners;
}

// As long as its count of triangles says, but for zeros or line ends that follow.
bool is_binary_stl(std::string_view bytes) {
  if (bytes.size() < kStlHeaderBytes) return false;
  const std::size_t end = kStlHeaderBytes + stl_triangle_count(bytes) * kStlTriangleBytes;
  return bytes.size() >= end && is_filling(bytes.substr(end));
}

}  // namespace

GeometryFile read_obj(std::string_view bytes, const std::string& name) {
  TextLines lines(bytes, name);
  GeometryFile result;
  FaceList faces;
  std::vector<std::uint32_t> corners;  // of a face
  std::string_view line;
  std::string joined;
  while (next_statement(lines, line, joined)) {
    const std::string_view kind = take_word(line);
    if (kind == "v") {
      result.cloud.points_m.push_back(obj_vertex(lines, line));
      if (result.cloud.points_m.size() > std::numeric_limits<std::uint32_t>::max())
        lines.fail("more than 2^32 - 1 vertices");
    } else if (kind == "f" || kind == "fo") {
      add_obj_face(lines, line, result.cloud.points_m.size(), corners, faces);
    }
  }
  return with_mesh(std::move(result), std::move(faces), name);
}

bool is_off(std::string_view start) {
  return start.starts_with("OFF") && start.size() > 3 &&
         std::string_view("0123456789 \t\r\n").find(start[3]) != std::string_view::npos;
}

GeometryFile read_off(std::string_view bytes, const std::string& name) {
  TextLines lines(bytes, name);
  const OffHeader header = read_off_header(lines);
  GeometryFile result;
  for (std::uint64_t i = 0; i < header.vertices; ++i) {
    std::string_view line = next_off_line(lines);
    result.cloud.points_m.push_back(take_vector(lines, line, "vertex"));
    if (header.normals) result.cloud.normals.push_back(take_vector(lines, line, "normal"));
  }
  FaceList faces;
  for (std::uint64_t i = 0; i < header.faces; ++i)
    add_off_face(lines, next_off_line(lines), header.vertices, faces);
  std::string_view more;
  if (lines.next_content(more)) lines.fail("text after the last record of the header");
  return with_mesh(std::move(result), std::move(faces), name);
}

GeometryFile read_stl(std::string_view bytes, const std::string& name) {
  const bool binary = is_binary_stl(bytes);
  if (!binary && lower_case(bytes.substr(0, 5)) != "solid")
    throw input_error(
        "{}: {} bytes do not match the triangle count of a binary STL, "
        "and a text STL starts with 'solid'",
        name, bytes.size());
  std::vector<Vec3> corners = binary ? binary_stl_corners(bytes) : text_stl_corners(bytes, name);
  GeometryFile result;
  if (corners.empty()) return result;
  result.mesh = weld_corners(std::move(corners));
  result.cloud.points_m = result.mesh->vertices_m;
  return result;
}

}  // namespace aqbench
