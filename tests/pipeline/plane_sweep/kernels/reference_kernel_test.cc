#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "tests/pipeline/plane_sweep/kernels/vectors.h"

namespace aqbench::plane_sweep {
namespace {

// 1 where the sample of (pixel, depth) lies inside every source image.
std::vector<char> samples_inside(const Input& input, const std::vector<float>& depths_m) {
  const RefractiveCamera& camera = input.reference.camera;
  std::vector<char> inside;
  for (int y = 0; y < camera.height_px; ++y)
    for (int x = 0; x < camera.width_px; ++x)
      for (const float depth_m : depths_m) {
        WaterRay ray;
        bool all = cast_ray_fast(camera, x, y, ray);
        for (const View& source : input.sources) {
          std::array<double, 3> point_m;
          for (int k = 0; k < 3; ++k) point_m[k] = ray.origin_m[k] + depth_m * ray.direction[k];
          double u = -1, v = -1;
          all = all && project_fast(source.camera, point_m, u, v) && u >= 0 && v >= 0 &&
                u <= source.camera.width_px - 1 && v <= source.camera.height_px - 1;
        }
        inside.push_back(all ? 1 : 0);
      }
  return inside;
}

// 1 where a whole window of samples lies inside; ncc_reference looks two half windows far.
std::vector<char> windows_inside(const std::vector<char>& inside, int width, int height, int depths,
                                 int reach) {
  std::vector<char> all(inside.size(), 1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int d = 0; d < depths; ++d)
        for (int j = std::max(0, y - reach); j <= std::min(height - 1, y + reach); ++j)
          for (int i = std::max(0, x - reach); i <= std::min(width - 1, x + reach); ++i)
            if (inside[(j * width + i) * depths + d] == 0) all[(y * width + x) * depths + d] = 0;
  return all;
}

// Median of the absolute differences, no depth counting as infinitely wrong.
double median_error(const std::vector<float>& depth_m, const std::vector<float>& truth_m) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < truth_m.size(); ++i)
    if (!std::isnan(truth_m[i]))
      errors.push_back(std::isnan(depth_m[i]) ? INFINITY : std::abs(depth_m[i] - truth_m[i]));
  std::nth_element(errors.begin(), errors.begin() + errors.size() / 2, errors.end());
  return errors[errors.size() / 2];
}

TEST(ReferenceKernelTest, ReproducesTheCostVolumeOfAquaMvs) {
  const nlohmann::json vectors = read_vectors("plane_sweep");
  std::vector<std::vector<float>> images;
  for (const auto& node : vectors.at("images")) images.push_back(flat_numbers(node));
  std::vector<View> views;
  for (std::size_t i = 0; i < images.size(); ++i) {
    View view;
    view.camera = camera_from_vector(vectors.at("cameras")[i]);
    view.image = {view.camera.width_px, view.camera.height_px, images[i].data(), nullptr};
    views.push_back(view);
  }
  const std::vector<float> depths = flat_numbers(vectors.at("depths"));
  const Input input{views[0], {views.begin() + 1, views.end()}, depths.front(), depths.back()};
  Options options;
  options.kernel = Kernel::reference;
  options.cost = vectors.at("cost_function") == "ssim" ? CostFunction::ssim : CostFunction::ncc_reference;
  options.window_px = vectors.at("window_size");
  options.depths = static_cast<int>(depths.size());
  options.keep_volume = true;
  const Result result = run(input, options);

  const std::vector<float> expected = flat_numbers(vectors.at("cost_volume_camera0"));
  ASSERT_EQ(result.volume.size(), expected.size());
  const std::vector<char> compared =
      windows_inside(samples_inside(input, depths), result.width_px, result.height_px, options.depths,
                     2 * (options.window_px / 2));
  std::size_t entries = 0, close = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (compared[i] == 0) continue;
    ++entries;
    if (std::abs(result.volume[i] - expected[i]) <= 1e-3) ++close;
  }
  EXPECT_GT(entries, expected.size() / 20);
  EXPECT_GE(static_cast<double>(close), 0.99 * static_cast<double>(entries)) << entries << " entries";

  // Samples that left the images were black there and are missing here: the depths are no worse.
  const std::vector<float> truth = flat_numbers(vectors.at("true_depth")[0]);
  EXPECT_LE(median_error(result.depth_m, truth),
            1.02 * median_error(flat_numbers(vectors.at("depth")[0]), truth));
}

}  // namespace
}  // namespace aqbench::plane_sweep
