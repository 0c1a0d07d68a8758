#include "pipeline/dense_flow/dense_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/parallel.h"
#include "pipeline/views/dataset_views.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench::dense_flow {
namespace {

constexpr double kMaxDepth_m = 20;  // in water
constexpr double kGoodResidual_px = 0.5;

// A source ray relative to the reference ray: miss(d) = miss_at_0 + d * rate is the vector between them at
// depth d.
struct PairDepth {
  Vec3 miss_m, rate;
  double weight = 0;  // |rate|^2: squared sine of the angle
  double depth_m = 0;
  double confidence = 0;
};

double weighted_median(std::vector<PairDepth>& pairs) {
  std::ranges::sort(pairs, {}, &PairDepth::depth_m);
  double total = 0, below = 0;
  for (const PairDepth& pair : pairs) total += pair.weight;
  for (const PairDepth& pair : pairs) {
    below += pair.weight;
    if (below >= 0.5 * total) return pair.depth_m;
  }
  return pairs.back().depth_m;
}

struct PixelDepth {
  double depth_m = 0, confidence = 0;
};

// Confidence is 0 without a depth. `px_per_m` applies at the point's distance.
PixelDepth agree(std::vector<PairDepth>& pairs, double px_per_m, const TriangulationOptions& options) {
  if (pairs.size() < static_cast<std::size_t>(options.min_pairs)) return {};
  const double median_m = weighted_median(pairs);
  double weights = 0, depths = 0, confidences = 0;
  int agreeing = 0;
  const auto residual_px = [&](const PairDepth& pair, double depth_m) {
    return (pair.miss_m + depth_m * pair.rate).norm() * px_per_m;
  };
  for (PairDepth& pair : pairs) {
    if (!(residual_px(pair, median_m) <= options.max_residual_px)) {
      pair.confidence = -1;
      continue;
    }
    ++agreeing;
    weights += pair.weight;
    depths += pair.weight * pair.depth_m;
    confidences += pair.confidence;
  }
  const double least_sine = std::sin(options.min_angle_deg * std::numbers::pi / 180);
  if (agreeing < options.min_pairs || !(weights >= least_sine * least_sine)) return {};
  const double depth_m = depths / weights;
  double squares = 0;
  for (const PairDepth& pair : pairs)
    if (pair.confidence >= 0) squares += std::pow(residual_px(pair, depth_m) / kGoodResidual_px, 2);
  return {depth_m,
          confidences / static_cast<double>(pairs.size()) / (1 + squares / static_cast<double>(agreeing))};
}

void add_pair(const RayRow& reference, const RayRow& source, std::size_t x, double confidence, double most_m,
              std::vector<PairDepth>& pairs) {
  if (!std::isfinite(source.direction_z[x])) return;  // NaN: no match or no ray
  const Vec3 along(reference.direction_x[x], reference.direction_y[x], reference.direction_z[x]);
  const Vec3 direction(source.direction_x[x], source.direction_y[x], source.direction_z[x]);
  const Vec3 between(double{reference.origin_x_m[x]} - source.origin_x_m[x],
                     double{reference.origin_y_m[x]} - source.origin_y_m[x],
                     double{reference.origin_z_m[x]} - source.origin_z_m[x]);
  PairDepth pair;
  pair.miss_m = between - between.dot(direction) * direction;
  pair.rate = along - along.dot(direction) * direction;
  pair.weight = pair.rate.squaredNorm();
  pair.depth_m = -pair.miss_m.dot(pair.rate) / pair.weight;
  pair.confidence = confidence;
  if (pair.depth_m > 0 && pair.depth_m < most_m) pairs.push_back(pair);  // parallel rays give no number
}

// Along the ray, for the rate at which the projection moves: through water, and as a share of the depth
// without it.
constexpr float kProbe_m = 0.002, kProbeShare = 0.001;
constexpr float kLeastMotion_px = 1e-3F;  // by the probe
constexpr int kLeastSources = 2;

// Window sums of one source for each pixel.
struct SourceTerms {
  std::vector<float> step;         // of J (reference - source), 1/m
  std::vector<float> curvature;    // of J^2, 1/m^2
  std::vector<float> correlation;  // NaN where the source does not see the place
  std::vector<float> rate;         // px/m
};

void box_sums(std::vector<float>& values, int width_px, int height_px, int window_px) {
  const cv::Mat image(height_px, width_px, CV_32F, values.data());
  cv::boxFilter(image, image, CV_32F, {window_px, window_px}, {-1, -1}, true, cv::BORDER_REFLECT_101);
}

// What a source sees at the reference's pixels, and how it changes with their depth.
struct SourceSight {
  std::vector<float> grey;        // the reference's own where the source does not see the place
  std::vector<float> grey_per_m;  // along the reference's ray
  std::vector<float> px_per_m;    // of the source
  std::vector<std::uint8_t> seen;

