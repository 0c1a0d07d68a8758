#include "pipeline/plane_sweep/kernels/kernels.h"

#include <limits>

#include "core/parallel.h"
#include "core/stage_scope.h"
#include "pipeline/plane_sweep/kernels/cost_map.h"
#include "pipeline/plane_sweep/kernels/depth_extraction.h"

namespace aqbench::plane_sweep {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Bilinear; NaN outside the image, whose border is the outermost pixel centres.
double sample_bilinear(const std::vector<float>& image, int width, int height, double u, double v) {
  if (!(u >= 0 && u <= width - 1 && v >= 0 && v <= height - 1)) return kMissing;
  const int x0 = static_cast<int>(u), y0 = static_cast<int>(v);
  const int x1 = std::min(x0 + 1, width - 1), y1 = std::min(y0 + 1, height - 1);
  const double fx = u - x0, fy = v - y0;
  const auto at = [&](int x, int y) -> double { return image[static_cast<std::size_t>(y) * width + x]; };
  return (1 - fy) * ((1 - fx) * at(x0, y0) + fx * at(x1, y0)) +
         fy * ((1 - fx) * at(x0, y1) + fx * at(x1, y1));
}

std::vector<float> grey_values(const GreyImage& image) {
  std::vector<float> values(image.pixel_count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = image.grey(i);
  return values;
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

std::vector<float> warp_source(const std::vector<WaterRay>& rays, double depth_m,
                               const RefractiveCamera& source, const std::vector<float>& image) {
  std::vector<float> warped(rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const WaterRay& ray = rays[i];
    std::array<double, 3> point_m;
    for (int k = 0; k < 3; ++k) point_m[k] = ray.origin_m[k] + depth_m * ray.direction[k];
    double u = 0, v = 0;
    warped[i] = static_cast<float>(project_fast(source, point_m, u, v)
                                       ? sample_bilinear(image, source.width_px, source.height_px, u, v)
                                       : kMissing);
  }
  return warped;
}

}  // namespace

void run_reference_kernel(const Input& input, const Options& options, Result& result) {
  const std::size_t pixels = result.depth_m.size(), depths = result.depths_m.size();
  std::vector<float> volume(pixels * depths);
  {
    const StageScope scope("build_cost_volume");
    const std::vector<float> reference = grey_values(input.reference.image);
    std::vector<std::vector<float>> sources;
    for (const View& source : input.sources) sources.push_back(grey_values(source.image));
    const std::vector<WaterRay> rays = cast_rays(input.reference.camera);
    parallel_for(depths, 1, [&](std::size_t begin, std::size_t end) {
      std::vector<float> cost(pixels);
      std::vector<double> sum(pixels);
      for (std::size_t d = begin; d < end; ++d) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (std::size_t s = 0; s < sources.size(); ++s) {
          const std::vector<float> warped =
              warp_source(rays, result.depths_m[d], input.sources[s].camera, sources[s]);
          cost_map(options, result.width_px, result.height_px, reference, warped, cost);
          for (std::size_t i = 0; i < pixels; ++i) sum[i] += cost[i];
        }
        for (std::size_t i = 0; i < pixels; ++i)
          volume[i * depths + d] = static_cast<float>(sum[i] / static_cast<double>(sources.size()));
      }
    });
  }
  const StageScope scope("extract_depth");
  extract_depth(volume, result.depths_m, result.depth_m, result.confidence, input.even_in_inverse);
  if (options.keep_volume) result.volume = std::move(volume);
}

}  // namespace aqbench::plane_sweep
