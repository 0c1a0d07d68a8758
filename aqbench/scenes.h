#pragma once
// Scenes with exact truth, cameras that look into water, and their images: a stable interface for C++
// programs (CMake: find_package(aqbench), target aqbench::scenes).
//
// World frame: metres, +Z down into the water. Pixels: centres at integers, of the undistorted camera. Arrays
// are row-major and the caller's; nothing is copied. Every function may be called from several threads.
//
// The guarantee: within libaqbench.so.1 nothing declared in aqbench/*.h is removed, changes its meaning or
// its layout; a change that breaks this takes a new soname and a new namespace (v2). The same seeds give the
// same bytes as the program `aqbench` of the same version. Errors are aqbench::v1::Failure, whose what() is
// the line printed by the program.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aqbench/failure.h"

namespace aqbench::v1 {

// Returns the version of the library: "0.1.0".
const char* version();

// Sets the number of threads of this library; it changes no result. Default: all processors.
void set_threads(int count);

// The value of a parameter, like `--set`: {"amplitude_m", "0.003"}.
struct Setting {
  std::string name, value;
};

struct SceneData;  // hidden

// An exactly known surface under water.
class Scene {
 public:
  // Makes a registered scene (`aqbench list scenes`), or "mesh:FILE.ply". Throws Failure.
  explicit Scene(const std::string& name, const std::vector<Setting>& settings = {});

  const std::string& name() const;
  double area_m2() const;  // of the scored part

  // Finds the closest point of the surface to each of n points: points_m, closest_m and normals hold n x 3
  // values, signed_distance_m n, positive on the cameras' side. normals are unit and point to the cameras.
  // Any of the last three may be empty. Throws Failure for wrong lengths and points that are not finite.
  void closest_points(std::span<const double> points_m, std::span<double> closest_m,
                      std::span<double> normals, std::span<double> signed_distance_m) const;

  const SceneData& data() const { return *data_; }  // for this library

 private:
  std::shared_ptr<const SceneData> data_;
};

// Points of a true surface, n x 3 each: metres, and unit normals towards the cameras.
struct SurfacePoints {
  std::vector<double> points_m, normals;
};

// Returns points of the scored part of a surface, area-stratified, at most `spacing_m` apart on average. The
// same seed gives the same points. Throws Failure for a spacing that is not positive.
SurfacePoints sample(const Scene& scene, double spacing_m, std::uint64_t seed = 42);

// Returns the names of the registered scenes and rigs.
std::vector<std::string> scene_names();
std::vector<std::string> rig_names();

struct CameraData;  // hidden

// A camera above the water that looks into it.
class Camera {
 public:
  const std::string& name() const;
  int width_px() const;
  int height_px() const;

  // Projects n points through the water: points_m n x 3, pixels_px n x 2, depth_along_ray_m n (may be empty):
  // metres from the water surface along the refracted ray. NaN for a point that is not below the water or not
  // in front of the camera; pixels may lie outside the image. Throws Failure for wrong lengths.
  void project(std::span<const double> points_m, std::span<double> pixels_px,
               std::span<double> depth_along_ray_m) const;

  // Casts the rays of n pixels: pixels_px n x 2, origins_m n x 3 on the water surface, directions n x 3,
  // unit, in the water. NaN for a ray that does not reach the water. Throws Failure for wrong lengths.
  void cast(std::span<const double> pixels_px, std::span<double> origins_m,
            std::span<double> directions) const;

  const CameraData& data() const { return *data_; }  // for this library
  explicit Camera(std::shared_ptr<const CameraData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const CameraData> data_;
};

// Makes the cameras of a registered rig (`aqbench list rigs`). width and height, pixels, are settings of the
// rig. Throws Failure.
std::vector<Camera> make_rig(const std::string& name, const std::vector<Setting>& settings = {},
                             std::uint64_t seed = 42);

// Reads the cameras of a dataset, calibration.json (docs/dataset.md). Throws Failure.
std::vector<Camera> read_rig(const std::string& calibration_json);

// Returns cameras as the text of a calibration.json: K, R, t, distortion and water of each, to the last bit.
std::string calibration_text(const std::vector<Camera>& cameras);

// Makes cameras from such a text. Throws Failure.
std::vector<Camera> parse_rig(const std::string& calibration_text);

// A camera's image and its true depths.
struct View {
  int width_px = 0, height_px = 0;
  int bits = 8;                          // of the sensor
  std::vector<std::uint16_t> values;     // height x width, 0 to 2^bits - 1, lens distortion included
  std::vector<float> depth_along_ray_m;  // height x width, of the undistorted camera; NaN for none
};

// Image options: a variant (`aqbench list imaging`), its parameters, and the seed of texture and noise.
struct RenderOptions {
  std::string imaging = "default";
  std::vector<Setting> settings;
  std::uint64_t seed = 42;
  std::uint64_t camera_index = 0;  // gain and noise differ between cameras
};

// Renders the scene as the camera sees it through the water. Throws Failure, also for a scene that is a mesh.
View render(const Scene& scene, const Camera& camera, const RenderOptions& options = {});

}  // namespace aqbench::v1
