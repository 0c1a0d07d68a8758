#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/plane_sweep/kernels/synthetic_scene.h"
#include "pipeline/plane_sweep/kernels/winner.h"
#include "tests/core/error_matcher.h"
#include "tests/pipeline/plane_sweep/kernels/vectors.h"

namespace aqbench::plane_sweep {
namespace {

TEST(OptionsTest, WindowsAreOddAndNeitherTooSmallNorTooLarge) {
  const auto refused = [](int window_px) {
    const Options options{.window_px = window_px};
    return error_of(ErrorKind::usage, [&] { check(options); });
  };
  EXPECT_EQ(refused(8), "window: must be odd, got 8");
  EXPECT_EQ(refused(1), "window: must be 3 to 31, got 1");
  EXPECT_EQ(refused(33), "window: must be 3 to 31, got 33");
}

TEST(OptionsTest, NamesGoBothWays) {
  for (const std::string& name : cost_function_names())
    EXPECT_EQ(to_string(cost_function_from_name(name)), name);
  for (const std::string& name : kernel_names()) EXPECT_EQ(to_string(kernel_from_name(name)), name);
  EXPECT_EQ(error_of(ErrorKind::usage, [] { cost_function_from_name("sad"); }),
            "cost: unknown 'sad'; choose from zncc, ncc_reference, ssim");
  EXPECT_EQ(error_of(ErrorKind::usage, [] { kernel_from_name("gpu"); }),
            "kernel: unknown 'gpu'; choose from reference, torch, fused");
}

TEST(OptionsTest, OnlyLibTorchRunsOnAnotherDevice) {
  const Options options{.device = "opencl"};
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { run({}, options); }),
            "device: kernel fused runs on cpu only, got 'opencl'");
}

TEST(InputTest, RefusalsNameTheView) {
  const SyntheticScene scene{.width_px = 12, .height_px = 10, .sources = 2};
  const SyntheticViews views = render_synthetic(scene, 0.1, 0.2);
  const auto refused_input = [&](auto&& change) {
    Input input = views.input;
    change(input);
    return error_of(ErrorKind::input, [&] { check(input); });
  };
  EXPECT_EQ(refused_input([](Input& i) { i.sources.clear(); }), "sources: at least one is needed");
  EXPECT_EQ(refused_input([](Input& i) { i.depth_max_m = 0.1; }),
            "depth range: must be 0 <= min < max, got 0.100000 to 0.100000 m");
  EXPECT_THAT(refused_input([](Input& i) { i.depth_min_m = -0.1; }), testing::StartsWith("depth range: "));
  EXPECT_EQ(refused_input([](Input& i) { i.sources[1].image.width_px = 11; }),
            "sources[1].image: 11 x 10 px, but its camera has 12 x 10");
  EXPECT_EQ(refused_input([](Input& i) { i.sources[0].camera.fx_px = 0; }),
            "sources[0].camera.fx_px, fy_px: must be positive and finite");
  EXPECT_EQ(refused_input([](Input& i) { i.reference.camera.rotation[0] = 2; }),
            "reference.camera.rotation: is not a rotation");
  EXPECT_EQ(refused_input([](Input& i) { i.reference.camera.water_z_m = -1; }),
            "reference.camera.centre_m: must be above the water");
  std::vector<float> bad(120, 0.5F);
  bad[77] = std::nanf("");
  EXPECT_EQ(refused_input([&](Input& i) { i.sources[0].image.grey = bad.data(); }),
            "sources[0].image: grey values must be finite");
}

TEST(CostMapTest, ReproducesAquaMvs) {
  const nlohmann::json vectors = read_vectors("cost");
  ASSERT_FALSE(vectors.at("cases").empty());
  for (const auto& node : vectors.at("cases")) {
    const Options options{
        .window_px = node.at("window_size").get<int>(),
        .cost = node.at("function") == "ssim" ? CostFunction::ssim : CostFunction::ncc_reference};
    const int width = static_cast<int>(node.at("reference")[0].size());
    const std::vector<float> expected = flat_numbers(node.at("cost"));
    std::vector<float> cost(expected.size());
    cost_map(options, width, flat_numbers(node.at("reference")), flat_numbers(node.at("warped")), cost);
    for (std::size_t i = 0; i < cost.size(); ++i)
      EXPECT_NEAR(cost[i], expected[i], 2e-5)
          << node.at("function") << " window " << options.window_px << " pixel " << i;
  }
}

// The textbook formula over the valid samples of one window, written out.
double zncc_cost_at(const std::vector<float>& r, const std::vector<float>& s, int width, int height,
                    int window, int x, int y, double noise) {
  double n = 0, sum_r = 0, sum_s = 0;
  const int half = window / 2;
  const auto for_window = [&](auto&& body) {
    for (int j = std::max(0, y - half); j <= std::min(height - 1, y + half); ++j)
      for (int i = std::max(0, x - half); i <= std::min(width - 1, x + half); ++i)
        if (!std::isnan(s[j * width + i])) body(r[j * width + i], s[j * width + i]);
  };
  for_window([&](double a, double b) { n += 1, sum_r += a, sum_s += b; });
  const int needed = window * window / 2;
  if (n < needed) return 1;
  double rr = 0, ss = 0, rs = 0;
  for_window([&](double a, double b) {
    rr += (a - sum_r / n) * (a - sum_r / n);
    ss += (b - sum_s / n) * (b - sum_s / n);
    rs += (a - sum_r / n) * (b - sum_s / n);
  });
  return 1 - rs / n / std::sqrt((rr / n + noise) * (ss / n + noise));
}

