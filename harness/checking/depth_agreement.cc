#include "harness/checking/depth_agreement.h"

#include <algorithm>
#include <array>

#include "core/quantiles.h"
#include "harness/scoring/consistency.h"

namespace aqbench {
namespace {

struct PairShift {
  double baseline_m = 0, shift_px = 0;
};

std::vector<PairShift> pair_shifts(std::span<const DepthMap> maps, const Rig& rig) {
  std::vector<PairShift> shifts;
  for (std::size_t i = 0; i < maps.size(); ++i)
    for (std::size_t j = i + 1; j < maps.size(); ++j) {
      const Camera *const a = find_camera(rig, maps[i].camera), *const b = find_camera(rig, maps[j].camera);
      if (a == nullptr || b == nullptr) continue;
      const std::array<DepthMap, 2> two = {maps[i], maps[j]};
      const MetricSet metrics = measure_consistency(two, Rig{{*a, *b}});
      const Metric* const shift = find_metric(metrics, "reprojection_median_px");
      if (shift != nullptr && shift->value)
        shifts.push_back(
            {(camera_centre_m(a->camera_from_world) - camera_centre_m(b->camera_from_world)).norm(),
             *shift->value});
    }
  std::ranges::sort(shifts, {}, &PairShift::baseline_m);
  return shifts;
}

}  // namespace

std::vector<BaselineGroup> depth_agreement(std::span<const DepthMap> maps, const Rig& rig) {
  const std::vector<PairShift> shifts = pair_shifts(maps, rig);
  const std::size_t count = std::min<std::size_t>(3, shifts.size());
  std::vector<BaselineGroup> groups;
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t first = g * shifts.size() / count, last = (g + 1) * shifts.size() / count;
    std::vector<double> shift_px;
    for (std::size_t i = first; i < last; ++i) shift_px.push_back(shifts[i].shift_px);
    groups.push_back({shifts[first].baseline_m, shifts[last - 1].baseline_m, last - first,
                      median_of(std::move(shift_px))});
  }
  return groups;
}

}  // namespace aqbench
