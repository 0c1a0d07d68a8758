#pragma once
// Cameras and what their rays pass through, as plain data.
// World frame: metres; where there is level water, +Z points down into it. Camera frame: x right, y down, z
// forward (OpenCV). Pixels: centres at integers, (0, 0) is the centre of the top left pixel.

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
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

// Nothing bends the rays; depths are along the ray from the camera's centre.
struct NoInterface {
  bool operator==(const NoInterface&) const = default;
};

// The flat surface z = water_z_m, normal (0, 0, -1); depths are along the refracted ray from the surface.
// n_air == n_water bends no ray and keeps these depths.
struct WaterInterface {
  double water_z_m = 0.978;
  double n_air = 1.0;
  double n_water = 1.333;

  bool operator==(const WaterInterface&) const = default;
};

// The two kinds of port of the refractive COLMAP (MDSKiel/colmap_underwater): FLATPORT and DOMEPORT.
enum class PortModel { flat, dome };

// The port of an underwater housing, fixed to its camera, in its parameters there; depths are along the
// refracted ray from the outside of the glass.
struct Port {
  PortModel model = PortModel::flat;
  Vec3 axis =
      Vec3::UnitZ();  // camera frame: of a pane its unit normal, away from the camera; the dome's centre, m
  double distance_m =
      0.025;  // of the inside of the glass from the camera's centre along the normal; its radius
  double thickness_m = 0.010;  // of the glass
  double n_air = 1, n_glass = 1.49, n_water = 1.333;

  bool operator==(const Port&) const = default;
};

// What lies between a camera and the scene.
using Interface = std::variant<NoInterface, WaterInterface, Port>;

// Which pixels of an image count, as it was taken, through its lens.
struct PixelMask {
  int width_px = 0, height_px = 0;
  std::vector<bool> counts;  // row-major

  // Returns whether a pixel at most `reach_px` columns and rows from the nearest one counts; false outside.
  bool at(const Vec2& pixel, int reach_px = 0) const;
};

// A calibrated camera in the world.
struct Camera {
  std::string name;  // also its folder in a dataset
  Intrinsics intrinsics;
  CameraFromWorld camera_from_world;
  bool is_auxiliary = false;  // used as a source view only; gets no depth map
  Interface interface = NoInterface{};
  std::shared_ptr<const PixelMask> mask =
      nullptr;  // of the image that is looked at; nullptr: all of it counts
};

// Calibrated cameras of one world frame.
struct Rig {
  std::vector<Camera> cameras;  // names are unique
};

// Returns the level water that the camera looks through, nullptr if there is none.
inline const WaterInterface* level_water(const Camera& camera) {
  return std::get_if<WaterInterface>(&camera.interface);
}

// Returns the level water that every camera looks through; nullopt if a camera has none or they differ.
std::optional<WaterInterface> level_water(const Rig& rig);

// Returns the centres of the cameras on whose side of a true surface errors are positive; none where they
// look through water, above which all cameras stand.
std::vector<Vec3> cameras_of_signs(const Rig& rig);

// Gives every camera this interface.
void set_interface(Rig& rig, const Interface& interface);

// Returns whether no camera's rays are bent: exact for a pinhole program.
bool is_dry(const Rig& rig);

// Returns the camera's centre in the world frame, metres.
Vec3 camera_centre_m(const CameraFromWorld& pose);

// Finds a camera by name. Returns nullptr if there is none.
const Camera* find_camera(const Rig& rig, std::string_view name);

// Returns "where.field", or "FILE: field" if `where` is "FILE: ".
std::string field_path(const std::string& where, std::string_view field);

// Throw Error(input) "WHERE.field: problem" (field_path) for a wrong number of coefficients, a non-finite
// number, a focal length or image size that is not positive, skew, a matrix that is not a rotation (1e-6),
// indices of refraction outside [0.5, 5], a name that is not a plain folder name, two cameras of one name,
// a camera that is not above the level water it looks through, a port that is not in front of its camera.
void check(const Intrinsics& intrinsics, const std::string& where);
void check(const CameraFromWorld& pose, const std::string& where);
void check(const Camera& camera, const std::string& where);
void check(const WaterInterface& water, const std::string& where);
void check(const Port& port, const std::string& where);
void check(const Rig& rig, const std::string& where);

}  // namespace aqbench
