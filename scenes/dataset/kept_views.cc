#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "scenes/dataset/recording.h"

namespace aqbench {

std::vector<std::size_t> kept_views(const Rig& rig, std::size_t every, std::size_t hold_out) {
  std::vector<std::size_t> order(rig.cameras.size()), kept;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return rig.cameras[i].name; });
  for (std::size_t taken = 0; taken * every < order.size(); ++taken)
    if (hold_out == 0 || taken % hold_out != 0) kept.push_back(order[taken * every]);
  std::ranges::sort(kept);
  return kept;
}

void keep_views(Recording& recording, std::size_t every, std::size_t hold_out) {
  const std::vector<std::size_t> kept = kept_views(recording.rig, every, hold_out);
  if (kept.empty())
    throw input_error.of_file(recording.dir, "no camera is left; see dataset.every and dataset.hold_out");
  keep_cameras(recording, kept);
}

void keep_cameras(Recording& recording, const std::vector<std::size_t>& kept) {
  recording.is_whole = kept.size() == recording.rig.cameras.size();
  const auto keep = [&](auto& all) {
    std::remove_reference_t<decltype(all)> some;
    for (const std::size_t i : kept) some.push_back(std::move(all[i]));
    all = std::move(some);
  };
  keep(recording.rig.cameras);
  for (auto& frame : recording.images) keep(frame);
  for (auto& frame : recording.masks) keep(frame);
}

}  // namespace aqbench
