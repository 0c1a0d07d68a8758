#pragma once
// Clouds that are read in blocks, so that they need not fit into memory.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/transform.h"

namespace aqbench {

// Consecutive points of a cloud, valid during the call that receives them.
struct CloudBlock {
  std::size_t first = 0;  // the index in the cloud of the block's first point
  std::span<const Vec3> points_m;
  std::span<const Vec3> normals;  // as many, or none
};

// A cloud, in memory or on the disk.
class CloudBlocks {
 public:
  virtual ~CloudBlocks() = default;
  virtual std::size_t points() const = 0;
  virtual bool has_normals() const = 0;

  // Calls `body` for one block of `longest` points (at least 1) after the other; the last may be shorter.
  // Each call gives the same blocks. Throws Error(input) or Error(io) naming the file if that cannot be read
  // any more.
  virtual void read(std::size_t longest, const std::function<void(const CloudBlock&)>& body) const = 0;
};

// A cloud held in memory by the caller; `normals` has the size of `points` or is empty.
class SpanBlocks final : public CloudBlocks {
 public:
  explicit SpanBlocks(std::span<const Vec3> points_m, std::span<const Vec3> normals = {})
      : points_m_(points_m), normals_(normals) {}
  std::size_t points() const override { return points_m_.size(); }
  bool has_normals() const override { return !normals_.empty(); }
  void read(std::size_t longest, const std::function<void(const CloudBlock&)>& body) const override;

 private:
  std::span<const Vec3> points_m_, normals_;
};

// How large the coordinates of a cloud are, and how finely they are stored.
struct CoordinateSteps {
  double largest_m = 0;  // of |x|, |y|, |z|
  // The step of numbers of 32 bits at largest_m, if all coordinates are such numbers and use their last bit;
  // else 0.
  double float_step_m = 0;
};

// Looks at all finite coordinates. They are metres, and metres_per_unit times those of their file.
CoordinateSteps coordinate_steps(const CloudBlocks& cloud, double metres_per_unit = 1);

// Returns a cloud moved by one transform after the other, as apply() moves one in memory.
std::shared_ptr<const CloudBlocks> moved_blocks(std::shared_ptr<const CloudBlocks> cloud,
                                                std::vector<Similarity> transforms);

// Iterates over a cloud: calls `body` with the points of each block and the indices of those that count.
// Repeatable.
using EachBlock = std::function<void(
    const std::function<void(std::span<const Vec3> points_m, std::span<const std::uint32_t> index)>& body)>;

}  // namespace aqbench
