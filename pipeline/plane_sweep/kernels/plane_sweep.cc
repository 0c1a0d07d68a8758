#include "pipeline/plane_sweep/kernels/plane_sweep.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/module.h"
#include "core/parallel.h"
#include "core/stage_scope.h"
#include "pipeline/plane_sweep/kernels/winner.h"

AQBENCH_MODULE_TABLE aqbench::plane_sweep::TorchKernelTable aqbench_torch_kernel_table;

namespace aqbench::plane_sweep {
namespace {

void check_view(const View& view, const std::string& where) {
  check(view.camera, where + ".camera");
  const GreyImage& image = view.image;
  if (image.width_px != view.camera.width_px || image.height_px != view.camera.height_px)
    throw input_error("{}.image: {} x {} px, but its camera has {} x {}", where, image.width_px,
                      image.height_px, view.camera.width_px, view.camera.height_px);
  float zero = 0;  // x - x is 0 or NaN
  for (std::size_t i = 0; i < image.pixel_count(); ++i) zero += image.grey[i] - image.grey[i];
  if (!(zero == 0)) throw input_error("{}.image: grey values must be finite", where);
}

constexpr double kSsimSigma_px = 1.5;  // of its Gaussian window

using Plane = std::vector<double>;
using WindowSums = std::function<Plane(const Plane&)>;

// Second moments of the window around each pixel. `centre` is subtracted first: the mean of the pixel's own
// window in AquaMVS's formula, 0 for the textbook's.
struct WindowMoments {
  Plane mean_r, mean_s, var_r, var_s, covariance, weight;
};

// sum(a * b * mask) / weight over each window.
Plane product_mean(const WindowSums& sums, const Plane& a, const Plane& b, const Plane& mask,
                   const Plane& weight) {
  Plane product(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) product[i] = a[i] * b[i] * mask[i];
  Plane mean = sums(product);
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] /= weight[i];
  return mean;
}

void subtract(Plane& from, const Plane& what) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= what[i];
}

WindowMoments window_moments(const Options& options, const WindowSums& sums, Plane r, Plane s,
                             const Plane& mask) {
  WindowMoments m;
  m.weight = sums(mask);
  Plane safe_weight = m.weight;  // where raised, the window is refused anyway
  const double floor = options.cost == CostFunction::ssim ? 1e-8 : 1.0;
  for (double& weight : safe_weight) weight = std::max(weight, floor);
  const Plane ones(r.size(), 1.0);
  m.mean_r = product_mean(sums, r, ones, mask, safe_weight);
  m.mean_s = product_mean(sums, s, ones, mask, safe_weight);
  const bool centre_each_pixel = options.cost != CostFunction::zncc;
  if (centre_each_pixel) {
    subtract(r, m.mean_r);
    subtract(s, m.mean_s);
  }
  m.var_r = product_mean(sums, r, r, mask, safe_weight);
  m.var_s = product_mean(sums, s, s, mask, safe_weight);
  m.covariance = product_mean(sums, r, s, mask, safe_weight);
  if (!centre_each_pixel)
    for (std::size_t i = 0; i < r.size(); ++i) {
      m.var_r[i] = std::max(0.0, m.var_r[i] - m.mean_r[i] * m.mean_r[i]);
      m.var_s[i] = std::max(0.0, m.var_s[i] - m.mean_s[i] * m.mean_s[i]);
      m.covariance[i] -= m.mean_r[i] * m.mean_s[i];
    }
  return m;
}

