#include "scenes/cloud/cloud_blocks.h"

#include <algorithm>
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

std::shared_ptr<const CloudBlocks> moved_blocks(std::shared_ptr<const CloudBlocks> cloud,
                                                std::vector<Similarity> transforms) {
  if (transforms.empty()) return cloud;
  return std::make_shared<MovedBlocks>(std::move(cloud), std::move(transforms));
}

}  // namespace aqbench
