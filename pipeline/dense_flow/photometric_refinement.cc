#include "pipeline/dense_flow/photometric_refinement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/parallel.h"
#include "pipeline/dense_flow/local_normalisation.h"
#include "pipeline/views/cubic_sampling.h"

namespace aqbench::dense_flow {
namespace {

// Along the ray, for the rate at which the projection moves: through water, and as a share of the depth
// without it.
constexpr float kProbe_m = 0.002, kProbeShare = 0.001;
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

// Grey values per pixel along the direction in which a point's projection moves as its depth grows.
struct Slope {
  float along = 0, rate_px_per_m = 0;
};

Slope slope_at(const DatasetView& source, const AlignedSource& here, const AlignedSource& deeper,
               std::size_t i, float probe_m) {
  const float dx = deeper.x_px[i] - here.x_px[i], dy = deeper.y_px[i] - here.y_px[i];
  const float moved = std::hypot(dx, dy);
  if (!(moved > 1e-3F)) return {};  // NaN, or no usable direction
  const float ex = 0.5F * dx / moved, ey = 0.5F * dy / moved;
  const auto grey = [&](float sign) {
    return sample_cubic(source.grey.data(), source.camera.width_px, source.camera.height_px,
                        here.x_px[i] + sign * ex, here.y_px[i] + sign * ey);
  };
  return {grey(1) - grey(-1), moved / probe_m};
}

SourceTerms compare(const DatasetView& reference, const std::vector<float>& reference_normal,
                    const DatasetView& source, std::span<const float> depth_m, int window_px) {
  const int width = reference.camera.width_px, height = reference.camera.height_px;
  const std::size_t pixels = reference.grey.size();
  const AlignedSource here = align_source(reference, source, depth_m);
  std::vector<float> deeper_m(depth_m.begin(), depth_m.end());
  const bool straight = reference.camera.optics == &kStraightRays;
  const auto probe_m = [&](float depth) { return straight ? kProbeShare * depth : kProbe_m; };
  for (float& depth : deeper_m) depth += probe_m(depth);
  const AlignedSource deeper = align_source(reference, source, deeper_m);
  const LocalMoments moments = local_moments({width, height, here.grey.data(), nullptr}, window_px);
  SourceTerms terms{std::vector<float>(pixels), std::vector<float>(pixels), std::vector<float>(pixels),
                    std::vector<float>(pixels)};
  std::vector<float> own_square(pixels), reference_square(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    if (here.seen[i] == 0) continue;
    const float normal = (here.grey[i] - moments.mean[i]) / moments.deviation[i];
    const Slope slope = slope_at(source, here, deeper, i, probe_m(depth_m[i]));
    const float jacobian = slope.along * slope.rate_px_per_m / moments.deviation[i];
    terms.step[i] = jacobian * (reference_normal[i] - normal);
    terms.curvature[i] = jacobian * jacobian;
    terms.correlation[i] = reference_normal[i] * normal;
    terms.rate[i] = slope.rate_px_per_m;
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

void refine_depths(const DatasetView& reference, std::span<const DatasetView* const> sources,
                   std::span<const float> fallback_m, const RefinementOptions& options,
                   DepthEstimate& estimate) {
  const int width = reference.camera.width_px, height = reference.camera.height_px;
  const std::vector<float> reference_normal =
      normalise_locally({width, height, reference.grey.data(), nullptr}, options.window_px);
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
