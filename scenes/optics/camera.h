#pragma once
// Cameras and the water surface they look through, as plain data.
// World frame: metres, +Z down into the water. Camera frame: x right, y down, z forward (OpenCV).
// Pixels: centres at integers, (0, 0) is the centre of the top left pixel.

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// A 3 x 3 matrix of double.
using Mat3 = Eigen::Matrix3d;

// The lens models, as OpenCV defines them: brown_conrady is calib3d's default model, fisheye is cv::fisheye.
enum class LensModel { brown_conrady, fisheye };

// The intrinsics of a camera: focal lengths, principal point, lens, image size.
struct Intrinsics {
  Mat3 K = Mat3::Identity();  // [fx 0 cx; 0 fy cy; 0 0 1], px
  LensModel lens = LensModel::brown_conrady;
  // brown_conrady: k1 k2 p1 p2 k3 (5) or k1 k2 p1 p2 k3 k4 k5 k6 (8); fisheye: k1 k2 k3 k4 (4).
  std::vector<double> distortion = {0, 0, 0, 0, 0};
  int width_px = 0;
  int height_px = 0;
};

// The pose of a camera: x_in_camera = rotation * x_in_world + translation_m.
struct CameraFromWorld {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation_m = Vec3::Zero();
};

// A calibrated camera in the world.
struct Camera {
  std::string name;  // also its folder in a dataset
  Intrinsics intrinsics;
  CameraFromWorld camera_from_world;
  bool is_auxiliary = false;  // used as a source view only; gets no depth map
};

// The flat surface z = water_z_m, normal (0, 0, -1); n_air == n_water is a scene without water.
struct WaterInterface {
  double water_z_m = 0.978;
  double n_air = 1.0;
  double n_water = 1.333;
};

// Cameras that look through one water surface.
struct Rig {
  std::vector<Camera> cameras;  // names are unique
  WaterInterface water;
};

// Returns the camera's centre in the world frame, metres.
Vec3 camera_centre_m(const CameraFromWorld& pose);

// Finds a camera by name. Returns nullptr if there is none.
const Camera* find_camera(const Rig& rig, std::string_view name);

// Returns "where.field", or "FILE: field" if `where` is "FILE: ".
std::string field_path(const std::string& where, std::string_view field);

// Throw Error(input) "WHERE.field: problem" (field_path) for a wrong number of coefficients, a non-finite
// number, a focal length or image size that is not positive, skew, a matrix that is not a rotation (1e-6),
// indices of refraction outside [0.5, 5], a name that is not a plain folder name, two cameras of one name,
// a camera that is not above the water.
void check(const Intrinsics& intrinsics, const std::string& where);
void check(const CameraFromWorld& pose, const std::string& where);
void check(const Camera& camera, const std::string& where);
void check(const WaterInterface& water, const std::string& where);
void check(const Rig& rig, const std::string& where);

}  // namespace aqbench
