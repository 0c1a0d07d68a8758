#include "scenes/rendering/imaging.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "scenes/optics/distortion.h"

namespace aqbench {
namespace {

// Accuracy of a sample's position on the surface, for its grey value: a ten thousandth of a pixel's
// footprint.
constexpr double kSampleTolerance_m = 1e-7;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The slots of RandomStream::sensor_noise.
enum SensorSlot : std::uint32_t { noise_slot = 0, gain_slot = 1 };

TextureOptions with_contrast(TextureOptions texture, const ImagingOptions& options, bool is_painted) {
  check(options);  // before the texture is made
  texture.rms_contrast = is_painted ? 0 : options.texture_contrast;
  return texture;
}

// Weights of the samples along one axis of a pixel: `reach` samples before its own, its own, and `reach`
// after.
struct PixelFilter {
  int per_side, reach;
  std::vector<double> weights;  // sum is 1
};

PixelFilter pixel_filter(const ImagingOptions& options) {
  const int n = options.samples_per_side;
  PixelFilter filter{n, 0, {}};
  constexpr double kSigmas = 3.5;  // beyond lies 5e-4 of a Gaussian
  if (options.psf_sigma_px > 0)
    filter.reach =
        std::max(0, static_cast<int>(std::ceil((kSigmas * options.psf_sigma_px - 0.5) * n - 1e-9)));
  constexpr double kLeastSigma_px = 1e-6;  // far below any spacing of samples
  const auto sigmas_of = [&](int sample) {
    const double offset_px = (sample + 0.5) / n - 0.5;
    return options.psf_sigma_px > 0 ? offset_px / std::max(options.psf_sigma_px, kLeastSigma_px) : 0;
  };
  // Of a spread far below the samples' spacing each weight is 0 in doubles: the nearest samples then have 1.
  constexpr double kFarSigmas = 20;
  const double nearest = std::abs(sigmas_of(n / 2)), shift = nearest > kFarSigmas ? nearest * nearest : 0;
  for (int i = -filter.reach; i < n + filter.reach; ++i) {
    const double sigmas = sigmas_of(i);
    filter.weights.push_back(std::exp(-0.5 * (sigmas * sigmas - shift)));
  }
  const double sum = std::accumulate(filter.weights.begin(), filter.weights.end(), 0.0);
  for (double& weight : filter.weights) weight /= sum;
  return filter;
}

// Rows of pixels of a stripe, whose rows of samples fill the lanes of rays a few times.
std::size_t stripe_rows(const PixelFilter& filter) {
  constexpr int kLaneRows = 4 * static_cast<int>(kRayLanes);
  return static_cast<std::size_t>(std::max(16, (kLaneRows - 2 * filter.reach) / filter.per_side));
}

// Centre of a sample along an axis, px.
double sample_position_px(const PixelFilter& filter, int sample) {
  return (sample + 0.5) / filter.per_side - 0.5;
}

// Radiance of pixels along an axis from that of samples; the first is sample `per_side * pixel - reach`.
void filter_row(const PixelFilter& filter, const std::vector<float>& samples, float* pixels,
                std::size_t count) {
  for (std::size_t pixel = 0; pixel < count; ++pixel) {
    const float* first = samples.data() + pixel * static_cast<std::size_t>(filter.per_side);
    double sum = 0;
    for (std::size_t k = 0; k < filter.weights.size(); ++k)
      sum += filter.weights[k] * static_cast<double>(first[k]);
    pixels[pixel] = static_cast<float>(sum);
  }
}

// The rays of one column of several rows, on their way to the surface side by side.
class RayColumn {
 public:
  // guess_m: of the depth, NaN for none.
  void add(std::size_t row, const WaterRay& ray, double guess_m) {
    rays_[count_] = ray;
    depths_m_[count_] = guess_m;
    rows_[count_++] = row;
  }

  // Calls found(row, ray, depth_m) for each ray, with NaN for one that hits nothing, and lets go of them all.
  template <class Found>
  void follow(const RayHitter& hitter, const Found& found) {
    const std::size_t count = std::exchange(count_, 0);
    hitter.first_hits_m(std::span(rays_).first(count), std::span(depths_m_).first(count));
    for (std::size_t i = 0; i < count; ++i) found(rows_[i], rays_[i], depths_m_[i]);
  }

 private:
  std::array<WaterRay, kRayLanes> rays_;
  std::array<double, kRayLanes> depths_m_;
  std::array<std::size_t, kRayLanes> rows_;
  std::size_t count_ = 0;
};

// The samples of a row that hit the surface, and where.
struct HitRow {
  std::vector<std::size_t> samples;
  std::vector<double> x_m, y_m, depth_m;
  double last_m = kNaN, before_m = kNaN;  // depths of the last two samples, NaN for none

  // Returns the next depth, extrapolated from the last two.
  double guess_m() const { return std::isnan(before_m) ? last_m : 2 * last_m - before_m; }

