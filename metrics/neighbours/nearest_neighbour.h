#pragma once
// Exact distances to the nearest point of a cloud.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "metrics/neighbours/block_search.h"
#include "metrics/neighbours/spatial_tree.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// A copy of a cloud in blocks of neighbouring points, under a tree of boxes. All is in double precision: a
// distance has the same bits as a comparison with every point would give. Takes about 33 bytes a point, 38
// while it is built, and 15 bytes less where all coordinates are floats. Immutable and safe to use from
// several threads after construction.
class NearestNeighbourIndex {
 public:
  // Builds the index. Points that are not finite (or beyond 1e100 m) are left out. With `keep_indices`
  // nearest(), nearest_slots() and k_nearest() can be asked, for 4 bytes a point more.
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

  // Writes to out[i] the slot of that point. Throws as nearest() does.
  void nearest_slots(std::span<const Vec3> queries_m, std::span<std::uint32_t> out) const;

  // A slot is a place in a block: a number below slots(). Those of neighbouring points are near each other,
  // and about one in six is empty. Callers keep what belongs to a point by its slot.
  std::size_t slots() const { return index_of_slot_.size(); }
  // Returns whether the slot holds a point, that point's index, and where it lies, in metres.
  bool holds_point(std::uint32_t slot) const;
  std::uint32_t index_at(std::uint32_t slot) const { return index_of_slot_[slot]; }
  Vec3 position_m(std::uint32_t slot) const {
    const std::size_t block = slot / blocks::kWidth, i = slot % blocks::kWidth;
    return float_blocks_ == nullptr ? place_m(blocks_[block], i) : place_m(float_blocks_[block], i);
  }

  using Neighbour = blocks::Neighbour;

  // Writes the `count` nearest points, or all if there are fewer, nearest first, those equally near by their
  // index. Throws as nearest() does.
  void k_nearest(const Vec3& query_m, std::size_t count, std::vector<Neighbour>& out) const;

 private:
  std::size_t size_ = 0;
  std::unique_ptr<blocks::Block<double>[]> blocks_;  // these or the next are there
  std::unique_ptr<blocks::Block<float>[]> float_blocks_;
  std::vector<blocks::Node> nodes_;           // the root first
  std::size_t levels_ = 0;                    // of nodes
  std::vector<std::uint32_t> index_of_slot_;  // where indices are kept

  template <typename Scalar>
  void fill(std::span<const Vec3> points_m, const SpatialTree& tree,
            std::unique_ptr<blocks::Block<Scalar>[]>& blocks);
  template <typename Scalar>
  static Vec3 place_m(const blocks::Block<Scalar>& block, std::size_t i) {
    return {double{block.x[i]}, double{block.y[i]}, double{block.z[i]}};
  }
  // Calls `use` with a pointer to the blocks.
  template <typename Use>
  auto with_blocks(const Use& use) const {
    return float_blocks_ == nullptr ? use(blocks_.get()) : use(float_blocks_.get());
  }
  void require_indices() const;
};

// Returns for each point of from_m, which must all be finite, the distance in metres to the nearest point of
// to_m: the cloud-to-cloud distance. Throws Error(method) if to_m has no finite point.
std::vector<double> cloud_to_cloud_distances_m(std::span<const Vec3> from_m, std::span<const Vec3> to_m);

// Returns the points that have no earlier one at their place, in their order. Of equally near points an index
// finds the first, so that these alone answer for all, and a search does not go through a million of them.
std::vector<Vec3> first_at_each_place(std::span<const Vec3> points_m);

}  // namespace aqbench