double window_cost(const Options& options, const WindowMoments& m, std::size_t i) {
  switch (options.cost) {
    case CostFunction::zncc:
      return 1 - m.covariance[i] /
                     std::sqrt((m.var_r[i] + options.noise_variance) * (m.var_s[i] + options.noise_variance));
    case CostFunction::ncc_reference:
      return 1 - m.covariance[i] / (std::sqrt(m.var_r[i] * m.var_s[i]) + 1e-8);
    case CostFunction::ssim:
      return 1 - (2 * m.mean_r[i] * m.mean_s[i] + kSsimC1) * (2 * m.covariance[i] + kSsimC2) /
                     ((m.mean_r[i] * m.mean_r[i] + m.mean_s[i] * m.mean_s[i] + kSsimC1) *
                      (m.var_r[i] + m.var_s[i] + kSsimC2));
  }
  return 1;
}

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Bilinear; NaN outside the image, whose border is the outermost pixel centres.
double sample_bilinear(const GreyImage& image, double u, double v) {
  const int width = image.width_px, height = image.height_px;
  if (!(u >= 0 && u <= width - 1 && v >= 0 && v <= height - 1)) return kMissing;
  const int x0 = static_cast<int>(u), y0 = static_cast<int>(v);
  const int x1 = std::min(x0 + 1, width - 1), y1 = std::min(y0 + 1, height - 1);
  const double fx = u - x0, fy = v - y0;
  const auto at = [&](int x, int y) -> double { return image.grey[static_cast<std::size_t>(y) * width + x]; };
  return (1 - fy) * ((1 - fx) * at(x0, y0) + fx * at(x1, y0)) +
         fy * ((1 - fx) * at(x0, y1) + fx * at(x1, y1));
}

// Rays of all pixels; a direction of NaN where there is none.
std::vector<WaterRay> cast_rays(const RefractiveCamera& camera) {
  std::vector<WaterRay> rays;
  rays.reserve(static_cast<std::size_t>(camera.width_px) * camera.height_px);
  for (int y = 0; y < camera.height_px; ++y)
    for (int x = 0; x < camera.width_px; ++x) {
      WaterRay ray;
      if (!cast_ray_fast(camera, x, y, ray)) ray = {{0, 0, 0}, {kMissing, kMissing, kMissing}};
      rays.push_back(ray);
    }
  return rays;
}

std::vector<float> warp_source(const std::vector<WaterRay>& rays, double depth_m, const View& source) {
  std::vector<float> warped(rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const WaterRay& ray = rays[i];
    std::array<double, 3> point_m;
    for (int k = 0; k < 3; ++k) point_m[k] = ray.origin_m[k] + depth_m * ray.direction[k];
    double u = 0, v = 0;
    warped[i] = static_cast<float>(
        project_fast(source.camera, point_m, u, v) ? sample_bilinear(source.image, u, v) : kMissing);
  }
  return warped;
}

// Fills the result in plain loops and double precision from a whole cost volume; checks the other kernels.
void run_reference_kernel(const Input& input, const Options& options, Result& result) {
  const std::size_t pixels = result.depth_m.size(), depths = result.depths_m.size();
  std::vector<float> volume(pixels * depths);
  {
    const StageScope scope("build_cost_volume");
    const std::span<const float> reference(input.reference.image.grey, pixels);
    const std::vector<WaterRay> rays = cast_rays(input.reference.camera);
    parallel_for(depths, 1, [&](std::size_t begin, std::size_t end) {
      std::vector<float> cost(pixels);
      std::vector<double> sum(pixels);
      for (std::size_t d = begin; d < end; ++d) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (const View& source : input.sources) {
          const std::vector<float> warped = warp_source(rays, result.depths_m[d], source);
          cost_map(options, result.width_px, reference, warped, cost);
          for (std::size_t i = 0; i < pixels; ++i) sum[i] += cost[i];
        }
        for (std::size_t i = 0; i < pixels; ++i)
          volume[i * depths + d] = static_cast<float>(sum[i] / static_cast<double>(input.sources.size()));
      }
    });
  }
  const StageScope scope("extract_depth");
  extract_depth(volume, result.depths_m, result.depth_m, result.confidence, input.even_in_inverse);
  if (options.keep_volume) result.volume = std::move(volume);
}

}  // namespace

float mean_grey(const GreyImage& image) {
  return static_cast<float>(std::accumulate(image.grey, image.grey + image.pixel_count(), 0.0) /
                            static_cast<double>(image.pixel_count()));
}

