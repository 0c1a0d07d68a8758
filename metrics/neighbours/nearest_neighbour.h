#pragma once
// Exact distances to the nearest point of a cloud.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/neighbours/blocks.h"
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

  using Neighbour = blocks::Neighbour;

  // Writes the `count` nearest points, or all if there are fewer, nearest first, those equally near by their
  // index. Throws as nearest() does.
  void k_nearest(const Vec3& query_m, std::size_t count, std::vector<Neighbour>& out) const;

 private:
  std::size_t size_ = 0;
  std::vector<blocks::Block> blocks_;
  std::vector<blocks::Node> nodes_;  // the root first
  std::size_t levels_ = 0;           // of nodes
  // Where indices are kept: block b holds the points order_[first_[b]] to order_[first_[b + 1] - 1].
  std::vector<std::uint32_t> order_, first_;

  void require_indices() const;
};

// Returns for each point of from_m, which must all be finite, the distance in metres to the nearest point of
// to_m: the cloud-to-cloud distance. Throws Error(method) if to_m has no finite point.
std::vector<double> cloud_to_cloud_distances_m(std::span<const Vec3> from_m, std::span<const Vec3> to_m);

}  // namespace aqbench
