#include "metrics/alignment/similarity_ransac.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/parallel.h"
#include "tests/core/error_matcher.h"
#include "tests/metrics/alignment/planted_similarity.h"

namespace aqbench {
namespace {

using test::CentrePairs;
using testing::HasSubstr;

TEST(SimilarityRansac, WrongCamerasDoNotMoveIt) {
  const CentrePairs pairs = test::ring_of_cameras(30, 0, 3, 1);
  const RansacFit fit = fit_similarity_ransac(pairs.from, pairs.to, "cameras");
  EXPECT_LT(test::farthest_apart(fit.to_from, test::planted_similarity(), pairs.from), 1e-12);
  EXPECT_EQ(fit.agreeing, 27U);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(fit.agrees[i], i % 10 != 0) << i;
  EXPECT_LT(fit.rms_m, 1e-12);
}

// Of so many draws the best comes near the least squares of all that agree: its rms is at most a few percent
// above sigma sqrt(3) times the scale, and no camera moves farther than that.
TEST(SimilarityRansac, NoiseLeavesItsBound) {
  const double sigma_m = 0.002;
  const CentrePairs pairs = test::ring_of_cameras(30, sigma_m, 3, 2);
  const RansacFit fit = fit_similarity_ransac(pairs.from, pairs.to, "cameras");
  EXPECT_EQ(fit.agreeing, 27U);
  EXPECT_NEAR(fit.rms_m, 1.02 * sigma_m * std::sqrt(3), 0.25 * sigma_m * std::sqrt(3));
  EXPECT_LT(test::farthest_apart(fit.to_from, test::planted_similarity(), pairs.from), 2 * sigma_m);
}

TEST(SimilarityRansac, IsTheSameForAnyOrderAndThreads) {
  CentrePairs pairs = test::ring_of_cameras(30, 0.002, 3, 3);
  RansacOptions options;
  options.draws = 5000;
  const RansacFit first = fit_similarity_ransac(pairs.from, pairs.to, "cameras", options);
  std::ranges::reverse(pairs.from);
  std::ranges::reverse(pairs.to);
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    const RansacFit again = fit_similarity_ransac(pairs.from, pairs.to, "cameras", options);
    EXPECT_EQ(again.to_from.matrix(), first.to_from.matrix()) << threads;
    EXPECT_EQ(again.rms_m, first.rms_m);
  }
  set_thread_count(available_processors());
  options.seed = 2;
  EXPECT_NE(fit_similarity_ransac(pairs.from, pairs.to, "cameras", options).to_from.matrix(),
            first.to_from.matrix());
}

std::string ransac_refusal(const CentrePairs& pairs) {
  RansacOptions options;
  options.draws = 2000;
  return error_of(ErrorKind::input, [&] { fit_similarity_ransac(pairs.from, pairs.to, "c", options); });
}

TEST(SimilarityRansac, WhatIsNotDeterminedIsRefused) {
  EXPECT_THAT(ransac_refusal(test::ring_of_cameras(2, 0, 0, 1)), HasSubstr("c: 2 pairs do not determine a"));
  CentrePairs broken = test::ring_of_cameras(10, 0, 0, 1);
  broken.from[4].y() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ransac_refusal(broken), "c: pair 4 is not finite");
  CentrePairs line;
  for (int i = 0; i < 12; ++i) {
    line.from.emplace_back(0.1 * i, 0, 0);
    line.to.emplace_back(0, 0.1 * i, 1);
  }
  EXPECT_EQ(ransac_refusal(line), "c: all lie on one line: the rotation about it is not determined");
  // On a line but for millimetres: the fit follows these, as they are all that there is about the line.
  std::mt19937_64 generator(1);
  std::normal_distribution<double> noise(0, 0.002);
  for (Vec3& place : line.from) place += Vec3(noise(generator), noise(generator), noise(generator));
  for (Vec3& place : line.to) place += Vec3(noise(generator), noise(generator), noise(generator));
  EXPECT_THAT(ransac_refusal(line),
              HasSubstr("c: all that agree lie on one line as far as their errors tell"));
  CentrePairs chance = test::ring_of_cameras(30, 0, 0, 1);
  for (std::size_t i = 0; i < 16; ++i) chance.from[i] += Vec3(0.7 * static_cast<double>(i + 1), -2, 1);
  EXPECT_THAT(ransac_refusal(chance),
              HasSubstr("of 30 agree within 200 mm with one similarity; more than half"));
}

}  // namespace
}  // namespace aqbench
