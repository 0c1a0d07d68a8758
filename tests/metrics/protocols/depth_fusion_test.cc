// Fused depths: numpy's draws, the fit of centres, Open3D's fusion.

#include "metrics/protocols/depth_fusion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/error.h"
#include "metrics/protocols/numpy_draws.h"

namespace aqbench {
namespace {

// Values of numpy 1.24: default_rng(42).choice(n, k, replace=False).
TEST(NumpyDraws, AreThoseOfNumpy) {
  NumpyDraws draws(42);
  using DrawnNumbers = std::vector<std::uint64_t>;
  EXPECT_EQ(draws.choice(8, 4), (DrawnNumbers{3, 0, 6, 4}));
  EXPECT_EQ(draws.choice(8, 4), (DrawnNumbers{3, 1, 0, 4}));
  EXPECT_EQ(draws.choice(8, 4), (DrawnNumbers{3, 6, 4, 1}));
  EXPECT_EQ(draws.choice(15, 8), (DrawnNumbers{5, 7, 11, 9, 2, 1, 14, 8}));
}

// Nine centres with noise, one of them wrong; the scale is that of a numpy program.
TEST(DepthFusion, CentresAreFittedAsPublished) {
  std::vector<Vec3> centres, truth_m;
  for (int i = 0; i < 9; ++i) {
    const Vec3 centre(std::cos(i), std::sin(2 * i), 0.3 * i);
    centres.push_back(centre);
    truth_m.push_back(2 * Vec3(-centre.y(), centre.x(), centre.z()) + Vec3(1 + 0.01 * std::sin(5 * i),
                                                                           2 + 0.02 * std::cos(3 * i),
                                                                           3 + 0.01 * std::sin(7 * i)));
  }
  truth_m[3].x() += 0.5;
  const Similarity fit = fit_centres(centres, truth_m);
  EXPECT_NEAR(fit.scale, 1.9951478329731007, 1e-12);
  EXPECT_NEAR(fit.translation_m.x(), 0.99861521, 1e-7);
  EXPECT_THROW(fit_centres({centres.data(), 2}, {truth_m.data(), 2}), Error);
}

// Views of the plane z = 2 from cameras that look along z, in a frame of half the size.
class PlaneViews : public ::testing::Test {
 protected:
  static constexpr std::size_t kSide = 64;
  PlaneViews() {
    for (int i = 0; i < 4; ++i) {
      FusionView view{kSide, kSide, depths_, {}, {}};
      view.truth.K << 60, 0, 31.5, 0, 60, 31.5, 0, 0, 1;
      view.truth.pose.position_m = Vec3(0.05 * i, 0.04 * (i % 2), 0.01 * (i % 3));
      view.estimate = view.truth;
      view.estimate.pose.position_m *= 0.5;
      views_.push_back(view);
    }
    for (std::size_t i = 0; i < views_.size(); ++i) {
      own_.emplace_back(kSide * kSide, static_cast<float>(0.5 * (2 - views_[i].truth.pose.position_m.z())));
      views_[i].depth_m = own_.back();
    }
    for (int x = -300; x <= 320; ++x)
      for (int y = -300; y <= 320; ++y) truth_m_.emplace_back(0.004 * x, 0.004 * y, 2);
  }

  std::vector<float> depths_ = std::vector<float>(kSide * kSide, 1.0F);
  std::vector<std::vector<float>> own_;
  std::vector<FusionView> views_;
  std::vector<Vec3> truth_m_;
};

double value_of(const ProtocolResult& result, std::string_view name, std::optional<double> threshold = {}) {
  const ProtocolValue* const value = find_value(result, name, threshold);
  return value != nullptr && value->value ? *value->value : NAN;
}

TEST_F(PlaneViews, AreFusedInTheirScale) {
  FusionKnobs knobs = fusion_protocols()[0].knobs;
  knobs.samples = 20000;
  for (const bool posed : {false, true}) {
    knobs.posed = posed;
    const ProtocolResult result = fused_depth_errors(views_, truth_m_, knobs);
    EXPECT_NEAR(value_of(result, "scale"), 2, 1e-9);
    EXPECT_LT(value_of(result, "accuracy_mean"), 0.003);  // of a grid of 4 mm
    EXPECT_NEAR(value_of(result, "precision", 0.05), 1, 1e-12);
    EXPECT_GT(value_of(result, "vertices"), 1000);
  }
  // Without the scale the plane is fused at half of its distance.
  for (FusionView& view : views_) view.estimate.pose = view.truth.pose;
  EXPECT_NEAR(value_of(fused_depth_errors(views_, truth_m_, knobs), "accuracy_mean"), 1, 0.1);
}

TEST_F(PlaneViews, WithoutADepthAreUndefined) {
  FusionKnobs knobs;
  knobs.samples = 100;
  for (FusionView& view : views_) view.depth_m = std::vector<float>();
  EXPECT_THROW(fused_depth_errors(views_, truth_m_, knobs), Error);
  const std::vector<float> none(kSide * kSide, std::numeric_limits<float>::quiet_NaN());
  for (FusionView& view : views_) view.depth_m = none;
  EXPECT_TRUE(std::isnan(value_of(fused_depth_errors(views_, truth_m_, knobs), "f_score", 0.05)));
  knobs.nothing_is_zero = true;
  EXPECT_EQ(value_of(fused_depth_errors(views_, truth_m_, knobs), "f_score", 0.05), 0);
}

}  // namespace
}  // namespace aqbench
