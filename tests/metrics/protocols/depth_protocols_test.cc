// Depth maps and sequences: closed forms, and fits held against plain searches.

#include "metrics/protocols/depth_protocols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/error.h"
#include "metrics/protocols/depth_grid.h"
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
  EXPECT_FALSE(find_value(errors_of_row({1}, {0}, {}), "abs_rel")->value);
  EXPECT_EQ(number(errors_of_row({1}, {0}, {.nothing_is_zero = true}), "abs_rel"), 0);  // as CUT3R
  for (const DepthAlignment align : {DepthAlignment::lad, DepthAlignment::lstsq, DepthAlignment::disparity})
    EXPECT_EQ(reason(errors_of_row({2, 2, 2}, {1, 2, 3}, {.align = align}), "abs_rel"),
              "the pixels do not determine the fit");
  DepthKnobs affine = knobs_of("moge-affine"), disparity = knobs_of("moge-disparity");
  EXPECT_EQ(reason(errors_of_row({3}, {2}, affine), "delta_1.25"), "the pixels do not determine the fit");
  EXPECT_EQ(reason(errors_of_row({3}, {2}, affine), "boundary_f1_1px"),
            "the pixels do not determine the fit");
  affine.constant_if_alike = disparity.constant_if_alike = true;  // as their solvers do
  EXPECT_NEAR(number(errors_of_row({3}, {2}, affine), "abs_rel"), 0, 1e-15);
  // The best constant: the median of 1, 2 and 4 by weights 1, 1/2 and 1/4; the mean of the inverses.
  EXPECT_NEAR(number(errors_of_row({3, 3, 3}, {1, 2, 4}, affine), "mae"), (0 + 1 + 3) / 3.0, 1e-15);
  EXPECT_NEAR(number(errors_of_row({3, 3, 3}, {1, 2, 4}, disparity), "mae"),
              (std::abs(12.0 / 7 - 1) + std::abs(12.0 / 7 - 2) + std::abs(12.0 / 7 - 4)) / 3, 1e-12);
}

// ---- MoGe ----

TEST(DepthGrid, EachCellHasThePixelNearestToItsCentre) {
  CountedPixels small{2, 2, {1, 1, 0, 1}};  // each pixel fills a quarter of the 64 x 64 cells
  std::vector<std::size_t> times(4);
  for (const std::size_t pixel : grid_of(small)) ++times[pixel];
  EXPECT_THAT(times, testing::ElementsAre(1024, 1024, 0, 1024));
  CountedPixels large{128, 192, std::vector<unsigned char>(128 * 192, 1)};  // cells of 2 x 3 pixels
  std::vector<std::size_t> pixels = grid_of(large);
  ASSERT_EQ(pixels.size(), 64U * 64);
  EXPECT_EQ(pixels[64 + 1], 2U * 192 + 3 + 1);  // of two as near the upper one
  large.counts[2 * 192 + 3 + 1] = 0;
  EXPECT_EQ(grid_of(large)[64 + 1], 3U * 192 + 3 + 1);
  for (std::size_t i = 0; i < 6; ++i) large.counts[(2 + i / 3) * 192 + 3 + i % 3] = 0;
  EXPECT_EQ(grid_of(large).size(), 64U * 64 - 1);
}

TEST(DepthGrid, EdgesOneColumnBesideTheTrueOnesShareThoseThatReachOverBoth) {
  const CountedPixels pixels{9, 12, std::vector<unsigned char>(9 * 12, 1)};
  const auto step_at = [&](std::size_t column, double far_m) {
    std::vector<double> depths(pixels.counts.size());
    for (std::size_t i = 0; i < depths.size(); ++i) depths[i] = i % 12 < column ? 1 : far_m;
    return depths;
  };
  EXPECT_EQ(boundary_f1(pixels, step_at(6, 2), step_at(6, 2))[2], 1.0);
  EXPECT_EQ(boundary_f1(pixels, step_at(5, 2), step_at(6, 2))[0], 0.0);
  // Pairs at most 2 apart: across the step 5 from each row on each side, and 1 of them across both.
  EXPECT_NEAR(boundary_f1(pixels, step_at(5, 2), step_at(6, 2))[1], 0.2, 1e-15);
  EXPECT_TRUE(std::isnan(boundary_f1(pixels, step_at(6, 1), step_at(6, 1))[0]));
  EXPECT_EQ(boundary_f1(pixels, step_at(6, 2), step_at(6, 1))[0], 0.0);
  // A step of 1.15 is an edge at the shares 0.05, 0.0722, 0.0944, 0.1167 and 0.1389, of all ten 1.5.
  const double expected = (5 * 0.05 + (0 + 1 + 2 + 3 + 4) * 0.2 / 9) / 1.5;
  EXPECT_NEAR(boundary_f1(pixels, step_at(6, 1.15), step_at(6, 1.15))[0], expected, 1e-7);
}

// One pair after the other, as the definition says.
double plain_boundary_f1(const CountedPixels& pixels, const std::vector<double>& predicted,
                         const std::vector<double>& truth, int radius) {
  double sum = 0, weights = 0, found = 0;
  const int height = static_cast<int>(pixels.height), width = static_cast<int>(pixels.width);
  for (int k = 0; k < 10; ++k) {
    const auto share = static_cast<float>(0.05 + 0.2 * k / 9);
    double both = 0, all = 0;
    for (int i = 0; i < height * width; ++i)
      for (int j = 0; j < height * width; ++j) {
        const int dx = j % width - i % width, dy = j / width - i / width, x = i % width, y = i / width;
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        if (dx * dx + dy * dy > radius * radius || pixels.counts[a] == 0 || pixels.counts[b] == 0 ||
            std::min({x, y, width - 1 - x, height - 1 - y}) < radius)
          continue;
        const bool p = predicted[b] / predicted[a] > 1 + double{share};
        const bool t = truth[b] / truth[a] > 1 + double{share};
        both += p && t;
        all += p + t;
      }
    if (all > 0) sum += double{share} * 2 * both / all;
    weights += double{share};
    found += all;
  }
  return found > 0 ? sum / weights : std::nan("");
}

