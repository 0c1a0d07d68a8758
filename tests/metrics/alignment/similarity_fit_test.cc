#include "metrics/alignment/similarity_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>

#include "core/random.h"
#include "metrics/alignment/align.h"
#include "metrics/truth/truth_cloud.h"
#include "scenes/surfaces/shapes.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"
#include "tests/metrics/alignment/planted_similarity.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using test::planted_similarity;
using testing::HasSubstr;

struct Pairs {
  std::vector<Vec3> from, to;
};

Pairs camera_pairs(std::size_t count, double sigma_m, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> place(-1, 1);
  std::normal_distribution<double> noise(0, 1);
  const Similarity truth = planted_similarity();
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 at(place(generator), place(generator), 0.2 * place(generator));
    pairs.from.push_back(at);
    const Vec3 error(noise(generator), noise(generator), noise(generator));
    pairs.to.push_back(truth.linear * at + truth.translation_m + sigma_m * error);
  }
  return pairs;
}

double difference(const Similarity& fit) {
  return (fit.matrix() - planted_similarity().matrix()).cwiseAbs().maxCoeff();
}

TEST(SimilarityFit, CleanCamerasGiveThePlantedSimilarity) {
  const Pairs pairs = camera_pairs(12, 0, 1);
  const Similarity fit = fit_similarity(pairs.from, pairs.to, FitScale::estimated, "cameras");
  EXPECT_LT(difference(fit), 1e-12);
  EXPECT_NEAR(fit.scale, 1.02, 1e-12);
  EXPECT_NEAR(fit_similarity(pairs.from, pairs.to, FitScale::one, "cameras").scale, 1, 1e-12);
}

TEST(SimilarityFit, WrongCamerasAreToldApart) {
  Pairs pairs = camera_pairs(40, 0, 2);
  for (std::size_t i = 0; i < 16; ++i) pairs.to[i] += Vec3(0.1 + 0.02 * static_cast<double>(i), -0.3, 0.2);
  const RobustFit fit = fit_similarity_robust(pairs.from, pairs.to, FitScale::estimated, "cameras");
  EXPECT_LT(difference(fit.to_from), 1e-6);
  EXPECT_EQ(fit.inliers, 24U);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(fit.inlier[i], i >= 16) << i;
  EXPECT_GT(fit.median_before_m, 0.1);
}

// The standard error of the shift is sigma / sqrt(n), of the scale sigma / (radius sqrt(n)) on each axis.
TEST(SimilarityFit, NoiseLeavesItsBound) {
  const double sigma_m = 0.001;
  const Pairs pairs = camera_pairs(400, sigma_m, 3);
  const RobustFit fit = fit_similarity_robust(pairs.from, pairs.to, FitScale::estimated, "cameras");
  EXPECT_LT(difference(fit.to_from), 5 * sigma_m * 2.5 / std::sqrt(400));
  EXPECT_NEAR(fit.rms_m, sigma_m * std::sqrt(3), 0.1 * sigma_m * std::sqrt(3));
  EXPECT_GT(fit.inliers, 380U);
}

TEST(SimilarityFit, WhatIsNotDeterminedIsRefused) {
  Pairs line;
  for (int i = 0; i < 10; ++i) {
    line.from.emplace_back(i, 2 * i, 0);
    line.to.emplace_back(2 * i, i, 1);
  }
  const auto error = [](const Pairs& pairs) {
    return error_of(ErrorKind::input,
                    [&] { fit_similarity_robust(pairs.from, pairs.to, FitScale::estimated, "c.txt"); });
  };
  EXPECT_EQ(error(line), "c.txt: all lie on one line: the rotation about it is not determined");
  Pairs nearly = camera_pairs(12, 0, 1);
  std::mt19937_64 generator(7);
  std::normal_distribution<double> noise(0, 0.001);
  for (std::size_t i = 0; i < nearly.from.size(); ++i) {
    nearly.from[i] = Vec3(0.2 * static_cast<double>(i), noise(generator), noise(generator));
    nearly.to[i] =
        planted_similarity().linear * Vec3(0.2 * static_cast<double>(i), noise(generator), noise(generator));
  }
  EXPECT_EQ(error(nearly), "c.txt: all lie on one line: the rotation about it is not determined");
  EXPECT_THAT(error(camera_pairs(2, 0, 1)), HasSubstr("c.txt: 2 pairs do not determine a similarity"));
  Pairs mirrored = camera_pairs(30, 0, 1);
  for (std::size_t i = 0; i < 30; ++i) mirrored.from[i].z() = std::sin(static_cast<double>(7 * i));
  mirrored.to = mirrored.from;
  for (Vec3& place : mirrored.to) place.x() *= -1;
  EXPECT_THAT(error(mirrored), HasSubstr("agree best with one similarity, and it leaves"));
  Pairs halves = camera_pairs(40, 0, 2);
  std::mt19937_64 anywhere(3);
  std::uniform_real_distribution<double> place(-1, 1);
  for (std::size_t i = 0; i < 26; ++i) halves.to[i] = Vec3(place(anywhere), place(anywhere), place(anywhere));
  EXPECT_THAT(error(halves), HasSubstr("of their extent (rms): none fits"));
  Pairs nan = camera_pairs(5, 0, 1);
  nan.to[3].x() = test::kNaN;
  EXPECT_EQ(error(nan), "c.txt: pair 3 is not finite");
}

