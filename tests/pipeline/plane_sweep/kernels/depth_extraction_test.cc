#include "pipeline/plane_sweep/kernels/depth_extraction.h"

#include <gtest/gtest.h>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "tests/pipeline/plane_sweep/kernels/vectors.h"

namespace aqbench::plane_sweep {
namespace {

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

TEST(DepthExtractionTest, RefusesSizesThatDoNotFit) {
  const std::vector<float> depths{0.1F, 0.2F, 0.3F}, volume(8);
  std::vector<float> depth(3), confidence(3);
  EXPECT_ANY_THROW(extract_depth(volume, depths, depth, confidence));
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
