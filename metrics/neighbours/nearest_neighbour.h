#pragma once
// Exact distances to the nearest point of a cloud.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// A copy of a cloud in blocks of neighbouring points, under a tree of boxes. All is in double precision: a
// distance has the same bits as a comparison with every point would give. Takes about 40 bytes a point, 45
// while it is built. Immutable and safe to use from several threads after construction.
class NearestNeighbourIndex {
 public:
  // Builds the index. Points that are not finite (or beyond 1e100 m) are left out. With `keep_indices`
  // nearest() and k_nearest() can be asked, for 5 bytes a point more.
  explicit NearestNeighbourIndex(std::span<const Vec3> points_m, bool keep_indices = false);

  std::size_t size() const { return size_; }  // points in the index

  // Writes to out_m[i] the distance from queries_m[i], which must be finite, to the nearest point. It is
  // fastest if consecutive queries are near each other. Uses parallel_for. Throws Error(method) if the index
  // is empty, Error(usage) unless the spans are of one size.
  void distances(std::span<const Vec3> queries_m, std::span<double> out_m) const;

  // Writes to out[i] the index of the point that is nearest to queries_m[i]; of points that are equally near
  // the one with the smallest index. Runs on the calling thread. Throws as distances() does, and
  // Error(usage) for an index without indices.
  void nearest(std::span<const Vec3> queries_m, std::span<std::uint32_t> out) const;

  // A point and its squared distance from a query.
  struct Neighbour {
    double squared_m2;
    std::uint32_t index;
    bool operator<(const Neighbour& other) const {
      return squared_m2 != other.squared_m2 ? squared_m2 < other.squared_m2 : index < other.index;
    }
  };

  // Writes the `count` nearest points, or all if there are fewer, nearest first, those equally near by their
  // index. Throws as nearest() does.
  void k_nearest(const Vec3& query_m, std::size_t count, std::vector<Neighbour>& out) const;

  static constexpr std::size_t kWidth = 16;  // points a block, children a node

  // Points of one block; unused places are at infinity.
  struct alignas(64) Block {
    double x[kWidth], y[kWidth], z[kWidth];
  };
  // The boxes of a node's children, and which children they are (as in SpatialTree, with blocks for runs).
  // Unused boxes are empty (low = infinity, high = -infinity).
  struct alignas(64) Node {
    double low_x[kWidth], low_y[kWidth], low_z[kWidth], high_x[kWidth], high_y[kWidth], high_z[kWidth];
    std::uint32_t child[kWidth];
  };

 private:
  std::size_t size_ = 0;
  std::vector<Block> blocks_;
  std::vector<Node> nodes_;  // the root first
  std::size_t levels_ = 0;   // of nodes
  // Where indices are kept: block b holds the points order_[first_[b]] to order_[first_[b + 1] - 1].
  std::vector<std::uint32_t> order_, first_;

  void require_indices() const;
};

// Returns for each point of from_m, which must all be finite, the distance in metres to the nearest point of
// to_m: the cloud-to-cloud distance. Throws Error(method) if to_m has no finite point.
std::vector<double> cloud_to_cloud_distances_m(std::span<const Vec3> from_m, std::span<const Vec3> to_m);

}  // namespace aqbench