  explicit SourceSight(const std::vector<float>& own)
      : grey(own), grey_per_m(own.size()), px_per_m(own.size()), seen(own.size()) {}
};

SourceSight look_from(const DatasetView& reference, const DatasetView& source,
                      std::span<const float> depth_m) {
  const auto width = static_cast<std::size_t>(reference.camera.width_px);
  const bool straight = !looks_through_level_water(reference.camera);
  SourceSight sight(reference.grey);
  for_each_ray_row(reference.camera, [&](std::size_t row, const RayRow& rays) {
    std::vector<float> x_m(width), y_m(width), z_m(width), probe_m(width), u[2], v[2];
    for (const int k : {0, 1}) {  // at the depth, and a little beyond it
      for (std::size_t x = 0; x < width; ++x) {
        const float depth = depth_m[row * width + x];
        probe_m[x] = straight ? kProbeShare * depth : kProbe_m;
        const float at_m = depth + static_cast<float>(k) * probe_m[x];
        x_m[x] = rays.origin_x_m[x] + at_m * rays.direction_x[x];
        y_m[x] = rays.origin_y_m[x] + at_m * rays.direction_y[x];
        z_m[x] = rays.origin_z_m[x] + at_m * rays.direction_z[x];
      }
      u[k].resize(width);
      v[k].resize(width);
      project_points(source.camera, {x_m, y_m, z_m}, {u[k], v[k], {}});
    }
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t at = row * width + x;
      if (reference.inside[at] == 0 || !source.sees(u[0][x], v[0][x])) continue;
      sight.seen[at] = 1;
      const auto grey_at = [&](float x_px, float y_px) {
        return sample_cubic(source.grey.data(), source.camera.width_px, source.camera.height_px, x_px, y_px);
      };
      const float here_x = u[0][x], here_y = v[0][x], dx = u[1][x] - here_x, dy = v[1][x] - here_y;
      sight.grey[at] = grey_at(here_x, here_y);
      const float moved = std::hypot(dx, dy);
      if (!(moved > kLeastMotion_px)) continue;  // NaN, or no usable direction
      const float half_x = 0.5F * dx / moved, half_y = 0.5F * dy / moved;
      sight.px_per_m[at] = moved / probe_m[x];
      // Over one pixel: the slope at the place itself follows noise.
      sight.grey_per_m[at] =
          (grey_at(here_x + half_x, here_y + half_y) - grey_at(here_x - half_x, here_y - half_y)) *
          sight.px_per_m[at];
    }
  });
  return sight;
}

SourceTerms compare(const DatasetView& reference, const std::vector<float>& reference_normal,
                    const DatasetView& source, std::span<const float> depth_m, int window_px) {
  const int width = reference.camera.width_px, height = reference.camera.height_px;
  const std::size_t pixels = reference.grey.size();
  const SourceSight here = look_from(reference, source, depth_m);
  const LocalMoments moments = local_moments({width, height, here.grey.data()}, window_px);
  SourceTerms terms{std::vector<float>(pixels), std::vector<float>(pixels), std::vector<float>(pixels),
                    std::vector<float>(pixels)};
  std::vector<float> own_square(pixels), reference_square(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    if (here.seen[i] == 0) continue;
    const float normal = (here.grey[i] - moments.mean[i]) / moments.deviation[i];
    const float jacobian = here.grey_per_m[i] / moments.deviation[i];
    terms.step[i] = jacobian * (reference_normal[i] - normal);
    terms.curvature[i] = jacobian * jacobian;
    terms.correlation[i] = reference_normal[i] * normal;
    terms.rate[i] = here.px_per_m[i];
    own_square[i] = normal * normal;
    reference_square[i] = reference_normal[i] * reference_normal[i];
  }
  for (std::vector<float>* values :
       {&terms.step, &terms.curvature, &terms.correlation, &own_square, &reference_square})
    box_sums(*values, width, height, window_px);
  for (std::size_t i = 0; i < pixels; ++i)
    terms.correlation[i] =
        here.seen[i] != 0 ? terms.correlation[i] / std::sqrt(own_square[i] * reference_square[i] + 1e-12F)
                          : std::numeric_limits<float>::quiet_NaN();
  return terms;
}

// Returns the pixel's new depth, or none.
void step_pixel(std::span<const SourceTerms> sources, std::size_t i, float base_m, double least_correlation,
                DepthEstimate& estimate) {
  float step = 0, curvature = 0, correlation = 0, fastest = 0;
  int counted = 0, seeing = 0;
  for (const SourceTerms& terms : sources) {
    if (std::isnan(terms.correlation[i])) continue;
    ++seeing;
    if (!(terms.correlation[i] >= static_cast<float>(least_correlation))) continue;
    ++counted;
    step += terms.step[i];
    curvature += terms.curvature[i];
    correlation += terms.correlation[i];
    fastest = std::max(fastest, terms.rate[i]);
  }
  if (counted < kLeastSources || !(curvature > 0) || !(fastest > 0)) {
    estimate.depth_m[i] = std::numeric_limits<float>::quiet_NaN();
    estimate.confidence[i] = 0;
    return;
  }
  estimate.depth_m[i] = base_m + std::clamp(step / curvature, -1 / fastest, 1 / fastest);
  estimate.confidence[i] = std::min(correlation / static_cast<float>(seeing), 1.0F);
}

}  // namespace