// A line fixes positions and scale, and no turn about it; noise about it no more. One place fixes nothing.
TEST(SimilarityFit, PositionsOfALineAreFitWithoutATurnAboutIt) {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> noise(0, 1);
  const auto fit_of = [&](double width_m, double sigma_m, double scale, FitScale fitted) {
    Pairs pairs;
    for (int i = 0; i < 40; ++i) {
      const Vec3 at(0.5 * i, width_m * std::sin(1.7 * i), width_m * std::cos(2.9 * i));
      pairs.to.push_back(at);
      pairs.from.push_back(scale * at + sigma_m * Vec3(noise(generator), noise(generator), noise(generator)));
    }
    return fit_positions(pairs.from, pairs.to, fitted).value();
  };
  const char* const line = "all lie on one line: the rotation about it is not determined";
  for (const FitScale fitted : {FitScale::estimated, FitScale::one}) {
    EXPECT_EQ(fit_of(0, 0, 1, fitted).chance, line);
    EXPECT_EQ(fit_of(0.01, 0.005, 1, fitted).chance, line);
    EXPECT_EQ(fit_of(0.2, 0.005, 1, fitted).chance, "");
    EXPECT_EQ(fit_of(0.2, 0.001, 0.3, fitted).chance, "") << "another scale leaves much, and turns no worse";
    EXPECT_EQ(fit_of(3, 0.3, 1, fitted).chance, "") << "no line, however much is left";
  }
  EXPECT_NEAR(fit_of(0, 0, 2, FitScale::estimated).to_from.scale, 0.5, 1e-12);
  const std::vector<Vec3> place(5, Vec3(1, 2, 3)),
      other = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 1, 0}};
  EXPECT_FALSE(fit_positions(place, other, FitScale::estimated));
  EXPECT_FALSE(fit_positions(other, place, FitScale::one));
}

PointCloud moved_away(PointCloud cloud) {
  const Eigen::Matrix4d inverse = planted_similarity().matrix().inverse();
  apply(similarity_from_matrix(inverse, "inverse"), cloud);
  return cloud;
}

// From scale, rotation and shift as planted, to the surface itself.
TEST(AlignWithScale, RecoversThePlantedSimilarity) {
  const auto truth = make_undulating({}, {});
  AlignOptions options;
  options.scale = true;
  options.max_points = 8000;
  const Alignment clean = align_icp(moved_away(test::noisy_cloud(*truth, 8000, 0, 0, 1)), *truth, options);
  EXPECT_EQ(clean.constrained, 7);
  EXPECT_LT((clean.b_from_a - planted_similarity().matrix()).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT(clean.rms_after_m, 1e-7);
  const double sigma_m = 0.0005;
  const Alignment noisy =
      align_icp(moved_away(test::noisy_cloud(*truth, 8000, sigma_m, 0, 1)), *truth, options);
  // Tilts and shifts are known to sigma / sqrt(n) over the relief of the surface, a tenth of its extent.
  EXPECT_LT((noisy.b_from_a - planted_similarity().matrix()).cwiseAbs().maxCoeff(),
            50 * sigma_m / std::sqrt(8000));
}

TEST(AlignWithScale, APlaneDoesNotDetermineIt) {
  const test::PlaneTruth truth;
  AlignOptions options;
  options.scale = true;
  EXPECT_THAT(error_of(ErrorKind::input,
                       [&] { align_icp(test::noisy_cloud(truth, 500, 0.001, 0, 1), truth, options); }),
              HasSubstr("of the 7 motions of a similarity"));
}

std::shared_ptr<const TruthCloud> truth_of(const PointCloud& cloud) {
  Scan scan;
  scan.cloud = cloud;
  return make_truth_cloud({scan});
}

// Bumps on a square: points of a cloud on it, as a scan has them.
std::vector<Vec3> bumpy_points(std::size_t count, std::uint64_t seed) {
  std::vector<Vec3> points_m;
  const RandomKey key{seed, RandomStream::resolution};
  for (std::size_t i = 0; i < count; ++i) {
    const double x = uniform01(key, i, 0) - 0.5, y = uniform01(key, i, 1) - 0.5;
    points_m.emplace_back(
        x, y, 0.1 * std::sin(5 * x) * std::cos(4 * y) + 0.08 * std::exp(-60 * (x * x + y * y - x / 4)));
  }
  return points_m;
}

// A part of a scan, moved far: shrinking to a point would also bring it onto the scan.
TEST(AlignWithScale, FindsAPartOfAScanFromManyDraws) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    PointCloud scan, part;
    scan.points_m = bumpy_points(20000, seed);
    part.points_m.assign(scan.points_m.begin(), scan.points_m.begin() + 4000);
    const auto truth = truth_of(scan);
    AlignOptions options;
    options.scale = true;
    const Alignment found = align_icp(moved_away(part), *truth, options);
    EXPECT_EQ(found.constrained, 7);
    EXPECT_LT((found.b_from_a - planted_similarity().matrix()).cwiseAbs().maxCoeff(), 1e-6) << seed;
  }
}

