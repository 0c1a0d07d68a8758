#pragma once
// What a reconstruction method makes, and what is scored.

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aqbench {

// A vector of the plane, or a pixel.
using Vec2 = Eigen::Vector2d;

// A vector or point of space.
using Vec3 = Eigen::Vector3d;

// Red, green and blue, 0 to 255 each.
using Rgb = std::array<std::uint8_t, 3>;

// A cloud of points in the world frame (metres, +Z down into the water). `normals`, `confidence` and
// `colours` are each empty or as long as `points_m`.
struct PointCloud {
  std::vector<Vec3> points_m;
  std::vector<Vec3> normals;      // unit length
  std::vector<float> confidence;  // 0 to 1
  std::vector<Rgb> colours = {};  // for display alone: in no metric and no hash
};

// A triangle mesh in the world frame.
struct TriangleMesh {
  std::vector<Vec3> vertices_m;                         // world frame
  std::vector<std::array<std::uint32_t, 3>> triangles;  // indices into vertices_m
};

// The content of a file, in the file's unit.
struct GeometryFile {
  PointCloud cloud;                       // of a mesh: its vertices
  std::optional<TriangleMesh> mesh = {};  // set if the file has faces
  std::optional<Vec3> viewpoint = {};     // where the sensor was, if the file says so (PCD)
};

// A depth map, row-major. Depths are in metres along the refracted ray, from the water surface; NaN where
// there is none.
struct DepthMap {
  std::string camera;
  int width = 0;
  int height = 0;
  std::vector<float> depth_along_ray_m;  // width * height
  std::vector<float> confidence;         // empty or width * height, 0 to 1
};

// Returns whether a value of a depth map is a depth: finite and above 0, since programs write 0 where they
// have none.
inline bool has_depth(double depth_m) { return std::isfinite(depth_m) && depth_m > 0; }

// What a method found inside a camera: (0, 0) is the centre of the first pixel of an image of this size,
// which may be another one than the dataset's.
struct OwnIntrinsics {
  double fx_px = 0, fy_px = 0, cx_px = 0, cy_px = 0;
  double width_px = 0, height_px = 0;
};

// A camera as a method placed it, in a frame and unit of the method's own: x_own = own_from_camera x_camera +
// centre.
struct OwnCamera {
  std::string name;                                               // as the method wrote it
  Eigen::Matrix3d own_from_camera = Eigen::Matrix3d::Identity();  // a rotation
  Vec3 centre = Vec3::Zero();
  std::optional<OwnIntrinsics> intrinsics = {};  // where the method wrote them
  // Of the lens, as Intrinsics::distortion has it: 4 numbers are a fisheye lens, none a pinhole; nullopt:
  // unknown.
  std::optional<std::vector<double>> distortion = {};
};

// The result of one run of a method.
struct Reconstruction {
  PointCloud cloud;
  std::optional<TriangleMesh> mesh;
  std::vector<DepthMap> depth_maps;
  // What a filter made depth_maps from, for diagnosis; empty if there is none, else one each in their order.
  std::vector<DepthMap> unfiltered_depth_maps = {};
  // What the method made of its options and of the images: {"window_px", 7}. For the record, in no hash.
  std::vector<std::pair<std::string, double>> effective = {};
  // Of a method that finds its poses itself: in the frame of the cloud, before any alignment.
  std::vector<OwnCamera> own_cameras = {};
};

}  // namespace aqbench
