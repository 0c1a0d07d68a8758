#include "pipeline/plane_sweep/kernels/guided_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pipeline/plane_sweep/kernels/warp_row.h"

namespace aqbench::plane_sweep {
namespace {

constexpr double kNoDepth_m = std::numeric_limits<double>::quiet_NaN();

Lanes guided_offsets() {
  Lanes offsets;
  for (int lane = 0; lane < kLanes; ++lane)
    offsets[lane] = static_cast<float>(2 * lane - (kLanes - 1)) / (kLanes - 1);
  return offsets;
}

// The last whole pixel before all samples, within the image.
int base_before(double min_px, int size_px) {
  return static_cast<int>(std::clamp(std::floor(min_px) - 1, 0.0, static_cast<double>(size_px - 1)));
}

}  // namespace

void GuidedSampler::start_tile(const FlatWaterCamera& reference, const Tile& tile,
                               std::span<const float> guide_m, double step_m) {
  tile_ = &tile;
  half_range_m_ = step_m * (kLanes - 1) / 2;
  rays_.clear();
  middle_m_.clear();
  for (int y = tile.input.y_begin; y < tile.input.y_end; ++y)
    for (int x = tile.input.x_begin; x < tile.input.x_end; ++x) {
      WaterRay ray;
      const float depth_m = guide_m[static_cast<std::size_t>(y) * reference.width_px + x];
      const bool valid = std::isfinite(depth_m) && cast_ray(reference, x, y, ray);
      rays_.push_back(ray);
      middle_m_.push_back(valid ? depth_m : kNoDepth_m);
    }
  for (int k = 0; k < 3; ++k) {
    u_[k].resize(rays_.size());
    v_[k].resize(rays_.size());
  }
  u_px_.resize(rays_.size());
  v_px_.resize(rays_.size());
}

// Three depths fix the parabola that a pixel's sixteen positions follow: over a few millimetres its error is
// far below 1e-4 px.
void GuidedSampler::project_row(const FlatWaterCamera& camera, std::size_t first) {
  const auto columns = static_cast<std::size_t>(tile_->columns());
  points_.resize(3 * columns);
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const WaterRay& ray = rays_[first + i];
      const double depth_m = middle_m_[first + i] + (static_cast<double>(k) - 1) * half_range_m_;
      points_.x_m[k * columns + i] = ray.origin_m[0] + depth_m * ray.direction[0];
      points_.y_m[k * columns + i] = ray.origin_m[1] + depth_m * ray.direction[1];
      points_.z_m[k * columns + i] = ray.origin_m[2] + depth_m * ray.direction[2];
    }
  project_points(camera, points_);
  const auto fit = [&](const std::vector<double>& at, std::vector<double>& middle,
                       std::vector<float>(&powers)[3]) {
    for (std::size_t i = 0; i < columns; ++i) {
      const double near = at[i], here = at[columns + i], far = at[2 * columns + i];
      middle[first + i] = here;
      powers[1][first + i] = static_cast<float>(0.5 * (far - near));
      powers[2][first + i] = static_cast<float>(0.5 * (far + near) - here);
    }
  };
  fit(points_.u_px, u_px_, u_);
  fit(points_.v_px, v_px_, v_);
}

void GuidedSampler::start_source(const FlatWaterCamera& camera, const PackedSource& source) {
  source_ = &source;
  const auto columns = static_cast<std::size_t>(tile_->columns());
  for (std::size_t first = 0; first < rays_.size(); first += columns) project_row(camera, first);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  SampleBounds bounds{kInfinite, -kInfinite, kInfinite, -kInfinite};
  bool complete = true;
  for (std::size_t i = 0; i < rays_.size(); ++i) {
    const double u = u_px_[i], v = v_px_[i];
    const double reach_u = std::abs(u_[1][i]) + std::abs(u_[2][i]);
    const double reach_v = std::abs(v_[1][i]) + std::abs(v_[2][i]);
    if (std::isnan(u + v + reach_u + reach_v)) {
      complete = false;
      continue;
    }
    bounds.u_min_px = std::min(bounds.u_min_px, u - reach_u);
    bounds.u_max_px = std::max(bounds.u_max_px, u + reach_u);
    bounds.v_min_px = std::min(bounds.v_min_px, v - reach_v);
    bounds.v_max_px = std::max(bounds.v_max_px, v + reach_v);
  }
  const double right = source.width_px - 1, bottom = source.height_px - 1;
  if (!(bounds.u_min_px <= right && bounds.u_max_px >= 0 && bounds.v_min_px <= bottom &&
        bounds.v_max_px >= 0)) {
    coverage_ = Coverage::outside;
    return;
  }
  complete = complete && bounds.u_min_px >= 1 && bounds.u_max_px <= right - 1 && bounds.v_min_px >= 1 &&
             bounds.v_max_px <= bottom - 1;
  coverage_ = complete ? Coverage::inside : Coverage::partial;
  centre_code_ = mean_code(bounds, source);
  u_base_px_ = base_before(bounds.u_min_px, source.width_px);
  v_base_px_ = base_before(bounds.v_min_px, source.height_px);
  for (std::size_t i = 0; i < rays_.size(); ++i) {
    u_[0][i] = static_cast<float>(u_px_[i] - u_base_px_);
    v_[0][i] = static_cast<float>(v_px_[i] - v_base_px_);
  }
}

void GuidedSampler::sample_row(int y, Lanes* samples, Presence* presence) {
  const auto columns = static_cast<std::size_t>(tile_->columns());
  const std::size_t first = static_cast<std::size_t>(y - tile_->input.y_begin) * columns;
  static const Lanes offsets = guided_offsets();
  const GuidedRow row{source_,
                      {&u_[0][first], &u_[1][first], &u_[2][first]},
                      {&v_[0][first], &v_[1][first], &v_[2][first]},
                      u_base_px_,
                      v_base_px_,
                      tile_->columns(),
                      centre_code_,
                      offsets};
  if (coverage_ == Coverage::inside) {
    warp_guided_row_inside(row, samples);
    return;
  }
  classify_guided_row(row, presence);
  warp_guided_row_partly_inside(row, samples);
}

}  // namespace aqbench::plane_sweep
