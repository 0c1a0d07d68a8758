// Depth maps and sequences: closed forms, and fits held against plain searches.

#include "metrics/protocols/depth_protocols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/error.h"
#include "tests/metrics/protocols/values.h"

namespace aqbench::test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

DepthMapPair row(const std::vector<float>& predicted, const std::vector<float>& truth,
                 const std::vector<float>& confidence = {}) {
  return {1, truth.size(), predicted, truth, confidence};
}

ProtocolResult errors_of_row(const std::vector<float>& predicted, const std::vector<float>& truth,
                             const DepthKnobs& knobs = {}) {
  const DepthMapPair map = row(predicted, truth);
  return depth_errors({&map, 1}, knobs);
}

const DepthKnobs& knobs_of(const char* protocol) { return find_protocol(depth_protocols(), protocol)->knobs; }

TEST(DepthProtocol, TwoPixelsByHand) {
  const std::vector<float> truth = {2, 4, 4, kNaN}, predicted = {2.5F, 3, kNaN, 1};
  const ProtocolResult result = errors_of_row(predicted, truth);
  EXPECT_EQ(number(result, "abs_rel"), 0.25);
  EXPECT_EQ(number(result, "sq_rel"), 0.1875);
  EXPECT_EQ(number(result, "mae"), 0.75);
  EXPECT_EQ(number(result, "rmse"), std::sqrt(0.625));
  EXPECT_EQ(number(result, "delta_1.25"), 0.0);  // 1.25 itself is not below
  EXPECT_EQ(number(result, "delta_1.25^2"), 1.0);
  EXPECT_EQ(number(result, "coverage"), 2.0 / 3);
  EXPECT_EQ(number(errors_of_row(predicted, truth, {.min_m = 2.2, .max_m = 80}), "pixels"), 1.0);
  EXPECT_EQ(reason(errors_of_row({}, {}), "abs_rel"), "no pixel has both depths");
  EXPECT_THROW(depth_errors(std::vector{DepthMapPair{1, 3, predicted, truth}}), Error);
}

TEST(DepthProtocol, ConfidenceInTheOrderOfErrorsHasNoArea) {
  std::vector<float> truth, predicted, right, wrong;
  for (int i = 1; i <= 100; ++i) {
    truth.push_back(10);
    predicted.push_back(10 + 0.01F * static_cast<float>(i));
    right.push_back(-static_cast<float>(i));
    wrong.push_back(static_cast<float>(i));
  }
  const auto area = [&](const std::vector<float>& confidence) {
    return number(sparsification_errors(std::vector{row(predicted, truth, confidence)}), "ause_abs_rel");
  };
  EXPECT_NEAR(area(right), 0, 1e-12);
  EXPECT_GT(area(wrong), 0.003);
  EXPECT_THROW(area({}), Error);
}

TEST(DepthProtocol, ABadPredictionIsDroppedCountsOrCountsAsNoError) {
  const std::vector<float> truth = {2, 2, 2, 2}, predicted = {2, 3, kNaN, 0};
  const auto with = [&](BadDepths bad) {
    return errors_of_row(predicted, truth, {.clip_min_m = 0, .clip_max_m = kInfinity, .bad = bad});
  };
  EXPECT_EQ(number(with(BadDepths::drop), "abs_rel"), 0.25);
  EXPECT_EQ(number(with(BadDepths::drop), "coverage"), 0.5);
  EXPECT_EQ(reason(with(BadDepths::as_is), "abs_rel"), "a prediction is not finite after the fit");
  EXPECT_EQ(number(with(BadDepths::as_is), "delta_1.25"), 0.25);
  EXPECT_EQ(number(with(BadDepths::zero_error), "abs_rel"), (0 + 0.5 + 0 + 1) / 4);
  // The logarithm of a prediction of 0 sees 1e-5 m.
  EXPECT_NEAR(number(errors_of_row({0}, {2}, {.clip_min_m = 0, .bad = BadDepths::as_is}), "rmse_log"),
              std::log(2) - std::log(1e-5), 1e-12);
}

