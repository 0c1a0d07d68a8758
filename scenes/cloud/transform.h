#pragma once
// Rigid and similarity transforms, read from a file and applied to a reconstruction before it is scored.

#include <Eigen/Core>
#include <filesystem>
#include <optional>

#include "core/json.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// A similarity transform from frame a to frame b: x_in_b = linear * x_in_a + translation_m, with linear =
// scale * rotation. The scale is 1 for a rigid transform; any other is allowed (for a reconstruction of
// unknown scale), and the caller reports it.
struct Similarity {
  Eigen::Matrix3d linear = Eigen::Matrix3d::Identity();
  Vec3 translation_m = Vec3::Zero();
  double scale = 1;

  // Returns the rotation alone.
  Eigen::Matrix3d rotation() const { return linear / scale; }
  Eigen::Matrix4d matrix() const;  // 4x4, bottom row 0 0 0 1
};

// Reads {"matrix": 4x4} or a bare 4x4 array, rows first, {"transformation": 16 numbers by columns} as Open3D
// writes it, or the same as text: four rows of four numbers, separated by blanks. Of nerfstudio's
// dataparser_transforms.json, {"transform": 3x4, "scale": s} with x_in_a = s * transform * x_in_b, it returns
// the inverse, so that a model in nerfstudio's frame comes back to that of its cameras. Throws Error(input)
// naming the file and the JSON path ("matrix[2][0]") if a number is missing or not finite, the bottom row is
// not 0 0 0 1, or the matrix is singular, mirrors, or is not a rotation times a scale within 1e-5. A matrix
// within that tolerance is applied as it was written.
Similarity read_similarity(const std::filesystem::path& path);

// Makes the transform from a matrix, with the same checks; `name` stands in errors for the file.
Similarity similarity_from_matrix(const Eigen::Matrix4d& b_from_a, const std::string& name);

// Returns the rotation nearest to a matrix of rounded numbers; nullopt unless it is one within `tolerance`
// per entry.
std::optional<Eigen::Matrix3d> nearest_rotation(const Eigen::Matrix3d& rounded, double tolerance);

// Returns the transform that does first b_from_a, then c_from_b.
Similarity compose(const Similarity& c_from_b, const Similarity& b_from_a);

// Moves the points and turns the normals; the confidences stay.
void apply(const Similarity& b_from_a, PointCloud& cloud);

// Moves the vertices.
void apply(const Similarity& b_from_a, TriangleMesh& mesh);
// Moves cloud and mesh. Depth maps stay as they are: they have no frame.
void apply(const Similarity& b_from_a, Reconstruction& reconstruction);

// Returns {"matrix": [[...]x4], "scale": s}, which read_similarity reads.
Json to_json(const Similarity& b_from_a);

}  // namespace aqbench
