#include "metrics/numbers/exact_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

double sum_of(const std::vector<double>& values) {
  ExactSum sum;
  sum.add(values);
  return sum.value();
}

double sum_one_by_one(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

TEST(ExactSum, IsExactWhereDoublesLoseEverything) {
  for (const auto& add : {sum_of, sum_one_by_one}) {
    EXPECT_EQ(add({1e300, 1, -1e300}), 1);
    EXPECT_EQ(add({1e-320, 1e300, 3e-320, -1e300}), 4e-320);
    EXPECT_EQ(add({}), 0);
    EXPECT_EQ(add({-0.0, 0.0}), 0);
    EXPECT_EQ(add({-1.5, -2.5, 1}), -3);
    EXPECT_TRUE(std::isnan(add({1, std::numeric_limits<double>::infinity()})));
  }
}

// Halfway between two doubles it goes to the even one, and the least more or less decides.
TEST(ExactSum, RoundsOnceToNearestEven) {
  const double ulp = std::ldexp(1.0, -52), least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(sum_of({1, ulp / 2}), 1);
  EXPECT_EQ(sum_of({1, ulp / 2, least}), 1 + ulp);
  EXPECT_EQ(sum_of({1 + ulp, ulp / 2}), 1 + 2 * ulp);
  EXPECT_EQ(sum_of({1 + ulp, ulp / 2, -least}), 1 + ulp);
  EXPECT_EQ(sum_of({-1, -ulp / 2, -least}), -1 - ulp);
}

// Integers as doubles have a sum that 64 bits hold.
TEST(ExactSum, AgreesWithIntegersAndDoesNotDependOnTheOrder) {
  std::mt19937_64 generator(1);
  std::vector<double> values;
  std::int64_t expected = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t value =
        static_cast<std::int64_t>(generator() >> 20U) * (i % 3 == 0 ? -1 : 1) >> (i % 40);
    values.push_back(static_cast<double>(value));
    expected += value;
  }
  EXPECT_EQ(sum_of(values), static_cast<double>(expected));
  std::vector<double> scaled;
  for (std::size_t i = 0; i < values.size(); ++i)
    scaled.push_back(values[i] * std::pow(1.7, static_cast<int>(i % 90) - 45));
  const double first = sum_of(scaled);
  for (int turn = 0; turn < 3; ++turn) {
    std::shuffle(scaled.begin(), scaled.end(), generator);
    EXPECT_EQ(sum_of(scaled), first);
    EXPECT_EQ(sum_one_by_one(scaled), first);
  }
}

// Batches around every bound: of lengths, of exponents within and beyond 81 of the largest, all mantissa bits
// set so that the parts need all their room, subnormals and the largest doubles.
TEST(ExactSum, BatchesHaveTheBitsOfSingleValues) {
  std::mt19937_64 generator(5);
  for (const int exponent : {0, -40, 700, 898, 901, 1015, -898, -930, -1060})
    for (const int spread : {0, 20, 43, 45, 80, 81, 82, 90, 140})
      for (const std::size_t length : {1, 7, 8, 9, 511, 512, 513, 1300}) {
        std::vector<double> values;
        for (std::size_t i = 0; i < length; ++i) {
          const double mantissa = i % 5 == 0 ? 2 - std::ldexp(1.0, -52)
                                             : 1 + std::ldexp(static_cast<double>(generator() >> 12U), -52);
          const int below =
              i == 0 ? 0 : static_cast<int>(generator() % static_cast<std::uint64_t>(spread + 1));
          const double sign = i % 3 == 1 && exponent % 2 == 0 ? -1 : 1;
          values.push_back(i % 11 == 10 ? 0.0 : sign * std::ldexp(mantissa, exponent - below));
        }
        ASSERT_EQ(sum_of(values), sum_one_by_one(values)) << exponent << " " << spread << " " << length;
      }
}

TEST(ExactSum, ManySumsForAnyNumberOfThreads) {
  const std::size_t count = 3 * kSumGrain + 17;
  const auto values_at = [](std::size_t i) {
    const double x = std::sin(static_cast<double>(i));
    return std::array<double, 2>{x, x * x};
  };
  const auto [one, three] = on_threads<1, 3>([&] { return exact_sums<2>(count, values_at); });
  EXPECT_EQ(one, three);
  ExactSum squares;
  for (std::size_t i = 0; i < count; ++i) squares.add(values_at(i)[1]);
  EXPECT_EQ(one[1], squares.value());
}

}  // namespace
}  // namespace aqbench