std::vector<float> grey_minus(const GreyImage& image, float centre) {
  std::vector<float> values(image.pixel_count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = image.grey[i] - centre;
  return values;
}

std::vector<float> depth_hypotheses(double depth_min_m, double depth_max_m, int count, bool even_in_inverse) {
  std::vector<float> depths_m(static_cast<std::size_t>(count));
  const int steps = std::max(count - 1, 1);
  for (int i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / steps;
    depths_m[i] = static_cast<float>(even_in_inverse ? 1 / ((1 - share) / depth_min_m + share / depth_max_m)
                                                     : depth_min_m + (depth_max_m - depth_min_m) * i / steps);
  }
  return depths_m;
}

void check(const Input& input) {
  check_view(input.reference, "reference");
  if (input.sources.empty()) throw input_error("sources: at least one is needed");
  for (std::size_t i = 0; i < input.sources.size(); ++i)
    check_view(input.sources[i], fmt::format("sources[{}]", i));
  if (!(input.depth_min_m >= 0) || !(input.depth_max_m > input.depth_min_m) ||
      !std::isfinite(input.depth_max_m))
    throw input_error("depth range: must be 0 <= min < max, got {:f} to {:f} m", input.depth_min_m,
                      input.depth_max_m);
  if (input.even_in_inverse && !(input.depth_min_m > 0))
    throw input_error("depth range: must begin above 0 where rays start at the camera");
}

Result run(const Input& input, const Options& options) {
  check(options);
  if (options.kernel != Kernel::torch && options.device != "cpu")
    throw usage_error("device: kernel {} runs on cpu only, got '{}'", to_string(options.kernel),
                      options.device);
  check(input);
  const GreyImage& image = input.reference.image;
  Result result{image.width_px,
                image.height_px,
                depth_hypotheses(input.depth_min_m, input.depth_max_m, options.depths, input.even_in_inverse),
                std::vector<float>(image.pixel_count()),
                std::vector<float>(image.pixel_count()),
                {}};
  if (options.kernel == Kernel::reference)
    run_reference_kernel(input, options, result);
  else if (options.kernel == Kernel::torch)
    module_table<TorchKernelTable>(Module::torch, "aqbench_torch_kernel_table", &aqbench_torch_kernel_table)
        .run(input, options, result);
  else
    run_fused_kernel(input, options, result);
  return result;
}

std::vector<double> window_weights(CostFunction cost, int window_px) {
  std::vector<double> weights(static_cast<std::size_t>(window_px), 1.0);
  if (cost != CostFunction::ssim) return weights;
  double sum = 0;
  for (int i = 0; i < window_px; ++i) {
    const int offset = i - window_px / 2;
    weights[i] = std::exp(-(offset * offset) / (2 * kSsimSigma_px * kSsimSigma_px));
    sum += weights[i];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::vector<double> window_sums(const std::vector<double>& in, int columns,
                                const std::vector<double>& weights) {
  const int half = static_cast<int>(weights.size()) / 2, rows = static_cast<int>(in.size()) / columns;
  std::vector<double> along(in.size()), sums(in.size());
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      for (int k = std::max(-half, -x); k <= std::min(half, columns - 1 - x); ++k)
        along[y * columns + x] += weights[k + half] * in[y * columns + x + k];
  for (int y = 0; y < rows; ++y)
    for (int k = std::max(-half, -y); k <= std::min(half, rows - 1 - y); ++k)
      for (int x = 0; x < columns; ++x)
        sums[y * columns + x] += weights[k + half] * along[(y + k) * columns + x];
  return sums;
}

double min_window_weight(CostFunction cost, int window_px) {
  const int half_the_pixels = window_px * window_px / 2;  // rounded down, as in AquaMVS
  return cost == CostFunction::ssim ? 0.5 : half_the_pixels;
}

void cost_map(const Options& options, int width_px, std::span<const float> reference,
              std::span<const float> warped, std::span<float> cost) {
  const std::size_t pixels = cost.size();
  Plane r(reference.begin(), reference.end()), s(pixels), mask(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    const bool valid = !std::isnan(warped[i]);
    mask[i] = valid ? 1 : 0;
    s[i] = valid ? warped[i] : 0;
  }
  const Plane weights = window_weights(options.cost, options.window_px);
  const WindowSums sums = [&](const Plane& in) { return window_sums(in, width_px, weights); };
  const WindowMoments moments = window_moments(options, sums, std::move(r), std::move(s), mask);
  const double needed = min_window_weight(options.cost, options.window_px);
  const double highest = options.cost == CostFunction::ssim ? 1 : 2;
  for (std::size_t i = 0; i < pixels; ++i)
    cost[i] = moments.weight[i] < needed
                  ? 1.0F
                  : static_cast<float>(std::clamp(window_cost(options, moments, i), 0.0, highest));
}

}  // namespace aqbench::plane_sweep
