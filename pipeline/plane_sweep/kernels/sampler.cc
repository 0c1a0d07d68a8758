#include "pipeline/plane_sweep/kernels/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aqbench::plane_sweep {
namespace {

constexpr int kNarrowStrip_px = 16;
// The extremes of a smooth map may exceed those at the nodes and check points by this much.
constexpr double kMargin_px = 1.0;

Coverage classify(const ProjectionFit& fit, const PackedSource& source) {
  const double right = source.width_px - 1, bottom = source.height_px - 1;
  if (fit.exact_enough && fit.u_min_px >= kMargin_px && fit.u_max_px <= right - kMargin_px &&
      fit.v_min_px >= kMargin_px && fit.v_max_px <= bottom - kMargin_px)
    return Coverage::inside;
  const double margin = kMargin_px + 10 * fit.error_px;  // infinite if a projection failed
  if (fit.u_max_px < -margin || fit.u_min_px > right + margin || fit.v_max_px < -margin ||
      fit.v_min_px > bottom + margin)
    return Coverage::outside;
  return Coverage::partial;
}

// Plain bilinear sample of one position; NaN outside.
float sample_code(const PackedSource& source, double u, double v) {
  if (!(u >= 0 && u <= source.width_px - 1 && v >= 0 && v <= source.height_px - 1))
    return std::numeric_limits<float>::quiet_NaN();
  const int x = static_cast<int>(u), y = static_cast<int>(v);
  const auto fx = static_cast<float>(u - x), fy = static_cast<float>(v - y);
  const std::uint32_t* pair = source.pairs.data() + static_cast<std::size_t>(y) * source.stride + x;
  const auto top = [&](int i) { return static_cast<float>(pair[i] & 0xffffU); };
  const auto bottom = [&](int i) { return static_cast<float>(pair[i] >> 16); };
  return (1 - fy) * ((1 - fx) * top(0) + fx * top(1)) + fy * ((1 - fx) * bottom(0) + fx * bottom(1));
}

SampleBounds bounds_of(const ProjectionFit& fit) {
  if (!std::isfinite(fit.error_px)) return {0, -1, 0, -1};
  return {fit.u_min_px, fit.u_max_px, fit.v_min_px, fit.v_max_px};
}

}  // namespace

float mean_code(const SampleBounds& bounds, const PackedSource& source) {
  if (!(bounds.u_min_px <= bounds.u_max_px) || !(bounds.v_min_px <= bounds.v_max_px)) return 32768.0F;
  const auto clip = [](double value, int size) {
    return std::clamp(value, 0.0, static_cast<double>(size - 1));
  };
  const double left = clip(bounds.u_min_px, source.width_px), right = clip(bounds.u_max_px, source.width_px);
  const double top = clip(bounds.v_min_px, source.height_px),
               bottom = clip(bounds.v_max_px, source.height_px);
  float sum = 0;
  for (int j = 0; j < 16; ++j)
    for (int i = 0; i < 16; ++i)
      sum += source.code(static_cast<int>(left + (right - left) * i / 15),
                         static_cast<int>(top + (bottom - top) * j / 15));
  return sum / 256;
}

void TileSampler::start_strip(const RefractiveCamera& reference, const PixelBox& box, Strip& strip) {
  strip.box = box;
  strip.rays = cast_box_rays(reference, box);
  strip.x.clear();
  for (int x = box.x_begin; x < box.x_end; ++x) strip.x.push_back(box_coordinate(x, box.x_begin, box.x_end));
}

void TileSampler::start_tile(const RefractiveCamera& reference, const Tile& tile) {
  reference_ = &reference;
  box_ = tile.input;
  whole_.resize(1);
  narrow_.clear();
  start_strip(reference, box_, whole_[0]);
}

void TileSampler::start_block(const RefractiveCamera& camera, const PackedSource& source,
                              const std::array<float, kLanes>& depths_m) {
  camera_ = &camera;
  source_ = &source;
  depths_m_ = depths_m;
  Strip& whole = whole_[0];
  fit_projection(whole.rays, depths_m_, camera, scratch_, whole.fit);
  coverage_ = classify(whole.fit, source);
  centre_code_ = mean_code(bounds_of(whole.fit), source);
  use_narrow_ = !whole.fit.exact_enough;
  if (!use_narrow_ || coverage_ == Coverage::outside) return;
  if (narrow_.empty())
    for (int x = box_.x_begin; x < box_.x_end; x += kNarrowStrip_px) {
      narrow_.emplace_back();
      start_strip(*reference_, {x, std::min(x + kNarrowStrip_px, box_.x_end), box_.y_begin, box_.y_end},
                  narrow_.back());
    }
  for (Strip& strip : narrow_) fit_projection(strip.rays, depths_m_, camera, scratch_, strip.fit);
}

void TileSampler::sample_row(int y, Lanes* samples, Presence* presence) {
  for (const Strip& strip : use_narrow_ ? narrow_ : whole_) {
    const int first = strip.box.x_begin - box_.x_begin;
    if (strip.fit.exact_enough)
      sample_strip(strip, y, samples + first, presence + first);
    else
      sample_exactly(strip, y, samples + first, presence + first);
  }
}

void TileSampler::sample_strip(const Strip& strip, int y, Lanes* samples, Presence* presence) const {
  const int columns = static_cast<int>(strip.x.size());
  WarpRow row{source_,        &strip.fit, box_coordinate(y, strip.box.y_begin, strip.box.y_end),
              strip.x.data(), columns,    centre_code_};
  if (coverage_ == Coverage::inside) {
    warp_row_inside(row, samples);
    return;
  }
  classify_row(row, presence);
  for (int begin = 0, end = 0; begin < columns; begin = end) {
    while (end < columns && presence[end] == presence[begin]) ++end;
    row.x = strip.x.data() + begin;
    row.count = end - begin;
    if (presence[begin] == Presence::all)
      warp_row_inside(row, samples + begin);
    else if (presence[begin] == Presence::some)
      warp_row_partly_inside(row, samples + begin);
    else
      std::fill_n(samples + begin, row.count, Lanes{} + std::numeric_limits<float>::quiet_NaN());
  }
}

void TileSampler::sample_exactly(const Strip& strip, int y, Lanes* samples, Presence* presence) {
  const std::size_t count = strip.x.size();
  PointBatch& points = scratch_.points;
  points.resize(count * kLanes);
  for (std::size_t i = 0; i < count; ++i) {
    WaterRay ray;
    const bool valid = cast_ray_fast(*reference_, strip.box.x_begin + static_cast<double>(i), y, ray);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t point = i * kLanes + lane;
      const double depth_m = valid ? depths_m_[lane] : std::numeric_limits<double>::quiet_NaN();
      points.x_m[point] = ray.origin_m[0] + depth_m * ray.direction[0];
      points.y_m[point] = ray.origin_m[1] + depth_m * ray.direction[1];
      points.z_m[point] = ray.origin_m[2] + depth_m * ray.direction[2];
    }
  }
  project_points(*camera_, points);
  std::fill_n(presence, count, Presence::some);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      samples[i][lane] =
          sample_code(*source_, points.u_px[i * kLanes + lane], points.v_px[i * kLanes + lane]) -
          centre_code_;
}

}  // namespace aqbench::plane_sweep