DepthEstimate triangulate_matches(const DatasetView& reference, std::span<const DatasetView* const> sources,
                                  std::span<const PairWarp> warps, const TriangulationOptions& options) {
  const RefractiveCamera& camera = reference.camera;
  const auto width = static_cast<std::size_t>(camera.width_px);
  DepthEstimate estimate{std::vector<float>(reference.grey.size(), std::numeric_limits<float>::quiet_NaN()),
                         std::vector<float>(reference.grey.size(), 0.0F)};
  const bool straight = !looks_through_level_water(camera);
  const double most_m = straight ? std::numeric_limits<double>::infinity() : kMaxDepth_m,
               start_z_m = straight ? camera.centre_m[2] : camera.water_z_m;
  const double focal_px = std::sqrt(camera.fx_px * camera.fy_px);
  for_each_ray_row(camera, [&](std::size_t row, const RayRow& rays) {
    std::vector<RayRow> source_rays(sources.size(), RayRow(width));
    for (std::size_t s = 0; s < sources.size(); ++s)
      source_rays[s].cast(sources[s]->camera, std::span(warps[s].x_px).subspan(row * width, width),
                          std::span(warps[s].y_px).subspan(row * width, width));
    std::vector<PairDepth> pairs;
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t at = row * width + x;
      pairs.clear();
      for (std::size_t s = 0; s < sources.size(); ++s)
        add_pair(rays, source_rays[s], x, warps[s].confidence[at], most_m, pairs);
      if (pairs.empty() || reference.inside[at] == 0) continue;
      const double in_air_m =
          std::hypot(rays.origin_x_m[x] - camera.centre_m[0], rays.origin_y_m[x] - camera.centre_m[1],
                     start_z_m - camera.centre_m[2]);
      const PixelDepth depth = agree(pairs, focal_px / (in_air_m + pairs.front().depth_m), options);
      if (!(depth.confidence > 0)) continue;
      estimate.depth_m[at] = static_cast<float>(depth.depth_m);
      estimate.confidence[at] = static_cast<float>(depth.confidence);
    }
  });
  return estimate;
}

std::vector<float> smooth_depths(const DepthEstimate& estimate, int width_px, int height_px, double sigma_px,
                                 std::span<const float> fallback_m) {
  const std::size_t pixels = estimate.depth_m.size();
  // Relative to the fallback: blurred values are then small and exact in single precision.
  std::vector<float> weighted(pixels), weights(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    const bool there = std::isfinite(estimate.depth_m[i]) && std::isfinite(fallback_m[i]);
    weights[i] = there ? estimate.confidence[i] : 0.0F;
    weighted[i] = there ? weights[i] * (estimate.depth_m[i] - fallback_m[i]) : 0.0F;
  }
  const int size = 2 * static_cast<int>(std::ceil(3 * sigma_px)) + 1;
  for (std::vector<float>* values : {&weighted, &weights}) {
    const cv::Mat image(height_px, width_px, CV_32F, values->data());
    cv::GaussianBlur(image, image, {size, size}, sigma_px, sigma_px, cv::BORDER_CONSTANT);
  }
  std::vector<float> smooth(fallback_m.begin(), fallback_m.end());
  constexpr float kLeastWeight = 1e-3F;
  for (std::size_t i = 0; i < pixels; ++i)
    if (weights[i] > kLeastWeight) smooth[i] += weighted[i] / weights[i];
  return smooth;
}

void refine_depths(const DatasetView& reference, std::span<const DatasetView* const> sources,
                   std::span<const float> fallback_m, const RefinementOptions& options,
                   DepthEstimate& estimate) {
  const int width = reference.camera.width_px, height = reference.camera.height_px;
  const std::vector<float> reference_normal =
      normalise_locally({width, height, reference.grey.data()}, options.window_px);
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    const std::vector<float> base_m =
        smooth_depths(estimate, width, height, options.smoothing_px, fallback_m);
    std::vector<SourceTerms> terms(sources.size());
    parallel_for(sources.size(), 1, [&](std::size_t s, std::size_t) {
      terms[s] = compare(reference, reference_normal, *sources[s], base_m, options.window_px);
    });
    parallel_for(estimate.depth_m.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (std::isfinite(estimate.depth_m[i]))
          step_pixel(terms, i, base_m[i], options.least_correlation, estimate);
    });
  }
}

}  // namespace aqbench::dense_flow