  void add(std::size_t sample, const WaterRay& ray, double hit_m) {
    last_m = hit_m;
    if (std::isnan(hit_m)) return;
    samples.push_back(sample);
    x_m.push_back(ray.origin_m[0] + hit_m * ray.direction[0]);
    y_m.push_back(ray.origin_m[1] + hit_m * ray.direction[1]);
    depth_m.push_back(hit_m);
  }
};

}  // namespace

// One row of samples: their pixels in the undistorted camera.
struct Renderer::SampleGrid {
  std::vector<double> distorted_x_px, distorted_y_px, x_px, y_px;

  SampleGrid(int width_px, const PixelFilter& filter) {
    const int count = width_px * filter.per_side + 2 * filter.reach;
    for (int i = 0; i < count; ++i) distorted_x_px.push_back(sample_position_px(filter, i - filter.reach));
    distorted_y_px.resize(distorted_x_px.size());
    x_px.resize(distorted_x_px.size());
    y_px.resize(distorted_x_px.size());
  }

  void set_row(const Undistorter& undistorter, double v_px) {
    std::ranges::fill(distorted_y_px, v_px);
    undistorter.undistort_pixels(distorted_x_px, distorted_y_px, x_px, y_px);
  }
};

Renderer::Renderer(const Surface& surface, const ImagingOptions& options, std::uint64_t seed,
                   const TextureOptions& texture, Paint paint)
    : options_(options),
      seed_(seed),
      exact_(surface),
      fast_(surface, kMaxRayDepth_m, kSampleTolerance_m),
      paint_(std::move(paint)),
      texture_(with_contrast(texture, options, paint_ != nullptr), seed) {}

double Renderer::gain(std::uint64_t camera_index) const {
  const double u = uniform01({seed_, RandomStream::sensor_noise}, camera_index, gain_slot);
  return 1 + options_.gain_spread * (2 * u - 1);
}

// Follows the rays of up to kRayLanes rows side by side.
void Renderer::sample_rows(const RefractiveCamera& camera, std::span<const SampleGrid> grids,
                           std::span<std::vector<float>> out) const {
  if (fast_.is_mesh()) {
    for (std::size_t row = 0; row < grids.size(); ++row) sample_row_of_mesh(camera, grids[row], out[row]);
    return;
  }
  std::vector<HitRow> rows(grids.size());
  RayColumn column;
  for (std::size_t i = 0; i < out[0].size(); ++i) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double guess_m = rows[row].guess_m();
      rows[row].before_m = std::exchange(rows[row].last_m, kNaN);
      if (const auto ray = cast_ray(camera, {grids[row].x_px[i], grids[row].y_px[i]}))
        column.add(row, *ray, guess_m);
    }
    column.follow(fast_,
                  [&](std::size_t row, const WaterRay& ray, double hit_m) { rows[row].add(i, ray, hit_m); });
  }
  std::vector<double> values;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const HitRow& hits = rows[row];
    values.resize(hits.samples.size());
    texture_.at(hits.x_m, hits.y_m, values);
    std::ranges::fill(out[row], 0.0F);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (options_.absorption_per_m != 0) values[k] *= std::exp(-options_.absorption_per_m * hits.depth_m[k]);
      out[row][hits.samples[k]] = static_cast<float>(values[k]);
    }
  }
}

// A whole row of rays at once. Rays that miss the mesh are black.
void Renderer::sample_row_of_mesh(const RefractiveCamera& camera, const SampleGrid& grid,
                                  std::vector<float>& out) const {
  std::vector<WaterRay> rays;
  std::vector<std::size_t> samples;
  std::ranges::fill(out, 0.0F);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (const auto ray = cast_ray(camera, {grid.x_px[i], grid.y_px[i]})) {
      rays.push_back(*ray);
      samples.push_back(i);
    }
  std::vector<FaceHit> hits(rays.size());
  fast_.first_faces(rays, hits);
  const auto position_m = [&](std::size_t k) { return point_on_ray(rays[k], hits[k].depth_m); };
  const auto step_m = [&](std::size_t k) -> Vec3 {
    for (const std::size_t next : {k + 1, k})  // to the next sample, or else from the last one
      if (next > 0 && next < rays.size() && samples[next] == samples[next - 1] + 1)
        if (const Vec3 step = position_m(next) - position_m(next - 1); step.allFinite()) return step;
    return Vec3::Zero();
  };
  for (std::size_t k = 0; k < rays.size(); ++k) {
    if (std::isnan(hits[k].depth_m)) continue;
    double value = paint_ ? paint_(position_m(k), to_vec3(rays[k].direction), step_m(k))
                          : paint_on_face(texture_, position_m(k), hits[k].normal);
    if (options_.absorption_per_m != 0) value *= std::exp(-options_.absorption_per_m * hits[k].depth_m);
    out[samples[k]] = static_cast<float>(value);
  }
}

