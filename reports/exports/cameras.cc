#include "reports/exports/cameras.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr double kShownDepth_m = 0.06;

struct ShownCamera {
  std::string name;
  Eigen::Vector3d centre_m;
  std::array<Eigen::Vector3d, 4> corners;  // directions of depth 1 to the corners of the image, world frame
};

std::vector<ShownCamera> cameras_of(const CloudView& view, const std::string& source) {
  if (view.scene_json.empty()) return {};
  const Json scene = parse_strict_json(view.scene_json, source);
  if (!scene.contains("cameras")) return {};
  const JsonPlace root(scene, source);
  std::vector<ShownCamera> found;
  for (const JsonPlace& one : root.at("cameras").elements()) {
    ShownCamera camera{one_line(one.at("name").text()), {}, {}};
    const auto centre = one.at("centre_mm").elements(), corners = one.at("corners").elements();
    if (centre.size() != 3 || corners.size() != 12)
      throw Error(ErrorKind::input, source + ": cameras: expected 3 and 12 numbers");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto at = static_cast<Eigen::Index>(axis);
      camera.centre_m[at] = (view.origin_mm[axis] + centre[axis].number()) / 1000;
      for (std::size_t corner = 0; corner < 4; ++corner)
        camera.corners[corner][at] = corners[3 * corner + axis].number();
    }
    found.push_back(std::move(camera));
  }
  return found;
}

// The corners go around the image from its beginning: to the right, down, back.
Eigen::Quaterniond world_from_camera(const ShownCamera& camera) {
  const Eigen::Vector3d right =
      (camera.corners[1] - camera.corners[0] + camera.corners[2] - camera.corners[3]).normalized();
  Eigen::Vector3d down = camera.corners[3] - camera.corners[0] + camera.corners[2] - camera.corners[1];
  down = (down - down.dot(right) * right).normalized();
  Eigen::Matrix3d axes;
  axes << right, down, right.cross(down);
  Eigen::Quaterniond rotation(axes);
  if (rotation.w() < 0) rotation.coeffs() = -rotation.coeffs();
  return rotation;
}

}  // namespace

std::string cameras_ply(const CloudView& view, const std::string& source) {
  const std::vector<ShownCamera> cameras = cameras_of(view, source);
  if (cameras.empty()) return "";
  std::string head =
      "ply\nformat ascii 1.0\ncomment metres, world frame, +Z down into the water\n"
      "comment of each camera: its centre, the corners of its image 0.06 m in front of it\n";
  std::string vertices, edges;
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    head += fmt::format("comment camera {} {}\n", i, cameras[i].name);
    const auto put = [&](const Eigen::Vector3d& point) {
      vertices += fmt::format("{:.6f} {:.6f} {:.6f}\n", point.x(), point.y(), point.z());
    };
    put(cameras[i].centre_m);
    for (const Eigen::Vector3d& corner : cameras[i].corners)
      put(cameras[i].centre_m + kShownDepth_m * corner);
    for (std::size_t k = 0; k < 4; ++k)
      edges += fmt::format("{} {}\n{} {}\n", 5 * i, 5 * i + 1 + k, 5 * i + 1 + k, 5 * i + 1 + (k + 1) % 4);
  }
  return head +
         fmt::format(
             "element vertex {}\nproperty float x\nproperty float y\nproperty float z\nelement edge {}\n"
             "property int vertex1\nproperty int vertex2\nend_header\n",
             5 * cameras.size(), 8 * cameras.size()) +
         vertices + edges;
}

std::string cameras_tum(const CloudView& view, const std::string& source) {
  const std::vector<ShownCamera> cameras = cameras_of(view, source);
  if (cameras.empty()) return "";
  std::string text =
      "# index tx ty tz qx qy qz qw: metres, world frame (+Z down into the water), world from camera\n";
  std::string poses;
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    text += fmt::format("# {} {}\n", i, cameras[i].name);
    const Eigen::Quaterniond q = world_from_camera(cameras[i]);
    const Eigen::Vector3d& centre = cameras[i].centre_m;
    poses += fmt::format("{} {:.5f} {:.5f} {:.5f} {:.5f} {:.5f} {:.5f} {:.5f}\n", i, centre.x(), centre.y(),
                         centre.z(), q.x(), q.y(), q.z(), q.w());
  }
  return text + poses;
}

}  // namespace aqbench
