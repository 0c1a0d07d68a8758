#pragma once
// True surfaces. World frame: metres, +Z down into the water, cameras above, so that normals towards the
// cameras have a negative z.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The part of a surface that is scored, in world x and y. The surface itself goes on beyond it.
struct Patch {
  double x_min_m = -0.25;
  double x_max_m = 0.25;
  double y_min_m = -0.15;
  double y_max_m = 0.15;

  bool contains(double x, double y) const {
    return x >= x_min_m && x <= x_max_m && y >= y_min_m && y <= y_max_m;
  }
};

struct ClosestPoint {
  Vec3 position_m;           // on the surface
  Vec3 normal;               // unit, towards the cameras
  double signed_distance_m;  // positive on the cameras' side
};

// One sample of the true surface, for completeness.
struct SurfaceSamples {
  std::vector<Vec3> positions_m;
  std::vector<double> weights;  // area that a sample stands for, m2; the sum is the patch's area
  double spacing_m = 0;         // asked for
};

// Thread-safe after construction. Batch calls run on the calling thread alone: callers split the work.
class Surface {
 public:
  virtual ~Surface() = default;

  // Exact closest points on the surface going on beyond the patch: the global minimum, not a local one
  // (beyond 10 m the distance may be a millionth too long). points_m.size() == out.size(); points must be
  // finite.
  virtual void closest_points(std::span<const Vec3> points_m, std::span<ClosestPoint> out) const = 0;

  // The same, signed distances only (cheaper).
  virtual void signed_distances(std::span<const Vec3> points_m, std::span<double> out_m) const = 0;

  // True area of the part over the patch, m2.
  virtual double area_m2() const = 0;

  // Area-uniform position number `index` of (seed) on the patch: what simulated methods sample.
  virtual void sample_positions(std::uint64_t seed, std::uint64_t first_index,
                                std::span<Vec3> out_m) const = 0;

  // Area-stratified samples of the patch at most `spacing_m` apart on average, seeded, the same for any
  // thread count. Uses parallel_for.
  virtual SurfaceSamples stratified_samples(double spacing_m, std::uint64_t seed) const = 0;

  // Triangle mesh of the patch with vertices at most `pitch_m` apart in x and y (a mesh surface returns
  // itself).
  virtual TriangleMesh mesh(double pitch_m) const = 0;

  // The scored patch; nullptr where everything is scored (a user's mesh).
  virtual const Patch* patch() const = 0;

  // True where z is a function of (x, y), so that height() may be called.
  virtual bool is_height_field() const { return false; }
};

// Height and derivatives of z = f(x, y), all in metres and per metre.
struct HeightJet {
  double z, fx, fy, fxx, fxy, fyy;
};

// A surface z = f(x, y) by formula, defined for all (x, y).
class HeightField : public Surface {
 public:
  virtual HeightJet jet(double x_m, double y_m) const = 0;
  bool is_height_field() const final { return true; }
};

}  // namespace aqbench
