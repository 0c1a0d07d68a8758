#include "scenes/cloud/mesh_formats.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "scenes/cloud/text_lines.h"
#include "scenes/triangles/faces.h"

namespace aqbench {
namespace {

Vec3 obj_vertex(const TextLines& lines, std::string_view rest) {
  Vec3 position;
  for (int axis = 0; axis < 3; ++axis) position[axis] = lines.number(take_word(rest), "vertex");
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest))
    lines.number(word, "vertex");  // a weight or a colour
  return position;
}

// Returns the vertex that "12/5/3" or "-1" names, among `vertices` read so far.
std::uint32_t obj_index(const TextLines& lines, std::string_view word, std::size_t vertices) {
  const std::string_view digits = word.substr(0, word.find('/'));
  std::int64_t value = 0;
  const auto [last, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (status != std::errc{} || last != digits.data() + digits.size() || digits.empty())
    lines.fail("face: '{}' is not an index", word);
  const auto count = static_cast<std::int64_t>(vertices);
  const std::int64_t index = value < 0 ? count + value : value - 1;
  if (value == 0 || index < 0 || index >= count)
    lines.fail("face: vertex {} of {} does not exist", value, count);
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

}  // namespace

Reconstruction read_obj(std::string_view bytes, const std::string& name) {
  TextLines lines(bytes, name);
  Reconstruction result;
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
  if (faces.empty()) return result;
  const std::vector<Vec3>& vertices = result.cloud.points_m;
  result.mesh = TriangleMesh{vertices, cut_faces(std::move(faces), vertices, name)};
  return result;
}

}  // namespace aqbench
