#include "pipeline/fusion/surfels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"

namespace aqbench {
namespace {

constexpr std::size_t kPointGrain = 1 << 16;
constexpr std::size_t kVoxelGrain = 4096;

// Contribution of one point or surfel to its voxel.
struct VoxelSample {
  double x_m, y_m, z_m;  // from the grid's origin
  double weight, confidence;
  Eigen::Vector3f towards_camera;
};

// `first` holds the start of each run in `items`, then their total.
template <class Fetch>
void sum_runs(const std::vector<KeyedIndex>& items, const std::vector<std::size_t>& first, const Fetch& fetch,
              Surfels& out) {
  parallel_for(out.count(), kVoxelGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      double x = 0, y = 0, z = 0, weight = 0, confidence = 0;
      Vec3 towards = Vec3::Zero();
      for (std::size_t i = first[v]; i < first[v + 1]; ++i) {
        const VoxelSample sample = fetch(items[i].index);
        x += sample.weight * sample.x_m;
        y += sample.weight * sample.y_m;
        z += sample.weight * sample.z_m;
        weight += sample.weight;
        confidence += sample.weight * sample.confidence;
        towards += sample.weight * sample.towards_camera.cast<double>();
      }
      out.keys[v] = items[first[v]].key;
      out.x_m[v] = static_cast<float>(x / weight);
      out.y_m[v] = static_cast<float>(y / weight);
      out.z_m[v] = static_cast<float>(z / weight);
      out.weight[v] = static_cast<float>(weight);
      out.confidence[v] = static_cast<float>(confidence / weight);
      out.towards_camera[v] = (towards / weight).cast<float>();
    }
  });
}

template <class Fetch>
Surfels sum_voxels(const CellGrid& grid, const std::vector<KeyedIndex>& items, const Fetch& fetch) {
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (i == 0 || items[i].key != items[i - 1].key) first.push_back(i);
  Surfels out;
  out.grid = grid;
  out.resize(first.size());
  first.push_back(items.size());
  sum_runs(items, first, fetch, out);
  return out;
}

struct Box {
  Vec3 low_m = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 high_m = Vec3::Constant(-std::numeric_limits<double>::infinity());
  std::size_t points = 0;

  void add(const Vec3& point_m) {
    low_m = low_m.cwiseMin(point_m);
    high_m = high_m.cwiseMax(point_m);
    ++points;
  }
  void add(const Box& other) {
    low_m = low_m.cwiseMin(other.low_m);
    high_m = high_m.cwiseMax(other.high_m);
    points += other.points;
  }
};

float confidence_of(const CameraPoints& camera, std::size_t i) {
  return camera.confidence.empty() ? 1.0F : camera.confidence[i];
}

bool usable_point(const CameraPoints& camera, std::size_t i) {
  const float confidence = confidence_of(camera, i);
  return camera.points_m[i].allFinite() && std::isfinite(confidence) && confidence > 0;
}

// Boxes of one camera's chunks: their counts give each chunk's output position.
std::vector<Box> chunk_boxes(const CameraPoints& camera) {
  std::vector<Box> boxes((camera.points_m.size() + kPointGrain - 1) / kPointGrain);
  parallel_for(camera.points_m.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    Box& box = boxes[begin / kPointGrain];
    for (std::size_t i = begin; i < end; ++i)
      if (usable_point(camera, i)) box.add(camera.points_m[i].cast<double>());
  });
  return boxes;
}

std::vector<KeyedIndex> sorted_points(std::span<const CameraPoints> cameras,
                                      const std::vector<std::vector<Box>>& boxes, const CellGrid& grid,
                                      std::size_t total) {
  std::vector<KeyedIndex> items(total);
  std::size_t place = 0;
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    const CameraPoints& camera = cameras[c];
    std::vector<std::size_t> first;
    for (const Box& box : boxes[c]) {
      first.push_back(place);
      place += box.points;
    }
    parallel_for(camera.points_m.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
      std::size_t at = first[begin / kPointGrain];
      for (std::size_t i = begin; i < end; ++i)
        if (usable_point(camera, i)) items[at++] = {grid.key(camera.points_m[i].cast<double>()), c << 32 | i};
    });
  }
  sort_keys(items);
  return items;
}

