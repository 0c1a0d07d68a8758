#include "scenes/surfaces/shapes.h"

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string>

#include "core/error.h"

namespace aqbench {
namespace {

using Lattice = std::array<int, 3>;

void require_mesh_shape(bool good, const char* field, const char* wanted) {
  if (!good) throw Error(ErrorKind::usage, std::string(field) + ": must be " + wanted);
}

// The surface of a cube of `facets` cells a side. `place` maps a point of [-1, 1]^3 on it to the world; a
// corner that two faces share is made once.
TriangleMesh mesh_of_cube(int facets, const std::function<Vec3(const Vec3&)>& place) {
  TriangleMesh mesh;
  std::map<Lattice, std::uint32_t> known;
  const auto vertex = [&](const Lattice& at) {
    const auto [found, is_new] = known.try_emplace(at, static_cast<std::uint32_t>(mesh.vertices_m.size()));
    if (is_new)
      mesh.vertices_m.push_back(
          place({2.0 * at[0] / facets - 1, 2.0 * at[1] / facets - 1, 2.0 * at[2] / facets - 1}));
    return found->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const int side : {0, facets})
      for (int i = 0; i < facets; ++i)
        for (int j = 0; j < facets; ++j) {
          const auto corner = [&](int u, int v) {
            Lattice at{};
            at[axis] = side;
            at[(axis + 1) % 3] = i + u;
            at[(axis + 2) % 3] = j + v;
            return vertex(at);
          };
          const std::uint32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          if (side == 0) {  // seen from outside, the other way round
            mesh.triangles.push_back({a, c, b});
            mesh.triangles.push_back({a, d, c});
          } else {
            mesh.triangles.push_back({a, b, c});
            mesh.triangles.push_back({a, c, d});
          }
        }
  return mesh;
}

// The radius in a direction, of a mean of 1.
double bumps(const Vec3& d) {
  return std::sin(4 * d.x() + 1) * std::sin(5 * d.y() + 2) + 0.5 * std::sin(7 * d.z() + 3 * d.x()) +
         0.3 * std::sin(9 * d.y() - 6 * d.z());
}

void append(const TriangleMesh& part, TriangleMesh& whole) {
  const auto first = static_cast<std::uint32_t>(whole.vertices_m.size());
  whole.vertices_m.insert(whole.vertices_m.end(), part.vertices_m.begin(), part.vertices_m.end());
  for (const auto& [a, b, c] : part.triangles) whole.triangles.push_back({a + first, b + first, c + first});
}

}  // namespace

void check(const ObjectShape& shape) {
  require_mesh_shape(shape.radius_m > 0 && std::isfinite(shape.radius_m), "radius_m", "positive");
  require_mesh_shape(shape.relief >= 0 && shape.relief <= 0.3, "relief", "from 0 to 0.3");
  require_mesh_shape(shape.facets >= 4 && shape.facets <= 1024, "facets", "from 4 to 1024");
}

void check(const RoomShape& shape) {
  for (const double side_m : {shape.length_m, shape.width_m, shape.height_m})
    require_mesh_shape(side_m >= 1 && std::isfinite(side_m), "length_m, width_m, height_m", "at least 1");
  require_mesh_shape(shape.relief_m >= 0 && shape.relief_m <= 0.2, "relief_m", "from 0 to 0.2");
  require_mesh_shape(shape.facets >= 4 && shape.facets <= 1024, "facets", "from 4 to 1024");
}

TriangleMesh object_mesh(const ObjectShape& shape) {
  check(shape);
  return mesh_of_cube(shape.facets, [&](const Vec3& on_cube) {
    // Equal angles on the cube's faces make facets of about one size.
    const Vec3 direction =
        on_cube.unaryExpr([](double t) { return std::tan(std::numbers::pi / 4 * t); }).normalized();
    return Vec3(shape.radius_m * (1 + shape.relief * bumps(direction)) * direction);
  });
}

TriangleMesh room_mesh(const RoomShape& shape) {
  check(shape);
  const Vec3 half_m = 0.5 * Vec3(shape.length_m, shape.width_m, shape.height_m);
  TriangleMesh room = mesh_of_cube(shape.facets, [&](const Vec3& on_cube) {
    const auto edge = [](double t) { return 1 - t * t; };  // no relief where walls meet
    Vec3 place = half_m.cwiseProduct(on_cube);
    for (int axis = 0; axis < 3; ++axis) {
      if (std::abs(on_cube[axis]) != 1) continue;
      const double u = on_cube[(axis + 1) % 3], v = on_cube[(axis + 2) % 3];
      place[axis] -= on_cube[axis] * shape.relief_m * edge(u) * edge(v) *
                     (1 + std::sin(5 * u + 2 * axis) * std::sin(4 * v + on_cube[axis]));
    }
    return place;
  });
  // Beside the way along x, clear of the walls.
  const std::array<Vec3, 3> middles = {Vec3(0.55, 0.5, 0.35), Vec3(0.15, -0.55, 0.45), Vec3(-0.2, 0.55, 0.5)};
  for (const Vec3& middle : middles) {
    TriangleMesh object = object_mesh({.radius_m = 0.28, .relief = 0.06, .facets = shape.facets / 2});
    for (Vec3& vertex : object.vertices_m) vertex += middle.cwiseProduct(half_m);
    append(object, room);
  }
  return room;
}

}  // namespace aqbench