TEST(DepthProtocol, MapsHaveTheirOwnFitsOrOne) {
  const std::vector<float> truth_a = {2, 4}, twice_a = {4, 8}, truth_b = {3, 6, 9}, thrice_b = {9, 18, 27};
  const std::vector maps = {row(twice_a, truth_a), row(thrice_b, truth_b)};
  DepthKnobs knobs = knobs_of("robustmvd");
  EXPECT_NEAR(number(depth_errors(maps, knobs), "abs_rel"), 0, 1e-15);
  EXPECT_EQ(reason(depth_errors(maps, knobs), "scale"), "each map has its own fit");
  knobs.fit_whole = true;  // medians 4 and 9: 4/9 p
  const double of_a = 2 * 4.0 / 9 - 1, of_b = 3 * 4.0 / 9 - 1;
  EXPECT_NEAR(number(depth_errors(maps, knobs), "abs_rel"), (std::abs(of_a) + of_b) / 2, 1e-7);
  EXPECT_EQ(number(depth_errors(maps, knobs), "scale"), 4.0 / 9);
  knobs.pool_pixels = true;
  EXPECT_NEAR(number(depth_errors(maps, knobs), "abs_rel"), (2 * std::abs(of_a) + 3 * of_b) / 5, 1e-7);
}

TEST(DepthProtocol, GargsCropIsThatOfEvaluateDepth) {
  // Of 375 x 1242 pixels rows 153 to 370 and columns 44 to 1196 count (the numbers that the paper's code
  // has).
  std::vector<float> truth(375 * 1242, 10), predicted(truth.size(), 20);
  for (std::size_t y = 153; y < 371; ++y)
    std::fill_n(predicted.begin() + static_cast<std::ptrdiff_t>(y * 1242 + 44), 1197 - 44, 10.0F);
  const std::vector maps = {DepthMapPair{375, 1242, predicted, truth}};
  EXPECT_EQ(number(depth_errors(maps, knobs_of("eigen")), "abs_rel"), 0.0);
  EXPECT_EQ(number(depth_errors(maps, knobs_of("eigen")), "pixels"), (371 - 153) * (1197 - 44));
}

TEST(DepthProtocol, AdamOfAShiftedPredictionSaysWhatItsOptimumWouldBe) {
  std::mt19937 draw(4);
  std::vector<float> truth, predicted;
  for (int i = 0; i < 600; ++i) {
    truth.push_back(std::uniform_real_distribution<float>(2, 8)(draw));
    predicted.push_back((truth.back() - 1.2F) / 1.6F);
  }
  DepthKnobs knobs = knobs_of("video-depth");
  knobs.align = DepthAlignment::adam1000;
  const ProtocolResult result = errors_of_row(predicted, truth, knobs);
  EXPECT_GT(number(result, "abs_rel"), 0.1);
  EXPECT_NEAR(number(result, "abs_rel_lad"), 0, 1e-6);
  EXPECT_LT(std::abs(number(result, "shift")), 0.2);  // a thousand steps of about 1e-4
}

TEST(DepthProtocol, WhatAFitDoesNotDetermineIsUndefined) {
  for (const DepthAlignment align : {DepthAlignment::lad, DepthAlignment::lstsq, DepthAlignment::disparity})
    EXPECT_EQ(reason(errors_of_row({2, 2, 2}, {1, 2, 3}, {.align = align}), "abs_rel"),
              "a prediction is not finite after the fit");
}

// ---- Fits ----

struct Sample {
  std::vector<double> predicted, truth;
};

Sample noisy_sample(unsigned seed, std::size_t size, bool with_ties) {
  std::mt19937 draw(seed);
  std::cauchy_distribution<double> noise(0, 0.1);
  Sample sample;
  for (std::size_t i = 0; i < size; ++i) {
    double p = std::uniform_real_distribution<double>(0.5, 6)(draw);
    if (with_ties) p = std::round(2 * p) / 2;
    sample.predicted.push_back(p);
    sample.truth.push_back(std::abs(1.3 * p + 0.4 + (with_ties ? std::round(noise(draw)) : noise(draw))) +
                           0.01);
  }
  return sample;
}

