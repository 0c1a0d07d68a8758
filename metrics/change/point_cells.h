#pragma once
// The points of a cloud by cubic cell: which lie in a sphere or in a cylinder.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The points beside an axis through `core_m`, from place `from_m` to `to_m` along it.
struct Cylinder {
  Vec3 core_m, axis;  // axis: unit
  double radius_m, from_m, to_m;
};

class PointCells {
 public:
  PointCells(std::span<const Vec3> points_m, double cell_m);

  // Calls use(index) for each point in a sphere, and for some beside it.
  template <class Use>
  void each_near(const Vec3& core_m, double radius_m, const Use& use) const {
    each_in(cell_of(core_m.array() - radius_m), cell_of(core_m.array() + radius_m), use);
  }

  // Calls use(index, place) for each point in a cylinder. Goes through the layers of cells along the longest
  // coordinate of the axis, so that a long oblique cylinder meets few cells beside it.
  template <class Use>
  void each_in_cylinder(const Cylinder& cylinder, const Use& use) const {
    const auto& [core_m, axis, radius_m, from_m, to_m] = cylinder;
    Eigen::Index main = 0;
    axis.cwiseAbs().maxCoeff(&main);
    const double step = std::abs(axis[main]);
    // How far along the axis the disc through a point of a layer reaches beyond that layer.
    const double tilt_m = radius_m * std::sqrt(std::max(0.0, 1 - step * step)) / step;
    const double one_end = from_m * axis[main], other_end = to_m * axis[main];
    const std::int64_t last_layer = part_of(core_m[main] + std::max(one_end, other_end) + radius_m);
    for (std::int64_t layer = part_of(core_m[main] + std::min(one_end, other_end) - radius_m);
         layer <= last_layer; ++layer) {
      const double low = (static_cast<double>(layer) * cell_m_ - core_m[main]) / axis[main];
      const double high = (static_cast<double>(layer + 1) * cell_m_ - core_m[main]) / axis[main];
      const Vec3 begin = core_m + (std::min(low, high) - tilt_m) * axis,
                 end = core_m + (std::max(low, high) + tilt_m) * axis;
      Cell first = cell_of(begin.cwiseMin(end).array() - radius_m),
           last = cell_of(begin.cwiseMax(end).array() + radius_m);
      first[static_cast<std::size_t>(main)] = last[static_cast<std::size_t>(main)] = layer;
      each_in(first, last, [&](std::uint32_t i) {
        const Vec3 from_core = points_[i] - cylinder.core_m;
        const double place_m = from_core.dot(cylinder.axis);
        if (place_m < cylinder.from_m || place_m > cylinder.to_m) return;
        if ((from_core - place_m * cylinder.axis).squaredNorm() <= cylinder.radius_m * cylinder.radius_m)
          use(i, place_m);
      });
    }
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  struct HashOfCell {
    std::size_t operator()(const Cell& cell) const {
      std::uint64_t hash = 0;
      for (const std::int64_t part : cell)
        hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15U + (hash >> 29);
      return static_cast<std::size_t>(hash);
    }
  };

  std::int64_t part_of(double x) const { return static_cast<std::int64_t>(std::floor(x / cell_m_)); }
  Cell cell_of(const Vec3& point) const {
    return {part_of(point.x()), part_of(point.y()), part_of(point.z())};
  }
  template <class Use>
  void each_in(const Cell& low, const Cell& high, const Use& use) const {
    for (std::int64_t x = low[0]; x <= high[0]; ++x)
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
        for (std::int64_t z = low[2]; z <= high[2]; ++z)
          if (const auto run = runs_.find({x, y, z}); run != runs_.end())
            for (std::size_t i = run->second.first; i < run->second.second; ++i) use(order_[i]);
  }

  std::span<const Vec3> points_;
  std::vector<std::uint32_t> order_;
  double cell_m_;
  std::unordered_map<Cell, std::pair<std::size_t, std::size_t>, HashOfCell> runs_;
};

}  // namespace aqbench
