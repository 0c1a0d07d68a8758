// Truth has the same bits on every processor with fused multiply-add (AVX2 or AVX-512), whichever instruction
// set the product's kernels choose; without it, numbers differ in their last digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "scenes/surfaces/ripples/ripple_field.h"
#include "scenes/surfaces/undulating_kernel.h"
#include "scenes/surfaces/vector_math.h"
#include "tests/scenes/surfaces/kernel_copies/kernel_copies.h"

namespace aqbench {
namespace {

using kernel_copies::ClosestPoints;
using kernel_copies::KernelCopy;

TEST(VectorMath, HalfTurnSinesAreRightToRounding) {
  double worst = 0;
  for (int i = -200000; i <= 200000; ++i) {
    const double x = i * (std::numbers::pi / 2 / 200000);
    const auto [sine, cosine] = vector_math::sincos_half_turn(x);
    worst = std::max({worst, std::abs(sine - std::sin(x)), std::abs(cosine - std::cos(x))});
  }
  EXPECT_LT(worst, 4e-16);
}

TEST(VectorMath, SinesOfAnyAngle) {
  for (const double range : {1.0, 10.0, 1e3, 1e6}) {
    double worst = 0;
    for (int i = -100000; i <= 100000; ++i) {
      const double x = i * (range / 100000) * 0.99987;
      const auto [sine, cosine] = vector_math::sincos(x);
      worst = std::max({worst, std::abs(sine - std::sin(x)), std::abs(cosine - std::cos(x))});
    }
    EXPECT_LT(worst, 4e-16) << range;
  }
}

TEST(VectorMath, RoundsToTheNearestInteger) {
  for (const double x : {0.0, 0.49, -0.49, 0.51, 2.5, 3.5, -2.5, 1e9 + 0.3, -1e15 - 0.4})
    EXPECT_EQ(vector_math::round_to_integer(x), std::nearbyint(x)) << x;
}

// Points up to 30 mm from the surface, some far outside.
std::vector<double> query_points_m() {
  constexpr int kPoints = 20000;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<double> xyz_m;
  for (int i = 0; i < kPoints; ++i) {
    const double far = i % 100 == 0 ? 10 : 1;
    for (const double value : {0.3 * u(random), 0.2 * u(random), 1.178 + 0.03 * far * u(random)})
      xyz_m.push_back(value);
  }
  return xyz_m;
}

struct Answers {
  std::vector<double> distance_m, foot_m;
};

// What rounding makes of distances up to 0.3 m; the documents say so.
constexpr double kRounding_m = 1e-12;

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Bits, so that -0 is not 0.
std::size_t unlike_bits(const std::vector<double>& a, const std::vector<double>& b) {
  std::size_t unlike = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    unlike += std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i]) ? 1 : 0;
  return unlike;
}

Answers answers_of(ClosestPoints kernel, const std::vector<double>& xyz_m) {
  const std::size_t count = xyz_m.size() / 3;
  Answers answers{std::vector<double>(count), std::vector<double>(3 * count)};
  kernel(xyz_m.data(), count, answers.distance_m.data(), answers.foot_m.data());
  return answers;
}

template <class Kernel>
Answers product_answers(const std::vector<double>& xyz_m, Kernel kernel) {
  const std::size_t count = xyz_m.size() / 3;
  std::vector<Vec3> points_m;
  for (std::size_t i = 0; i < count; ++i)
    points_m.emplace_back(xyz_m[3 * i], xyz_m[3 * i + 1], xyz_m[3 * i + 2]);
  std::vector<ClosestPoint> closest(count);
  kernel(points_m, closest);
  Answers answers;
  for (const ClosestPoint& point : closest) {
    answers.distance_m.push_back(point.signed_distance_m);
    answers.foot_m.insert(answers.foot_m.end(), point.position_m.begin(), point.position_m.end());
  }
  return answers;
}

TEST(InstructionSets, WithFusedMultiplyAddGiveTheSameBits) {
  if (!kernel_copies::kV3.runs_here()) GTEST_SKIP() << "this processor has no fused multiply-add";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer: AQBENCH_MULTIVERSION leaves the baseline alone";
#endif
  const std::vector<double> xyz_m = query_points_m();
  // As in kernel_copy.inc.
  const Answers undulating = product_answers(xyz_m, [](const auto& points_m, auto& closest) {
    undulating_closest_points({1.178, 0.005, 78.5, 62.8}, points_m, closest);
  });
  const Answers ripples = product_answers(xyz_m, [](const auto& points_m, auto& closest) {
    const RippleFieldShape shape{1.178, {{0.002, 60, 20, 0.3}, {0.001, -40, 90, 1.7}, {0.0005, 5, 150, 4}}};
    std::vector<unsigned char> found(points_m.size());
    ripple_closest_points(shape, points_m, closest, found);
  });
  for (const KernelCopy* const copy : {&kernel_copies::kBaseline, &kernel_copies::kV3, &kernel_copies::kV4}) {
    if (!copy->runs_here()) {
      std::printf("[ SKIPPED  ] this processor lacks %s\n", copy->instruction_set);
      continue;
    }
    for (const auto& [kernel, product] :
         {std::pair{copy->undulating, &undulating}, {copy->ripples, &ripples}}) {
      const Answers answers = answers_of(kernel, xyz_m);
      if (copy == &kernel_copies::kBaseline) {
        EXPECT_LT(largest_difference(answers.distance_m, product->distance_m), kRounding_m);
        continue;
      }
      EXPECT_EQ(unlike_bits(answers.distance_m, product->distance_m), 0u) << copy->instruction_set;
      EXPECT_EQ(unlike_bits(answers.foot_m, product->foot_m), 0u) << copy->instruction_set;
    }
  }
}

}  // namespace
}  // namespace aqbench
