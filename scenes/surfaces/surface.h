#pragma once
// True surfaces. World frame: metres, +Z down into the water, cameras above; so normals towards the cameras
// have a negative z.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The part of a surface that is scored, as a rectangle in world x and y. The surface itself extends beyond
// it.
struct Patch {
  double x_min_m = -0.25;
  double x_max_m = 0.25;
  double y_min_m = -0.15;
  double y_max_m = 0.15;

  // Returns whether (x, y) lies in the patch, its border included.
  bool contains(double x, double y) const {
    return x >= x_min_m && x <= x_max_m && y >= y_min_m && y <= y_max_m;
  }
};

// The point of a surface that is closest to a query point.
struct ClosestPoint {
  Vec3 position_m;           // on the surface
  Vec3 normal;               // unit, towards the cameras
  double signed_distance_m;  // positive on the cameras' side
};

// Samples of the true surface, for completeness.
struct SurfaceSamples {
  std::vector<Vec3> positions_m;
  std::vector<double> weights;  // area that a sample stands for, m2; the sum is the patch's area
  double each_m2 = 0;           // that area where weights is empty: all samples stand for the same
  double spacing_m = 0;         // requested
  std::size_t of_points = 0;    // of a scan: the number of its points, which these represent; else 0

  // Returns the area that sample i stands for.
  double weight_m2(std::size_t i) const { return weights.empty() ? each_m2 : weights[i]; }
};

// A true surface. Safe to use from several threads after construction. Batch functions run only on the
// calling thread, so callers split the work.
class Surface {
 public:
  virtual ~Surface() = default;

  // Finds the exact closest points on the surface, which extends beyond the patch: the global minimum, not a
  // local one (for points beyond 10 m the distance may be too long by a millionth). points_m.size() ==
  // out.size(); points must be finite.
  virtual void closest_points(std::span<const Vec3> points_m, std::span<ClosestPoint> out) const = 0;

  // Computes the same signed distances without the points; it is cheaper.
  virtual void signed_distances(std::span<const Vec3> points_m, std::span<double> out_m) const = 0;

  // Returns the true area of the part over the patch, m2.
  virtual double area_m2() const = 0;

  // Returns the diagonal of the box around a surface of unknown area, metres; infinity for others.
  virtual double diagonal_m() const { return std::numeric_limits<double>::infinity(); }

  // Writes positions number first_index, first_index + 1, ... of an area-uniform sequence on the patch, which
  // depends on the seed alone. Simulated methods take their points from it.
  virtual void sample_positions(std::uint64_t seed, std::uint64_t first_index,
                                std::span<Vec3> out_m) const = 0;

  // Returns area-stratified samples of the patch that are at most `spacing_m` apart on average. Seeded, and
  // the same for any thread count. Uses parallel_for.
  virtual SurfaceSamples stratified_samples(double spacing_m, std::uint64_t seed) const = 0;

  // Returns a triangle mesh of the patch with vertices at most `pitch_m` apart in x and y. A mesh surface
  // returns its own mesh.
  virtual TriangleMesh mesh(double pitch_m) const = 0;

  // Returns the scored patch; nullptr where everything is scored (the mesh of a user).
  virtual const Patch* patch() const = 0;

  // Returns whether z is a function of (x, y), that is, whether the surface is a HeightField.
  virtual bool is_height_field() const { return false; }
};

// Height and derivatives of z = f(x, y), in metres and per metre.
struct HeightJet {
  double z, fx, fy, fxx, fxy, fyy;
};

// A surface z = f(x, y) by formula, defined for all (x, y).
class HeightField : public Surface {
 public:
  // Returns height and derivatives at one place.
  virtual HeightJet jet(double x_m, double y_m) const = 0;
  bool is_height_field() const final { return true; }
};

// A ray in the world frame; the direction has the length 1.
struct SurfaceRay {
  Vec3 origin_m, direction;
};

// Where a ray first meets a face.
struct FaceHit {
  double depth_m = 0;  // along the ray; NaN where it meets none
  Vec3 normal;         // of the face, unit, towards the cameras
};

// What a renderer needs of a mesh, beside its functions as a Surface.
class RayTarget {
 public:
  virtual ~RayTarget() = default;

  // Finds the first face on each ray, from its origin on. Faces are searched in single precision, the depth
  // is that of the face's plane in double. rays.size() == hits.size(). Runs on the calling thread.
  virtual void first_hits(std::span<const SurfaceRay> rays, std::span<FaceHit> hits) const = 0;
};

}  // namespace aqbench