Vec3 relative_position(const Surfels& surfels, std::size_t i) {
  return {surfels.x_m[i], surfels.y_m[i], surfels.z_m[i]};
}

VoxelSample sample_of(const Surfels& surfels, std::size_t i, const Vec3& shift_m) {
  return {surfels.x_m[i] + shift_m.x(), surfels.y_m[i] + shift_m.y(),
          surfels.z_m[i] + shift_m.z(), surfels.weight[i],
          surfels.confidence[i],        surfels.towards_camera[i]};
}

}  // namespace

void Surfels::resize(std::size_t count) {
  keys.resize(count);
  for (std::vector<float>* values : {&x_m, &y_m, &z_m, &weight, &confidence}) values->resize(count);
  towards_camera.resize(count);
}

Surfels gather_voxels(std::span<const CameraPoints> cameras, double voxel_m, std::size_t* usable) {
  std::vector<std::vector<Box>> boxes;
  Box whole;
  for (const CameraPoints& camera : cameras) {
    boxes.push_back(chunk_boxes(camera));
    for (const Box& box : boxes.back()) whole.add(box);
  }
  if (usable != nullptr) *usable = whole.points;
  if (whole.points == 0) return {};
  const CellGrid grid = make_cell_grid(whole.low_m, whole.high_m, voxel_m);
  return sum_voxels(
      grid, sorted_points(cameras, boxes, grid, whole.points), [&](std::uint64_t index) -> VoxelSample {
        const CameraPoints& camera = cameras[index >> 32];
        const std::size_t i = index & 0xffffffff;
        const Vec3 point_m = camera.points_m[i].cast<double>();
        const Vec3 from_origin = point_m - grid.origin_m;
        const double confidence = confidence_of(camera, i);
        return {from_origin.x(), from_origin.y(), from_origin.z(),
                confidence,      confidence,      (camera.centre_m - point_m).normalized().cast<float>()};
      });
}

Surfels regroup(const Surfels& moved) {
  if (moved.count() == 0) return {};
  Box box;
  for (std::size_t i = 0; i < moved.count(); ++i) box.add(relative_position(moved, i));
  const Vec3 origin_m = moved.grid.origin_m;
  const CellGrid grid = make_cell_grid(origin_m + box.low_m, origin_m + box.high_m, moved.grid.cell_m);
  std::vector<KeyedIndex> items(moved.count());
  parallel_for(moved.count(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      items[i] = {grid.key(origin_m + relative_position(moved, i)), i};
  });
  sort_keys(items);
  const Vec3 shift_m = origin_m - grid.origin_m;
  return sum_voxels(grid, items, [&](std::uint64_t i) { return sample_of(moved, i, shift_m); });
}

Surfels coarsen(const Surfels& fine, int level) {
  std::vector<KeyedIndex> items(fine.count());
  for (std::size_t i = 0; i < fine.count(); ++i) items[i] = {fine.keys[i] >> (3 * level), i};
  CellGrid grid = fine.grid;
  grid.cell_m = std::ldexp(grid.cell_m, level);
  return sum_voxels(grid, items, [&](std::uint64_t i) { return sample_of(fine, i, Vec3::Zero()); });
}

// Finds the smallest cells that hold eight points on average. A surface covers about one face area of each
// cell it crosses.
double spacing_m(const Surfels& surfels) {
  constexpr double kEnough = 8, kCovered = 0.8;
  double spacing = surfels.grid.cell_m;
  for (int level = 0; level < kMortonBits && surfels.count() > kEnough; ++level) {
    std::size_t cells = 1;
    for (std::size_t i = 1; i < surfels.count(); ++i)
      if (surfels.keys[i] >> (3 * level) != surfels.keys[i - 1] >> (3 * level)) ++cells;
    const double shared = static_cast<double>(surfels.count()) / static_cast<double>(cells);
    spacing = std::ldexp(surfels.grid.cell_m, level) * std::sqrt(kCovered / shared);
    if (shared >= kEnough) break;
  }
  return std::max(spacing, surfels.grid.cell_m);
}

}  // namespace aqbench
