#pragma once
// Exact distances to the nearest point of a cloud.

#include <cstdint>
#include <span>
#include <vector>

#include "scenes/core/reconstruction.h"

namespace aqbench {

// A copy of a cloud in blocks of eight neighbours under an implicit tree of boxes with eight children each,
// all in double precision: a distance has the same bits as a scan over all points would give. Takes 31 bytes
// a point, 33 while it is built. Immutable and thread-safe after construction.
class NearestNeighbourIndex {
 public:
  // Points that are not finite (or beyond 1e100 m) are left out.
  explicit NearestNeighbourIndex(std::span<const Vec3> points_m);

  std::size_t size() const { return size_; }  // points in the index

  // out_m[i]: distance from queries_m[i], finite, to the nearest point. Fastest if neighbouring queries are
  // near each other. Runs in parallel. Throws Error(method) if the index is empty, Error(usage) unless the
  // spans are of one size.
  void distances(std::span<const Vec3> queries_m, std::span<double> out_m) const;

  // Eight points; places that are left over are at infinity.
  struct alignas(64) Block {
    double x[8], y[8], z[8];
  };
  // Boxes of eight children; boxes that are left over are empty (low = infinity, high = -infinity).
  struct alignas(64) Node {
    double low_x[8], low_y[8], low_z[8], high_x[8], high_y[8], high_z[8];
  };

 private:
  std::size_t size_ = 0;
  std::vector<Block> blocks_;
  // nodes_[0] are the parents of blocks, nodes_.back() is the root alone; child c of node i is 8 i + c of the
  // level below.
  std::vector<std::vector<Node>> levels_;
};

// out[i]: distance in metres from from_m[i] to the nearest of to_m; the cloud-to-cloud distance. Every point
// of from_m must be finite. Throws Error(method) if to_m has no finite point.
std::vector<double> cloud_to_cloud_distances_m(std::span<const Vec3> from_m, std::span<const Vec3> to_m);

}  // namespace aqbench
