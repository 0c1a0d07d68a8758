#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

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

// Absolute differences pixel by pixel; no depth counts as infinitely wrong, no truth is NaN.
std::vector<double> depth_errors(const std::vector<float>& depth_m, const std::vector<float>& truth_m) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < truth_m.size(); ++i)
    errors.push_back(std::isnan(truth_m[i])   ? NAN
                     : std::isnan(depth_m[i]) ? INFINITY
                                              : std::abs(double{depth_m[i]} - double{truth_m[i]}));
  return errors;
}

// The pixels with a truth, by square blocks of the image: neighbours share most of their windows, so that
// blocks are what is independent.
std::vector<std::vector<std::size_t>> blocks_of(const std::vector<double>& errors, int width, int block_px) {
  const int blocks_x = (width + block_px - 1) / block_px;
  std::map<int, std::vector<std::size_t>> by_block;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
    if (!std::isnan(errors[i])) by_block[y / block_px * blocks_x + x / block_px].push_back(i);
  }
  std::vector<std::vector<std::size_t>> blocks;
  for (auto& [number, pixels] : by_block) blocks.push_back(std::move(pixels));
  return blocks;
}

double median_at(const std::vector<double>& errors, const std::vector<std::size_t>& pixels) {
  std::vector<double> chosen;
  for (const std::size_t pixel : pixels) chosen.push_back(errors[pixel]);
  std::nth_element(chosen.begin(), chosen.begin() + chosen.size() / 2, chosen.end());
  return chosen[chosen.size() / 2];
}

// Ratio of the median errors, ours to theirs, and the bounds between which 99.8 % of its values lie when
// whole blocks are drawn again with replacement (block bootstrap; Kuensch, Annals of Statistics 17, 1989).
struct MedianRatio {
  double ratio, low, high;
};

MedianRatio median_ratio(const std::vector<double>& ours, const std::vector<double>& theirs, int width,
                         int block_px) {
  constexpr int kDraws = 1000;
  const auto blocks = blocks_of(ours, width, block_px);
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::size_t> any(0, blocks.size() - 1);
  const auto ratio_of = [&](const auto& choose) {
    std::vector<std::size_t> pixels;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto& block = blocks[choose(i)];
      pixels.insert(pixels.end(), block.begin(), block.end());
    }
    return median_at(ours, pixels) / median_at(theirs, pixels);
  };
  std::vector<double> drawn;
  for (int i = 0; i < kDraws; ++i) drawn.push_back(ratio_of([&](std::size_t) { return any(random); }));
  std::ranges::sort(drawn);
  return {ratio_of([](std::size_t i) { return i; }), drawn[kDraws / 1000], drawn[kDraws - 1 - kDraws / 1000]};
}

// The vectors' four cameras and images, each of which can be the reference.
struct VectorViews {
  nlohmann::json vectors = read_vectors("plane_sweep");
  std::vector<std::vector<float>> images = {};
  std::vector<View> views = {};
  std::vector<float> depths = {};
  Options options = {};

  VectorViews() {
    for (const auto& node : vectors.at("images")) images.push_back(flat_numbers(node));
    for (std::size_t i = 0; i < images.size(); ++i) {
      View view;
      view.camera = camera_from_vector(vectors.at("cameras")[i]);
      view.image = {view.camera.width_px, view.camera.height_px, images[i].data()};
      views.push_back(view);
    }
    depths = flat_numbers(vectors.at("depths"));
    options.kernel = Kernel::reference;
    options.cost = vectors.at("cost_function") == "ssim" ? CostFunction::ssim : CostFunction::ncc_reference;
    options.window_px = vectors.at("window_size").get<int>();
    options.depths = static_cast<int>(depths.size());
    options.keep_volume = true;
  }

  Input input(std::size_t reference) const {
    Input input{views[reference], {}, depths.front(), depths.back()};
    for (std::size_t i = 0; i < views.size(); ++i)
      if (i != reference) input.sources.push_back(views[i]);
    return input;
  }
};

TEST(ReferenceKernelTest, ReproducesTheCostVolumeOfAquaMvs) {
  const VectorViews given;
  const Input input = given.input(0);
  const Options& options = given.options;
  const Result result = run(input, options);

  const std::vector<float> expected = flat_numbers(given.vectors.at("cost_volume_camera0"));
  ASSERT_EQ(result.volume.size(), expected.size());
  const std::vector<char> compared =
      windows_inside(samples_inside(input, given.depths), result.width_px, result.height_px, options.depths,
                     2 * (options.window_px / 2));
  std::size_t entries = 0, close = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (compared[i] == 0) continue;
    ++entries;
    if (std::abs(result.volume[i] - expected[i]) <= 1e-3) ++close;
  }
  EXPECT_GT(entries, expected.size() / 20);
  EXPECT_GE(static_cast<double>(close), 0.99 * static_cast<double>(entries)) << entries << " entries";
}

// Samples that left the images were black there and are missing here: the depths of the four cameras are no
// worse, as far as the noise of their pixels tells. Errors that are 15 % larger would be.
TEST(ReferenceKernelTest, DepthsAreNoWorseThanThoseOfAquaMvs) {
  const VectorViews given;
  std::vector<double> ours, theirs;
  int width_px = 0;
  for (std::size_t camera = 0; camera < given.views.size(); ++camera) {
    const Result result = run(given.input(camera), given.options);
    const std::vector<float> truth = flat_numbers(given.vectors.at("true_depth")[camera]);
    std::ranges::copy(depth_errors(result.depth_m, truth), std::back_inserter(ours));
    std::ranges::copy(depth_errors(flat_numbers(given.vectors.at("depth")[camera]), truth),
                      std::back_inserter(theirs));
    width_px = result.width_px;
  }
  const MedianRatio measured = median_ratio(ours, theirs, width_px, given.options.window_px);
  const std::string said = fmt::format("ratio of the median errors {:.3f}, between {:.3f} and {:.3f}",
                                       measured.ratio, measured.low, measured.high);
  EXPECT_LE(measured.low, 1) << said;
  EXPECT_GT(1.15 * measured.low, 1) << "too noisy to decide: " << said;
}

}  // namespace
}  // namespace aqbench::plane_sweep
