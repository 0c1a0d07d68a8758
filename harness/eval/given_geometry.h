#pragma once
// Clouds and meshes that a host has in memory: arguments of `aqbench eval` name them as they name files.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/text_points.h"

namespace aqbench {

// A cloud, or a mesh on these points. Its values stay where they are.
struct GivenGeometry {
  std::string name;                             // the argument that stands for it
  std::span<const Vec3> points = {};            // in the unit that the arguments name
  std::span<const Vec3> normals = {};           // as many, or none
  std::span<const std::uint32_t> corners = {};  // of the triangles of a mesh, three each
};

// Returns the one of that name; nullptr: the name is that of a file.
const GivenGeometry* find_given(const std::vector<GivenGeometry>& given, const std::string& name);

// Return what read_geometry_file() and read_mesh_file() do, of a geometry in memory as of its PLY file.
GeometryFile read_geometry(const std::vector<GivenGeometry>& given, const std::string& name,
                           const TextColumns& columns = {});
TriangleMesh read_mesh(const std::vector<GivenGeometry>& given, const std::string& name);

// Returns the SHA-256 of a file; of a geometry in memory that of its PLY file as scenes/cloud/ply.h writes
// it.
std::string geometry_sha256(const std::vector<GivenGeometry>& given, const std::string& name);

}  // namespace aqbench
