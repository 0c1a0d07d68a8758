#pragma once
// Clouds taken as truth: one scan or several.

#include <cstddef>
#include <memory>
#include <vector>

#include "scenes/cloud/cloud_file.h"
#include "scenes/surfaces/bordered_surface.h"

namespace aqbench {

// What a distance from a point to a cloud taken as truth is measured to.
enum class CloudDistance {
  plane,  // the local plane through the nearest true point
  point,  // the nearest true point itself
};

// How a cloud is taken as truth.
struct TruthCloudOptions {
  CloudDistance distance = CloudDistance::plane;
  std::size_t neighbours = 24;       // that make the local plane
  std::vector<Vec3> cameras_m = {};  // towards the nearest of which normals look where no scanner is known
};

// A cloud as a true surface without patch and without a known area (area_m2() is NaN).
//
// Points of all scans are taken together; points that are not measurable are left out, and of several at one
// place one stays. The normal at a true point is the scan's own where all scans have normals, else that of
// the total least-squares plane of its nearest neighbours, turned towards the scanner or, where its place is
// not known, towards the nearest of the cameras, of none towards z = -infinity. With CloudDistance::plane the
// distance of a point is that to the plane through its nearest true point; where its foot there lies farther
// away than the neighbours reach, or there is no plane, the distance to the point itself counts. A true point
// lies on an open border if its neighbours leave a gap of 135 degrees or more free around it, and a query
// lies beyond the border if its nearest true point does and it lies on the side of that gap.
//
// stratified_samples() thins the cloud to one point in each cell of the given size, with equal weights.
// Results do not depend on the order of the scans or of their points. mesh() has vertices alone.
class TruthCloud : public BorderedSurface {
 public:
  // Returns the number of points, and the median distance of a point from its nearest neighbour.
  virtual std::size_t points() const = 0;
  virtual double spacing_m() const = 0;
};

// Makes a surface of scans. Uses parallel_for. Throws Error(input) if there is no measurable point,
// Error(usage) for fewer than 3 neighbours.
std::shared_ptr<const TruthCloud> make_truth_cloud(std::vector<Scan> scans,
                                                   const TruthCloudOptions& options = {});

}  // namespace aqbench
