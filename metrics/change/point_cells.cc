#include "metrics/change/point_cells.h"

#include <numeric>

namespace aqbench {

PointCells::PointCells(std::span<const Vec3> points_m, double cell_m)
    : points_(points_m), order_(points_m.size()), cell_m_(cell_m) {
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::stable_sort(order_, {}, [&](std::uint32_t i) { return cell_of(points_[i]); });
  for (std::size_t i = 0; i < order_.size(); ++i)
    ++runs_.try_emplace(cell_of(points_[order_[i]]), i, i).first->second.second;
}

}  // namespace aqbench