double absolute_sum(const Sample& sample, double scale, double shift) {
  double sum = 0;
  for (std::size_t i = 0; i < sample.truth.size(); ++i)
    sum += std::abs(scale * sample.predicted[i] + shift - sample.truth[i]);
  return sum;
}

// The minimum lies on a line through two pixels.
double least_absolute_sum(const Sample& sample) {
  double least = kInfinity;
  for (std::size_t i = 0; i < sample.truth.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (sample.predicted[i] == sample.predicted[j]) continue;
      const double scale = (sample.truth[i] - sample.truth[j]) / (sample.predicted[i] - sample.predicted[j]);
      least = std::min(least, absolute_sum(sample, scale, sample.truth[i] - scale * sample.predicted[i]));
    }
  return least;
}

TEST(DepthFit, LeastAbsoluteDeviationsIsTheBestLineThroughTwoPixels) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Sample sample = noisy_sample(seed, 3 + seed * 2, seed % 3 == 0);
    const DepthFit fit = fit_depths(DepthAlignment::lad, sample.predicted, sample.truth);
    const double least = least_absolute_sum(sample);
    EXPECT_NEAR(absolute_sum(sample, fit.scale, fit.shift), least, 1e-9 * (least + 1)) << seed;
  }
}

TEST(DepthFit, ScaleByL1IsTheBestRatioOfAPixel) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Sample sample = noisy_sample(seed, 40 + seed, seed % 2 == 0);
    double least = kInfinity;
    for (std::size_t i = 0; i < sample.truth.size(); ++i)
      least = std::min(least, absolute_sum(sample, sample.truth[i] / sample.predicted[i], 0));
    const DepthFit fit = fit_depths(DepthAlignment::scale_l1, sample.predicted, sample.truth);
    EXPECT_NEAR(absolute_sum(sample, fit.scale, 0), least, 1e-12 * least) << seed;
  }
}

TEST(DepthFit, LeastSquaresFindWhatIsExactlyThere) {
  const std::vector<double> predicted = {1, 2, 5}, shifted = {1.5, 3.5, 9.5}, inverse = {1, 2, 4};
  const DepthFit line = fit_depths(DepthAlignment::lstsq, predicted, shifted);
  EXPECT_NEAR(line.scale, 2, 1e-15);
  EXPECT_NEAR(line.shift, -0.5, 1e-15);
  std::vector<double> moved;  // 1/g = 3/p + 0.25
  for (const double p : inverse) moved.push_back(1 / (3 / p + 0.25));
  const DepthFit disparity = fit_depths(DepthAlignment::disparity, inverse, moved);
  EXPECT_NEAR(disparity.scale, 3, 1e-13);
  EXPECT_NEAR(disparity.shift, 0.25, 1e-13);
  EXPECT_NEAR(disparity(2), moved[1], 1e-14);
  EXPECT_EQ(DepthFit({-1, 0.5, true})(2), 0);  // 1/0 is 0
  const std::vector<double> constant = {2, 2}, others = {1, 3};
  for (const DepthAlignment align : {DepthAlignment::lstsq, DepthAlignment::lad, DepthAlignment::disparity})
    EXPECT_TRUE(std::isnan(fit_depths(align, constant, others).scale));
  // A prediction of NaN or infinity has the inverse 0.
  const std::vector<double> bad = {1, kInfinity, std::nan("")}, to_bad = {1 / 3.5, 2, 2};
  EXPECT_NEAR(fit_depths(DepthAlignment::disparity, bad, to_bad).scale, 3, 1e-13);
}

TEST(DepthFit, MediansOfAnEvenCountAreTheMeanOrTheLower) {
  const std::vector<double> predicted = {1, 1, 3, 9}, truth = {2, 4, 8, 9};
  EXPECT_EQ(fit_depths(DepthAlignment::median, predicted, truth).scale, 6.0 / 2);
  EXPECT_EQ(fit_depths(DepthAlignment::lower_median, predicted, truth).scale, 4.0 / 1);
}

}  // namespace
}  // namespace aqbench::test
