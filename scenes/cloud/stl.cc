#include "scenes/cloud/mesh_formats.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {
namespace {

constexpr std::size_t kStlHeaderBytes = 84, kStlTriangleBytes = 50;

std::uint32_t stl_triangle_count(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  return count;
}

// Makes one vertex of the corners at one place. Three corners each make a triangle.
TriangleMesh weld_corners(std::vector<Vec3> corners) {
  for (Vec3& corner : corners) corner.array() += 0.0;  // -0 becomes 0
  std::vector<std::uint32_t> order(corners.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::memcmp(corners[a].data(), corners[b].data(), sizeof(Vec3));
  };
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const int sign = before(a, b);
    return sign != 0 ? sign < 0 : a < b;
  });
  // The first corner at each place stands for it; vertices keep the order of the file.
  std::vector<std::uint32_t> vertex(corners.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    vertex[order[i]] = i > 0 && before(order[i - 1], order[i]) == 0 ? vertex[order[i - 1]] : order[i];
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
      Vec3& position = corners.emplace_back();
      for (int axis = 0; axis < 3; ++axis) position[axis] = lines.number(take_word(rest), "vertex");
    }
    if (lower_case(next()) != "endloop") lines.fail("expected 'endloop'");
    if (lower_case(next()) != "endfacet") lines.fail("expected 'endfacet'");
  }
  if (!ended) lines.fail("the file ends before 'endsolid'");
  return corners;
}

}  // namespace

bool is_binary_stl(std::string_view bytes) {
  if (bytes.size() < kStlHeaderBytes) return false;
  const std::size_t end = kStlHeaderBytes + stl_triangle_count(bytes) * kStlTriangleBytes;
  return bytes.size() >= end && is_filling(bytes.substr(end));
}

Reconstruction read_stl(std::string_view bytes, const std::string& name) {
  const bool binary = is_binary_stl(bytes);
  if (!binary && lower_case(bytes.substr(0, 5)) != "solid")
    throw input_error(
        "{}: {} bytes do not match the triangle count of a binary STL, "
        "and a text STL starts with 'solid'",
        name, bytes.size());
  std::vector<Vec3> corners = binary ? binary_stl_corners(bytes) : text_stl_corners(bytes, name);
  Reconstruction result;
  if (corners.empty()) return result;
  result.mesh = weld_corners(std::move(corners));
  result.cloud.points_m = result.mesh->vertices_m;
  return result;
}

}  // namespace aqbench