TEST(DepthGrid, EdgesAgreeWithLookingAtAllPairs) {
  for (const double noise : {0.02, 0.1, 3.0}) {  // of the largest, some depths are negative
    CountedPixels pixels{11, 14, std::vector<unsigned char>(11 * 14, 1)};
    std::vector<double> predicted(pixels.counts.size()), truth(predicted.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
      truth[i] = 1 + 0.1 * std::sin(static_cast<double>(i)) + 0.3 * static_cast<double>(i % 5 == 0);
      predicted[i] = truth[i] + noise * std::cos(static_cast<double>(7 * i));
      pixels.counts[i] = i % 13 != 0;
    }
    predicted[70] = 0;
    const auto scores = boundary_f1(pixels, predicted, truth);
    for (int radius = 1; radius <= 3; ++radius)
      EXPECT_NEAR(scores[static_cast<std::size_t>(radius - 1)],
                  plain_boundary_f1(pixels, predicted, truth, radius), 1e-12)
          << noise << ' ' << radius;
  }
}

TEST(DepthProtocol, MoGeFitsAMapByTheLeastRelativeError) {
  std::vector<float> truth(20 * 30), scaled(truth.size()), shifted(truth.size()), inverse(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double depth = 2 + std::sin(static_cast<double>(i)) + 0.05 * static_cast<double>(i % 30);
    truth[i] = static_cast<float>(depth);
    scaled[i] = static_cast<float>(0.4 * depth);
    shifted[i] = static_cast<float>(0.5 * depth - 0.2);
    inverse[i] = static_cast<float>(3 / depth + 0.1);
  }
  scaled[7] = shifted[7] = 9;  // one outlier moves no fit of least deviations
  const auto errors = [&](const std::vector<float>& predicted, const char* protocol,
                          bool of_disparity = false) {
    DepthKnobs knobs = knobs_of(protocol);
    knobs.of_disparity = of_disparity;
    return depth_errors(std::vector{DepthMapPair{20, 30, predicted, truth}}, knobs);
  };
  EXPECT_NEAR(number(errors(scaled, "moge-scale"), "scale"), 2.5, 1e-6);
  EXPECT_NEAR(number(errors(shifted, "moge-affine"), "scale"), 2, 1e-5);
  EXPECT_NEAR(number(errors(shifted, "moge-affine"), "shift"), 0.4, 1e-5);
  EXPECT_NEAR(number(errors(inverse, "moge-disparity", true), "abs_rel"), 0, 1e-6);
  EXPECT_NEAR(number(errors(inverse, "moge-disparity", true), "boundary_f1_3px"), 1, 1e-3);
  EXPECT_LT(number(errors(scaled, "moge-metric"), "abs_rel"), 0.7);
  // A disparity whose sign is lost lies at the farthest true depth.
  std::vector<float> negative = inverse;
  negative[0] = -20;
  const double farthest = *std::ranges::max_element(truth);
  DepthKnobs unfitted = knobs_of("moge-disparity");
  unfitted.of_disparity = true;
  const ProtocolResult result = depth_errors(std::vector{DepthMapPair{20, 30, negative, truth}}, unfitted);
  EXPECT_LT(number(result, "mae"), farthest);
  EXPECT_EQ(number(result, "pixels"), 600);
  negative[0] = kNaN;
  EXPECT_EQ(reason(errors(negative, "moge-disparity", true), "abs_rel"),
            "a prediction is not finite after the fit");
  DepthKnobs wrong = knobs_of("moge-scale");
  wrong.align = DepthAlignment::lstsq;
  EXPECT_THROW(errors_of_row({1}, {1}, wrong), Error);
}

// ---- Fits ----

struct Sample {
  std::vector<double> predicted, truth, weights = {};
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
    sum += (sample.weights.empty() ? 1 : sample.weights[i]) *
           std::abs(scale * sample.predicted[i] + shift - sample.truth[i]);
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
    Sample sample = noisy_sample(seed, 3 + seed * 2, seed % 3 == 0);
    if (seed % 2 == 1)
      for (const double depth : sample.truth) sample.weights.push_back(1 / depth);
    const DepthFit fit = fit_depths(DepthAlignment::lad, sample.predicted, sample.truth, sample.weights);
    const double least = least_absolute_sum(sample);
    EXPECT_NEAR(absolute_sum(sample, fit.scale, fit.shift), least, 1e-9 * (least + 1)) << seed;
  }
}

TEST(DepthFit, ScaleByL1IsTheBestRatioOfAPixel) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Sample sample = noisy_sample(seed, 40 + seed, seed % 2 == 0);
    if (seed % 3 == 1)
      for (const double depth : sample.truth) sample.weights.push_back(1 / depth);
    double least = kInfinity;
    for (std::size_t i = 0; i < sample.truth.size(); ++i)
      least = std::min(least, absolute_sum(sample, sample.truth[i] / sample.predicted[i], 0));
    const DepthFit fit = fit_depths(DepthAlignment::scale_l1, sample.predicted, sample.truth, sample.weights);
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