TEST(CostMapTest, ZnccIsTheTextbookFormulaOverValidSamples) {
  const int width = 23, height = 17;
  std::vector<float> r(std::size_t{width} * height), s(r.size()), cost(r.size());
  for (int i = 0; i < width * height; ++i) {
    r[i] = static_cast<float>(0.5 + 0.3 * std::sin(0.7 * i) * std::cos(0.13 * i));
    s[i] = static_cast<float>(0.4 + 0.2 * std::sin(0.7 * i + 0.4));
    if (i % 11 == 3 || i % width < 4) s[i] = std::numeric_limits<float>::quiet_NaN();
  }
  for (const int window : {3, 5, 7, 11, 15}) {
    const Options options{.window_px = window};
    cost_map(options, width, r, s, cost);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        EXPECT_NEAR(cost[y * width + x],
                    zncc_cost_at(r, s, width, height, window, x, y, options.noise_variance), 1e-6)
            << "window " << window << " at " << x << ", " << y;
  }
}

TEST(CostMapTest, ImageAgainstItselfCostsNothingAndGainAndOffsetDoNotMatterToZncc) {
  const int side = 20;
  std::vector<float> r(std::size_t{side} * side), s(r.size()), cost(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    r[i] = static_cast<float>(0.5 + 0.4 * std::sin(1.3 * i));
    s[i] = 0.5F * r[i] + 0.1F;
  }
  Options options{.window_px = 5};
  for (const CostFunction function : {CostFunction::zncc, CostFunction::ncc_reference, CostFunction::ssim}) {
    options.cost = function;
    cost_map(options, side, r, r, cost);
    for (int y = 2; y < side - 2; ++y)
      for (int x = 2; x < side - 2; ++x) EXPECT_NEAR(cost[y * side + x], 0, 1e-4) << to_string(function);
  }
  options.cost = CostFunction::zncc;
  cost_map(options, side, r, s, cost);
  for (int y = 2; y < side - 2; ++y)
    for (int x = 2; x < side - 2; ++x) EXPECT_NEAR(cost[y * side + x], 0, 1e-4);
}

TEST(CostMapTest, NoTextureMeansUncorrelated) {
  const std::vector<float> flat(100, 0.5F);
  std::vector<float> cost(100);
  Options options{.window_px = 3};
  for (const CostFunction function : {CostFunction::zncc, CostFunction::ncc_reference}) {
    options.cost = function;
    cost_map(options, 10, flat, flat, cost);
    for (const float value : cost) EXPECT_NEAR(value, 1, 1e-6) << to_string(function);
  }
}

TEST(DepthExtractionTest, ReproducesAquaMvs) {
  const nlohmann::json vectors = read_vectors("extract_depth");
  ASSERT_FALSE(vectors.at("cases").empty());
  for (const auto& node : vectors.at("cases")) {
    const std::vector<float> expected_depth = flat_numbers(node.at("depth"));
    const std::vector<float> expected_confidence = flat_numbers(node.at("confidence"));
    std::vector<float> depth(expected_depth.size()), confidence(depth.size());
    extract_depth(flat_numbers(node.at("cost_volume")), flat_numbers(node.at("depths")), depth, confidence);
    for (std::size_t i = 0; i < depth.size(); ++i) {
      EXPECT_EQ(std::isnan(depth[i]), std::isnan(expected_depth[i])) << i;
      if (!std::isnan(expected_depth[i])) {
        EXPECT_NEAR(depth[i], expected_depth[i], 1e-6) << i;
      }
      EXPECT_NEAR(confidence[i], expected_confidence[i], 1e-6) << i;
    }
  }
}

TEST(DepthExtractionTest, FindsTheVertexOfAParabola) {
  const std::vector<float> depths{0.1F, 0.2F, 0.3F, 0.4F, 0.5F};
  std::vector<float> volume;
  volume.reserve(depths.size());
  for (const float d : depths) volume.push_back(10 * (d - 0.23F) * (d - 0.23F) + 0.1F);
  std::vector<float> depth(1), confidence(1);
  extract_depth(volume, depths, depth, confidence);
  EXPECT_NEAR(depth[0], 0.23, 1e-5);
  EXPECT_GT(confidence[0], 0.0F);
}

TEST(DepthExtractionTest, NoDepthWhereTheWinnerIsAtAnEndOrAllCostTheSame) {
  const std::vector<float> depths{0.1F, 0.2F, 0.3F};
  const std::vector<float> volume{0.1F, 0.5F, 0.9F, 0.9F, 0.5F, 0.1F, 1.0F, 1.0F, 1.0F};
  std::vector<float> depth(3), confidence(3, 9.0F);
  extract_depth(volume, depths, depth, confidence);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isnan(depth[i])) << i;
    EXPECT_EQ(confidence[i], 0.0F) << i;
  }
}

TEST(DepthExtractionTest, FindsTheVertexOfAParabolaInInverseDepth) {
  const std::vector<float> depths = depth_hypotheses(0.5, 4, 9, true);
  EXPECT_EQ(depths.front(), 0.5F);
  EXPECT_EQ(depths.back(), 4.0F);
  for (std::size_t i = 2; i < depths.size(); ++i)
    EXPECT_NEAR(1 / depths[i] - 1 / depths[i - 1], 1 / depths[1] - 1 / depths[0], 1e-6);
  std::vector<float> volume;
  for (const float d : depths) volume.push_back(0.2F * (1 / d - 1 / 1.1F) * (1 / d - 1 / 1.1F) + 0.1F);
  std::vector<float> depth(1), confidence(1);
  extract_depth(volume, depths, depth, confidence, true);
  EXPECT_NEAR(depth[0], 1.1, 1e-4);
}

}  // namespace

}  // namespace aqbench::plane_sweep
