#include "metrics/numbers/order_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

using Values = std::vector<double>;

TEST(Percentile, InterpolatesBetweenRanksAsNumpyDoes) {
  // numpy.percentile([1, 2, 4, 8, 16], [0, 10, 25, 50, 90, 95, 100])
  const double expected[][2] = {{0, 1},       {0.10, 1.4},  {0.25, 2}, {0.5, 4},
                                {0.90, 12.8}, {0.95, 14.4}, {1, 16}};
  for (const auto& [q, value] : expected) {
    Values values = {8, 1, 16, 4, 2};
    EXPECT_NEAR(percentile_in_place(values, q), value, 1e-14) << q;
  }
}

TEST(Percentile, OfOneValueIsThatValue) {
  for (const double q : {0.0, 0.5, 0.95, 1.0}) {
    Values values = {3.5};
    EXPECT_EQ(percentile_in_place(values, q), 3.5);
  }
}

TEST(Percentile, EqualsSortingForAnySize) {
  for (const std::size_t size : {2, 3, 10, 101, 1000}) {
    Values values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = uniform01({5, RandomStream::case_order}, i);
    Values sorted = values;
    std::ranges::sort(sorted);
    const double rank = 0.9 * static_cast<double>(size - 1);
    const auto below = static_cast<std::size_t>(rank);
    const double expected =
        sorted[below] + (rank - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
    EXPECT_DOUBLE_EQ(percentile_in_place(values, 0.9), expected) << size;
  }
}

// Values that are hard to split: few different ones, in order, all but one equal, and infinite ones.
TEST(Percentile, EqualsSortingForEqualAndOrderedValues) {
  constexpr std::size_t kSize = 5000;
  Values few(kSize), rising(kSize), falling(kSize), one_apart(kSize, 2), infinite(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    few[i] = static_cast<double>(i * i % 7);
    rising[i] = static_cast<double>(i);
    falling[i] = -static_cast<double>(i);
    infinite[i] = i % 3 == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(i * 37 % 101);
  }
  one_apart[4321] = 1;
  for (const Values& values : {few, rising, falling, one_apart, Values(kSize, -1.5), infinite}) {
    Values sorted = values;
    std::ranges::sort(sorted);
    for (std::size_t k = 0; k < kSize; k += 119) {
      Values moved = values;
      const double q = static_cast<double>(k) / static_cast<double>(kSize - 1);
      const double rank = q * static_cast<double>(kSize - 1);
      if (rank != static_cast<double>(k)) continue;  // else between two values
      EXPECT_EQ(percentile_in_place(moved, q), sorted[k]) << k;
      std::ranges::sort(moved);
      EXPECT_EQ(moved, sorted);
    }
  }
}

TEST(Percentiles, OfMillionsEqualThoseInPlace) {
  Values values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [normal, other] = normal_pair({8, RandomStream::case_order}, i);
    values[i] =
        i % 3 == 0 ? 1e-3 * normal : std::exp(5 * other) * (normal > 0 ? 1 : -1);  // many octaves, both signs
    if (i % 1000 == 0) values[i] = 0;
  }
  const std::vector<double> found = percentiles(values, {0, 0.05, 0.5, 0.9, 1});
  const std::vector<double> deviations = deviation_percentiles(values, 0.25, {0.5, 0.95});
  Values copy = values;
  const double qs[] = {0, 0.05, 0.5, 0.9, 1};
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], percentile_in_place(copy, qs[i])) << qs[i];
  for (double& value : values) value = std::abs(value - 0.25);
  EXPECT_EQ(deviations[0], percentile_in_place(values, 0.5));
  EXPECT_EQ(deviations[1], percentile_in_place(values, 0.95));
  EXPECT_EQ(on_threads<3>([&] { return percentiles(copy, {0, 0.05, 0.5, 0.9, 1}); })[0], found);
}

TEST(Percentiles, OfOneOrEqualValues) {
  EXPECT_EQ(percentiles(Values{-2.5}, {0, 0.5, 1}), (Values{-2.5, -2.5, -2.5}));
  EXPECT_EQ(percentiles(Values(1000, 0.125), {0.1, 0.95}), (Values{0.125, 0.125}));
  EXPECT_EQ(percentiles(Values{-1, 0, 1e300}, {0.25, 0.5}), (Values{-0.5, 0}));
}

TEST(Median, OfAnEvenCountIsTheMeanOfTheMiddleTwo) {
  Values values = {10, 1, 3, 2};
  EXPECT_EQ(median_in_place(values), 2.5);
}

TEST(Nmad, IsTheScaledMedianDeviation) {
  Values values = {1, 2, 3, 4, 1000};  // median 3, deviations 2 1 0 1 997
  EXPECT_DOUBLE_EQ(nmad_in_place(values), 1.4826);
  Values equal(7, 4.25);
  EXPECT_EQ(nmad_in_place(equal), 0);
}

TEST(WeightedPercentile, CountsAreaNotSamples) {
  std::vector<WeightedValue> values = {{3, 1}, {1, 6}, {2, 3}};
  EXPECT_EQ(weighted_percentile_in_place(values, 0.5), 1);
  EXPECT_EQ(weighted_percentile_in_place(values, 0.6), 1);
  EXPECT_EQ(weighted_percentile_in_place(values, 0.61), 2);
  EXPECT_EQ(weighted_percentile_in_place(values, 0.95), 3);
}

TEST(WeightedPercentile, OfEqualWeightsIsTheSameWithoutAList) {
  for (const double weight : {1.0, 0.1, 1e-6 / 3})
    for (const std::size_t count : {1, 2, 3, 10, 1001}) {
      std::vector<double> plain;
      for (std::size_t i = 0; i < count; ++i) plain.push_back(std::sin(static_cast<double>(i * i)));
      for (const double q : {0.05, 0.3, 0.5, 0.95, 1.0}) {
        std::vector<WeightedValue> values;
        for (const double value : plain) values.push_back({value, weight});
        EXPECT_EQ(weighted_percentiles(plain, weight, {q}).at(0), weighted_percentile_in_place(values, q))
            << count << " values of weight " << weight << ", q = " << q;
      }
    }
}

TEST(WeightedPercentile, EqualsSortingAndAddingUp) {
  std::vector<WeightedValue> values(999);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [value, weight] = uniform01_pair({6, RandomStream::case_order}, i);
    values[i] = {value, weight};
  }
  std::vector<WeightedValue> sorted = values;
  std::ranges::sort(sorted, {}, &WeightedValue::value);
  double total = 0;
  for (const WeightedValue& item : sorted) total += item.weight;
  double sum = 0;
  std::size_t place = 0;
  while ((sum += sorted[place].weight) < 0.37 * total) ++place;
  EXPECT_EQ(weighted_percentile_in_place(values, 0.37), sorted[place].value);
  std::vector<double> numbers, weights;
  for (const WeightedValue& item : values) {
    numbers.push_back(item.value);
    weights.push_back(item.weight);
  }
  EXPECT_EQ(weighted_percentiles(numbers, weights, {0.37, 0, 1}),
            (std::vector{sorted[place].value, sorted.front().value, sorted.back().value}));
}

}  // namespace
}  // namespace aqbench
