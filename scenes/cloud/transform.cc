#include "scenes/cloud/transform.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "scenes/cloud/json_matrices.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {
namespace {

constexpr double kRotationTolerance = 1e-5;

// Four rows of four numbers, as numpy.savetxt and CloudCompare write them.
Eigen::Matrix4d matrix_from_text(std::string_view bytes, const std::string& name) {
  TextLines lines(bytes, name);
  Eigen::Matrix4d matrix;
  std::string_view line;
  for (int row = 0; row < 4; ++row) {
    if (!lines.next_content(line)) lines.fail("expected 4 rows, got {}", row);
    for (int column = 0; column < 4; ++column) {
      if (trim_blanks(line).empty()) lines.fail("expected a row of 4 numbers");
      matrix(row, column) = lines.finite(take_word(line), "matrix");
    }
    if (!trim_blanks(line).empty()) lines.fail("expected a row of 4 numbers");
  }
  if (lines.next_content(line)) lines.fail("text after the 4 rows");
  return matrix;
}

// The inverse of what nerfstudio does to its cameras: x_in_a = scale * (R x_in_b + t).
Similarity from_dataparser(const JsonPlace& place, const std::string& name) {
  const double scale = place.at("scale").number();
  if (!(scale > 0)) place.at("scale").fail("must be positive");
  Eigen::Matrix4d a_from_b = Eigen::Matrix4d::Identity();
  a_from_b.topRows<3>() = scale * matrix_at<3, 4>(place.at("transform"));
  const Similarity forth = similarity_from_matrix(a_from_b, name);
  Eigen::Matrix4d b_from_a = Eigen::Matrix4d::Identity();
  b_from_a.topLeftCorner<3, 3>() = forth.rotation().transpose() / forth.scale;
  b_from_a.topRightCorner<3, 1>() = -b_from_a.topLeftCorner<3, 3>() * forth.translation_m;
  return similarity_from_matrix(b_from_a, name);
}

}  // namespace

Eigen::Matrix4d Similarity::matrix() const {
  Eigen::Matrix4d result = Eigen::Matrix4d::Identity();
  result.topLeftCorner<3, 3>() = linear;
  result.topRightCorner<3, 1>() = translation_m;
  return result;
}

Similarity similarity_from_matrix(const Eigen::Matrix4d& b_from_a, const std::string& name) {
  if (!b_from_a.allFinite()) throw input_error("{}: matrix: a number is not finite", name);
  if (b_from_a.row(3) != Eigen::RowVector4d(0, 0, 0, 1))
    throw input_error("{}: matrix[3]: the bottom row is not 0 0 0 1", name);
  Similarity result;
  result.linear = b_from_a.topLeftCorner<3, 3>();
  result.translation_m = b_from_a.topRightCorner<3, 1>();
  // Scaled first, so that no determinant under- or overflows.
  const double size = result.linear.cwiseAbs().maxCoeff();
  if (!(size > 1e-100 && size < 1e100)) throw input_error("{}: matrix: is singular", name);
  const Eigen::Matrix3d scaled = result.linear / size;
  const double determinant = scaled.determinant();
  if (std::abs(determinant) < 1e-12) throw input_error("{}: matrix: is singular", name);
  if (determinant < 0) throw input_error("{}: matrix: mirrors (its determinant is negative)", name);
  const double scale = std::cbrt(determinant);
  const Eigen::Matrix3d rotation = scaled / scale;
  const double error = (rotation.transpose() * rotation - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (!(error <= kRotationTolerance))
    throw input_error("{}: matrix: is not a rotation times a scale (off by {:.3g}, more than {:g})", name,
                      error, kRotationTolerance);
  result.scale = scale * size;
  return result;
}

Similarity read_similarity(const std::filesystem::path& path) {
  const std::string name = path.string();
  const std::string bytes = read_file(path, std::uintmax_t{1} << 20);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && bytes[first] != '{' && bytes[first] != '[')
    return similarity_from_matrix(matrix_from_text(bytes, name), name);
  const Json json = parse_strict_json(bytes, name, kSmallFileJson);
  const JsonPlace root(json, name);
  if (json.is_array()) return similarity_from_matrix(matrix_at<4, 4>(root), name);
  if (const auto columns =
          root.find("transformation"))  // by columns, as Open3D and Tanks and Temples have it
    return similarity_from_matrix(Eigen::Matrix4d(numbers_at(*columns, 16).data()), name);
  if (root.find("transform") && root.find("scale")) return from_dataparser(root, name);
  return similarity_from_matrix(matrix_at<4, 4>(root.at("matrix")), name);
}

std::optional<Eigen::Matrix3d> nearest_rotation(const Eigen::Matrix3d& rounded, double tolerance) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> parts(rounded, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Matrix3d rotation = parts.matrixU() * parts.matrixV().transpose();
  const bool is_near = (rotation - rounded).cwiseAbs().maxCoeff() <= tolerance;  // false for NaN
  return is_near && rotation.determinant() > 0 ? std::optional(rotation) : std::nullopt;
}

Similarity compose(const Similarity& c_from_b, const Similarity& b_from_a) {
  return {c_from_b.linear * b_from_a.linear,
          c_from_b.linear * b_from_a.translation_m + c_from_b.translation_m, c_from_b.scale * b_from_a.scale};
}

void apply(const Similarity& b_from_a, PointCloud& cloud) {
  for (Vec3& point : cloud.points_m) point = b_from_a.linear * point + b_from_a.translation_m;
  const Eigen::Matrix3d rotation = b_from_a.rotation();
  for (Vec3& normal : cloud.normals) normal = (rotation * normal).normalized();
}

void apply(const Similarity& b_from_a, TriangleMesh& mesh) {
  for (Vec3& vertex : mesh.vertices_m) vertex = b_from_a.linear * vertex + b_from_a.translation_m;
}

void apply(const Similarity& b_from_a, Reconstruction& reconstruction) {
  apply(b_from_a, reconstruction.cloud);
  if (reconstruction.mesh) apply(b_from_a, *reconstruction.mesh);
}

Json to_json(const Similarity& b_from_a) {
  const Eigen::Matrix4d matrix = b_from_a.matrix();
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < 4; ++i)
    rows.push_back({matrix(i, 0), matrix(i, 1), matrix(i, 2), matrix(i, 3)});
  return {{"matrix", rows}, {"scale", b_from_a.scale}};
}

}  // namespace aqbench