// Normals of a scan are not exact: a turn of a sphere seems to be resisted.
TEST(AlignWithScale, ASphereDoesNotDetermineItThoughItsNormalsAreNoisy) {
  PointCloud sphere;
  const RandomKey key{5, RandomStream::resolution};
  for (std::size_t i = 0; i < 8000; ++i) {
    const double z = 2 * uniform01(key, i, 0) - 1, turn = 2 * std::numbers::pi * uniform01(key, i, 1);
    const double across = std::sqrt(1 - z * z);
    sphere.points_m.emplace_back(across * std::cos(turn), across * std::sin(turn), z);
  }
  const auto truth = truth_of(sphere);
  AlignOptions options;
  options.scale = true;
  EXPECT_EQ(error_of(ErrorKind::input, [&] { align_icp(moved_away(sphere), *truth, options); }),
            "alignment: the truth determines 4 of the 7 motions of a similarity; an alignment without scale "
            "moves only along those that it determines");
}

// Noise in the cloud pulls towards smaller scales where distances are taken in the unit of the truth.
TEST(AlignWithScale, NoiseDoesNotShrinkIt) {
  const auto truth = make_undulating({}, {});
  AlignOptions options;
  options.scale = true;
  double sum = 0;
  constexpr int kDraws = 12;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const Alignment found =
        align_icp(moved_away(test::noisy_cloud(*truth, 4000, 0.002, 0, seed)), *truth, options);
    sum += std::cbrt(found.b_from_a.topLeftCorner<3, 3>().determinant()) / planted_similarity().scale - 1;
  }
  EXPECT_NEAR(sum / kDraws, 0, 1e-3);
}

// Every point's nearest is a hundred times as far from the origin: the better the fit, the farther the truth.
class FleeingTruth : public test::PlaneTruth {
 public:
  void closest_points(std::span<const Vec3> points_m, std::span<ClosestPoint> out) const override {
    for (std::size_t i = 0; i < points_m.size(); ++i) {
      ASSERT_TRUE(points_m[i].allFinite()) << "a surface is asked for the nearest to what is no point";
      out[i] = {100 * points_m[i], points_m[i].normalized(), -99 * points_m[i].norm()};
    }
  }
};

TEST(AlignWithScale, ATruthThatFleesIsRefused) {
  const FleeingTruth truth;
  AlignOptions options;
  options.scale = true;
  EXPECT_THAT(error_of(ErrorKind::input,
                       [&] { align_icp(test::noisy_cloud(truth, 500, 0.001, 0, 1), truth, options); }),
              HasSubstr("alignment: "));
}

using test::CentrePairs;

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
  const auto fit = [&] { return fit_similarity_ransac(pairs.from, pairs.to, "cameras", options); };
  for (const RansacFit& again : on_threads<1, 2, 3>(fit)) {
    EXPECT_EQ(again.to_from.matrix(), first.to_from.matrix());
    EXPECT_EQ(again.rms_m, first.rms_m);
  }
  options.seed = 2;
  EXPECT_NE(fit().to_from.matrix(), first.to_from.matrix());
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
  // On a line but for millimetres: the fit follows these, since nothing else fixes a turn about the line.
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
