#include "scenes/cloud/cloud_blocks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace aqbench {
namespace {

class MovedBlocks final : public CloudBlocks {
 public:
  MovedBlocks(std::shared_ptr<const CloudBlocks> cloud, std::vector<Similarity> transforms)
      : cloud_(std::move(cloud)), transforms_(std::move(transforms)) {}
  std::size_t points() const override { return cloud_->points(); }
  bool has_normals() const override { return cloud_->has_normals(); }
  void read(std::size_t longest, const std::function<void(const CloudBlock&)>& body) const override {
    PointCloud moved;
    cloud_->read(longest, [&](const CloudBlock& block) {
      moved.points_m.assign(block.points_m.begin(), block.points_m.end());
      moved.normals.assign(block.normals.begin(), block.normals.end());
      for (const Similarity& transform : transforms_) apply(transform, moved);
      body({block.first, moved.points_m, moved.normals});
    });
  }

 private:
  std::shared_ptr<const CloudBlocks> cloud_;
  std::vector<Similarity> transforms_;
};

}  // namespace

void SpanBlocks::read(std::size_t longest, const std::function<void(const CloudBlock&)>& body) const {
  for (std::size_t first = 0; first < points_m_.size(); first += longest) {
    const std::size_t count = std::min(longest, points_m_.size() - first);
    body({first, points_m_.subspan(first, count),
          normals_.empty() ? normals_ : normals_.subspan(first, count)});
  }
}

CoordinateSteps coordinate_steps(const CloudBlocks& cloud, double metres_per_unit) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  constexpr double kRounding = 4e-16;  // relative, of what was multiplied by the unit
  double largest = 0;
  bool narrow = true, last_bit = false;
  const auto look_at = [&](double value_m) {
    const double value = value_m / metres_per_unit;
    if (!std::isfinite(value)) return;
    largest = std::max(largest, std::abs(value));
    if (!narrow || !(std::abs(value) <= std::numeric_limits<float>::max())) return;
    const auto rounded = static_cast<float>(value);
    narrow = std::abs(static_cast<double>(rounded) - value) <= kRounding * std::abs(value);
    last_bit = last_bit || (std::bit_cast<std::uint32_t>(rounded) & 1) != 0;
  };
  cloud.read(kBlock, [&](const CloudBlock& block) {
    for (const Vec3& point : block.points_m)
      for (const double value_m : point) look_at(value_m);
  });
  CoordinateSteps steps{largest * metres_per_unit, 0};
  if (!narrow || !last_bit || !(largest <= std::numeric_limits<float>::max())) return steps;
  const auto at = static_cast<float>(largest);
  const float next = std::nextafter(at, std::numeric_limits<float>::infinity());
  if (std::isfinite(next)) steps.float_step_m = (static_cast<double>(next) - at) * metres_per_unit;
  return steps;
}

std::shared_ptr<const CloudBlocks> moved_blocks(std::shared_ptr<const CloudBlocks> cloud,
                                                std::vector<Similarity> transforms) {
  if (transforms.empty()) return cloud;
  return std::make_shared<MovedBlocks>(std::move(cloud), std::move(transforms));
}

}  // namespace aqbench
