#pragma once
// The points of scans that are taken as truth.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/bordered_surface.h"

namespace aqbench {

// A unit vector, or zero, in 8 bytes: octahedral (Cigolle et al., A Survey of Efficient Representations for
// Independent Unit Vectors, JCGT 2014), within 1e-9 rad. The axes are exact.
class CompactNormal {
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
