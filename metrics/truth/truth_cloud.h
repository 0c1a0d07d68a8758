#pragma once
// Clouds taken as truth: one scan or several, and their points.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {

// What a distance from a point to a cloud taken as truth is measured to.
enum class CloudDistance {
  plane,  // the local plane through the nearest true point
  point,  // the nearest true point itself
};

// How a cloud is taken as truth.
struct TruthCloudOptions {
  CloudDistance distance = CloudDistance::plane;
  std::vector<Vec3> cameras_m = {};  // towards the nearest of which normals look where no scanner is known
};

// A cloud as a true surface without patch and without a known area (area_m2() is NaN).
//
// Points of all scans are taken together; points that are not measurable are left out, and of several at one
// place one stays. The normal at a true point is the scan's own where all scans have normals, else that of
// the total least-squares plane of its 24 nearest neighbours, turned towards the scanner or, where its place
// is not known, towards the nearest of the cameras, of none towards z = -infinity. With CloudDistance::plane
// the distance of a point is that to the plane through its nearest true point; where its foot there lies
// farther away than the neighbours reach, or there is no plane, the distance to the point itself counts. A
// true point lies on an open border if its neighbours leave a gap of 135 degrees or more free around it, and
// a query lies beyond the border if its nearest true point does and it lies on the side of that gap.
//
// stratified_samples() thins the cloud to one point in each cell of the given size, with equal weights.
// Results do not depend on the order of the scans or of their points. mesh() has vertices alone.
class TruthCloud : public BorderedSurface {
 public:
  // Returns the number of points, and the median distance of a point from its nearest neighbour.
  virtual std::size_t points() const = 0;
  virtual double spacing_m() const = 0;
};

// Makes a surface of scans. Uses parallel_for. Throws Error(input) if there is no measurable point.
std::shared_ptr<const TruthCloud> make_truth_cloud(std::vector<Scan> scans,
                                                   const TruthCloudOptions& options = {});

// A unit vector, or zero, in 8 bytes: octahedral (Cigolle et al., A Survey of Efficient Representations for
// Independent Unit Vectors, JCGT 2014), within 1e-9 rad. The axes are exact. Aligned so that a processor
// writes it at once.
class alignas(8) CompactNormal {
 public:
  CompactNormal() = default;
  // Keeps a unit vector, or zero.
  explicit CompactNormal(const Vec3& normal);
  // Returns the vector that is kept.
  Vec3 unit() const;

 private:
  static constexpr double kOne = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min();
  std::int32_t u_ = kNone, v_ = 0;
};

// The true points in the order of their coordinates, each place once, and what the scans say of them.
struct TruePoints {
  std::vector<Vec3> positions_m;
  std::vector<CompactNormal> normals;           // as many, or none; zero: to be estimated
  std::vector<std::uint32_t> scan_of;           // as many, or none if no scanner's place is known
  std::vector<std::optional<Vec3>> scanners_m;  // of the scans

  // Returns the direction from point i to where it was seen from: its scanner, or else the nearest camera.
  Vec3 towards_m(std::size_t i, const Vec3& position_m, std::span<const Vec3> cameras_m = {}) const {
    if (scan_of.empty() || !scanners_m[scan_of[i]]) return towards_nearest(position_m, cameras_m);
    return *scanners_m[scan_of[i]] - position_m;
  }
};

// Collects the points of all scans, those that are not measurable left out. Needs at most 64 bytes for each,
// 80 where scans have normals: what has been taken of the scans is given back. Throws Error(input) beyond
// 4294967294 points.
TruePoints collect_true_points(std::vector<Scan> scans);

}  // namespace aqbench
