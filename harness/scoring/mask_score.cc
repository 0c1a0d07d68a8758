#include "harness/scoring/mask_score.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "metrics/registry.h"
#include "scenes/optics/distortion.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

constexpr int kRim_px = 1;  // of a mask, which is itself drawn to a pixel at best

// Whether every mask has the place whose camera's image does.
bool all_have(const std::vector<SeeingCamera>& cameras, const Vec3& place_m, bool& any) {
  for (const SeeingCamera& camera : cameras) {
    const auto seen = project(camera.camera, place_m);
    if (!seen || !camera.lens.takes(seen->pixel)) continue;
    any = true;
    if (!camera.mask->at(distort_pixel(camera.intrinsics, seen->pixel), kRim_px)) return false;
  }
  return true;
}

}  // namespace

MetricSet score_masks(const PointCloud& cloud, const Rig& rig) {
  std::vector<SeeingCamera> cameras = seeing_cameras(rig, true);
  std::erase_if(cameras, [](const SeeingCamera& camera) { return camera.mask == nullptr; });
  if (cameras.empty()) return {};
  enum : std::uint8_t { unseen, outside, inside };
  std::vector<std::uint8_t> found(cloud.points_m.size(), unseen);
  parallel_for(found.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      bool any = false;
      const bool all = all_have(cameras, cloud.points_m[i], any);
      if (any) found[i] = all ? inside : outside;
    }
  });
  const auto in = std::ranges::count(found, inside), out = std::ranges::count(found, outside);
  MetricWriter writer;
  if (in + out == 0)
    writer.add_undefined("points_in_masks_pct", "no image with a mask shows a point");
  else
    writer.add("points_in_masks_pct", 100.0 * static_cast<double>(in) / static_cast<double>(in + out));
  return writer.take();
}

}  // namespace aqbench
