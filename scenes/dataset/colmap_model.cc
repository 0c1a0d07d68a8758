#include "scenes/dataset/colmap_model.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "core/files.h"

namespace aqbench {
namespace {

// COLMAP's name of the lens model and its parameters after fx fy cx cy, which it takes from OpenCV.
std::string colmap_lens(const Intrinsics& intrinsics) {
  const Mat3& k = intrinsics.K;
  const std::vector<double>& d = intrinsics.distortion;
  const bool fisheye = intrinsics.lens == LensModel::fisheye;
  const bool radial3 = !fisheye && (d.size() == 8 || d[4] != 0);
  std::vector<double> parameters = {k(0, 0), k(1, 1), k(0, 2) + 0.5, k(1, 2) + 0.5};
  for (std::size_t i = 0; i < (radial3 ? 8 : 4); ++i) parameters.push_back(i < d.size() ? d[i] : 0.0);
  std::string line = fmt::format("{} {} {}",
                                 fisheye   ? "OPENCV_FISHEYE"
                                 : radial3 ? "FULL_OPENCV"
                                           : "OPENCV",
                                 intrinsics.width_px, intrinsics.height_px);
  for (const double value : parameters) line += fmt::format(" {}", value);
  return line;
}

}  // namespace

void write_colmap_model(const std::filesystem::path& dir, const Rig& rig, const std::string& image_file) {
  std::vector<std::string> names;
  for (const Camera& camera : rig.cameras) names.push_back(camera.name + "/" + image_file);
  write_colmap_model(dir, rig.cameras, names);
}

void write_colmap_model(const std::filesystem::path& dir, const std::vector<Camera>& all,
                        const std::vector<std::string>& image_names) {
  std::string cameras = "# CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]\n";
  std::string images =
      "# IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME\n# POINTS2D[] as (X, Y, POINT3D_ID)\n";
  std::size_t id = 0;
  for (const Camera& camera : all) {
    ++id;
    cameras += fmt::format("{} {}\n", id, colmap_lens(camera.intrinsics));
    const Eigen::Quaterniond q(camera.camera_from_world.rotation);
    const Vec3& t = camera.camera_from_world.translation_m;
    images += fmt::format("{} {} {} {} {} {} {} {} {} {}\n\n", id, q.w(), q.x(), q.y(), q.z(), t.x(), t.y(),
                          t.z(), id, image_names[id - 1]);
  }
  write_file(dir / "cameras.txt", cameras);
  write_file(dir / "images.txt", images);
  write_file(dir / "points3D.txt",
             "# POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[] as (IMAGE_ID, POINT2D_IDX)\n");
}

}  // namespace aqbench
