#include "pipeline/plane_sweep/kernels/cost_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/pipeline/plane_sweep/kernels/vectors.h"

namespace aqbench::plane_sweep {
namespace {

TEST(CostMapTest, ReproducesAquaMvs) {
  const nlohmann::json vectors = read_vectors("cost");
  ASSERT_FALSE(vectors.at("cases").empty());
  for (const auto& node : vectors.at("cases")) {
    Options options;
    options.cost = node.at("function") == "ssim" ? CostFunction::ssim : CostFunction::ncc_reference;
    options.window_px = node.at("window_size").get<int>();
    const int height = static_cast<int>(node.at("reference").size());
    const int width = static_cast<int>(node.at("reference")[0].size());
    const std::vector<float> expected = flat_numbers(node.at("cost"));
    std::vector<float> cost(expected.size());
    cost_map(options, width, height, flat_numbers(node.at("reference")), flat_numbers(node.at("warped")),
             cost);
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
    Options options;
    options.window_px = window;
    cost_map(options, width, height, r, s, cost);
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
  Options options;
  options.window_px = 5;
  for (const CostFunction function : {CostFunction::zncc, CostFunction::ncc_reference, CostFunction::ssim}) {
    options.cost = function;
    cost_map(options, side, side, r, r, cost);
    for (int y = 2; y < side - 2; ++y)
      for (int x = 2; x < side - 2; ++x) EXPECT_NEAR(cost[y * side + x], 0, 1e-4) << to_string(function);
  }
  options.cost = CostFunction::zncc;
  cost_map(options, side, side, r, s, cost);
  for (int y = 2; y < side - 2; ++y)
    for (int x = 2; x < side - 2; ++x) EXPECT_NEAR(cost[y * side + x], 0, 1e-4);
}

TEST(CostMapTest, NoTextureMeansUncorrelated) {
  const std::vector<float> flat(100, 0.5F);
  std::vector<float> cost(100);
  Options options;
  options.window_px = 3;
  for (const CostFunction function : {CostFunction::zncc, CostFunction::ncc_reference}) {
    options.cost = function;
    cost_map(options, 10, 10, flat, flat, cost);
    for (const float value : cost) EXPECT_NEAR(value, 1, 1e-6) << to_string(function);
  }
}

TEST(CostMapTest, RefusesImagesOfDifferentSizes) {
  const std::vector<float> image(12);
  std::vector<float> cost(11);
  Options options;
  EXPECT_ANY_THROW(cost_map(options, 4, 3, image, image, cost));
}

}  // namespace
}  // namespace aqbench::plane_sweep