void Renderer::expose_row(std::uint64_t camera_index, std::uint64_t still, int row,
                          const std::vector<float>& radiance, RenderedImage& out) const {
  constexpr std::uint64_t kApart = 0x9e3779b97f4a7c15;  // of the seeds of two stills
  const RandomKey key{seed_ + kApart * still, RandomStream::sensor_noise};
  const double levels = std::ldexp(1.0, options_.bits) - 1;
  const double cx = (out.width - 1) / 2.0, cy = (out.height - 1) / 2.0;
  const double corner2 = std::max(cx * cx + cy * cy, 1.0), camera_gain = gain(camera_index);
  std::array<double, 2> noise{};
  for (int column = 0; column < out.width; ++column) {
    // Two pixels share a draw.
    if (options_.noise_sigma > 0 && column % 2 == 0)
      noise = normal_pair(
          key,
          camera_index << 40 | static_cast<std::uint64_t>(row) << 20 | static_cast<std::uint64_t>(column),
          noise_slot);
    const double r2 = (column - cx) * (column - cx) + (row - cy) * (row - cy);
    const double light = camera_gain * (1 - options_.vignetting * r2 / corner2) *
                         static_cast<double>(radiance[static_cast<std::size_t>(column)]);
    const double value = light + options_.noise_sigma * noise[static_cast<std::size_t>(column % 2)];
    out.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(out.width) +
               static_cast<std::size_t>(column)] =
        static_cast<std::uint16_t>(std::floor(std::clamp(value, 0.0, 1.0) * levels + 0.5));
  }
}

RenderedImage Renderer::image(const Camera& camera, std::uint64_t camera_index, const RowProgress& progress,
                              std::uint64_t still) const {
  const RefractiveCamera refractive = refractive_camera(camera);
  const Undistorter undistorter(camera.intrinsics);
  const PixelFilter filter = pixel_filter(options_);
  const auto width = static_cast<std::size_t>(camera.intrinsics.width_px);
  const auto height = static_cast<std::size_t>(camera.intrinsics.height_px);
  RenderedImage out{camera.intrinsics.width_px, camera.intrinsics.height_px, options_.bits, {}};
  out.values.resize(width * height);
  // A stripe's outer samples belong to its neighbours too and are cast again there.
  parallel_for(height, stripe_rows(filter), [&](std::size_t begin, std::size_t end) {
    std::vector<SampleGrid> grids(kRayLanes, SampleGrid(camera.intrinsics.width_px, filter));
    std::vector<std::vector<float>> samples(kRayLanes, std::vector<float>(grids[0].x_px.size()));
    const int first = static_cast<int>(begin) * filter.per_side - filter.reach;
    const int last = static_cast<int>(end) * filter.per_side + filter.reach;
    std::vector<float> filtered(static_cast<std::size_t>(last - first) * width);
    for (int sample = first; sample < last; sample += static_cast<int>(kRayLanes)) {
      const std::size_t rows = std::min(kRayLanes, static_cast<std::size_t>(last - sample));
      for (std::size_t row = 0; row < rows; ++row)
        grids[row].set_row(undistorter, sample_position_px(filter, sample + static_cast<int>(row)));
      sample_rows(refractive, std::span(grids).first(rows), std::span(samples).first(rows));
      for (std::size_t row = 0; row < rows; ++row)
        filter_row(filter, samples[row],
                   filtered.data() + (static_cast<std::size_t>(sample - first) + row) * width, width);
    }
    std::vector<float> radiance(width);
    for (std::size_t row = begin; row < end; ++row) {
      const float* top = filtered.data() + (row - begin) * static_cast<std::size_t>(filter.per_side) * width;
      for (std::size_t column = 0; column < width; ++column) {
        double sum = 0;
        for (std::size_t k = 0; k < filter.weights.size(); ++k)
          sum += filter.weights[k] * static_cast<double>(top[k * width + column]);
        radiance[column] = static_cast<float>(sum);
      }
      expose_row(camera_index, still, static_cast<int>(row), radiance, out);
    }
    if (progress) progress(end - begin);
  });
  return out;
}

DepthMap Renderer::depth_map(const Camera& camera, const RowProgress& progress) const {
  const RefractiveCamera refractive = refractive_camera(camera);
  const auto width = static_cast<std::size_t>(camera.intrinsics.width_px);
  const auto height = static_cast<std::size_t>(camera.intrinsics.height_px);
  DepthMap out{camera.name, camera.intrinsics.width_px, camera.intrinsics.height_px, {}, {}};
  out.depth_along_ray_m.resize(width * height);
  parallel_for(height, kRayLanes, [&](std::size_t begin, std::size_t end) {
    RayColumn rays;
    std::array<double, kRayLanes> last_m;
    last_m.fill(kNaN);
    for (std::size_t column = 0; column < width; ++column) {
      for (std::size_t row = begin; row < end; ++row) {
        const double guess_m = std::exchange(last_m[row - begin], kNaN);
        if (const auto ray = cast_ray(refractive, {static_cast<double>(column), static_cast<double>(row)}))
          rays.add(row - begin, *ray, guess_m);
      }
      rays.follow(exact_, [&](std::size_t row, const WaterRay&, double hit_m) { last_m[row] = hit_m; });
      for (std::size_t row = begin; row < end; ++row)
        out.depth_along_ray_m[row * width + column] = static_cast<float>(last_m[row - begin]);
    }
    if (progress) progress(end - begin);
  });
  return out;
}

}  // namespace aqbench
