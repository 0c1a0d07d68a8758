#include "harness/ab/bisect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace aqbench {
namespace {

constexpr std::size_t kCommits = 65;  // the good one, and 64 after it

// A history whose commits from `step` on take `ratio` times as long; noise of 2 % for each run, and of a
// neighbour that sometimes takes a part of the machine.
class History {
 public:
  History(unsigned seed, std::size_t step, double ratio) : random_(seed), step_(step), ratio_(ratio) {}

  BisectMeasure measure() {
    return [this](std::size_t commit, std::size_t, std::size_t pairs) {
      BisectPairs measured;
      if (broken.contains(commit)) measured.failure = "does not build";
      for (std::size_t i = 0; i < pairs; ++i) {
        measured.good.push_back(run(1));
        measured.other.push_back(run(commit >= step_ ? ratio_ : 1));
      }
      pairs_ += pairs;
      return measured;
    };
  }

  std::set<std::size_t> broken;

 private:
  double run(double typical) {
    const double disturbed = uniform_(random_) < 0.1 ? 1.3 : 1;
    return typical * disturbed * std::exp(0.02 * normal_(random_));
  }

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::size_t step_, pairs_ = 0;
  double ratio_;
};

TEST(Bisect, FindsAPlantedStepIn95PercentOf200Histories) {
  int found = 0, wrong = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::size_t step = 1 + seed * 37 % 64;
    History history(seed, step, 1.1);
    const Bisection bisection = bisect(kCommits, history.measure(), {});
    found += bisection.is_one_commit() && bisection.first_bad == step ? 1 : 0;
    wrong += bisection.differs && !(bisection.last_good < step && step <= bisection.first_bad) ? 1 : 0;
    EXPECT_LE(bisection.steps.size(), 1u + 6 + 3);
  }
  EXPECT_GE(found, 190);
  EXPECT_LE(wrong, 2);
}

TEST(Bisect, BlamesNoCommitWithoutAStep) {
  int blamed = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    History history(1000 + seed, kCommits, 1);
    const Bisection bisection = bisect(kCommits, history.measure(), {});
    blamed += bisection.differs ? 1 : 0;
    EXPECT_EQ(bisection.steps.size(), bisection.differs ? bisection.steps.size() : 1u);
  }
  EXPECT_LE(blamed, 2);
}

// A metric of a method that is not deterministic, over seeds: 5 % more error is the margin, each seed of the
// good commit is measured once, and a seed says as much at each commit: half of the spread is the scene's.
TEST(Bisect, FindsAStepOfQualityAndBlamesNoCommitWithoutOne) {
  int found = 0, wrong = 0, blamed = 0;
  for (unsigned draw = 0; draw < 400; ++draw) {
    const bool has_step = draw % 2 == 0;
    const std::size_t step = has_step ? 1 + draw * 37 % 64 : kCommits;
    std::mt19937 random(draw);
    std::normal_distribution<double> normal;
    std::vector<double> scene, good;
    const BisectMeasure measure = [&](std::size_t commit, std::size_t first, std::size_t pairs) {
      BisectPairs measured;
      for (std::size_t i = first; i < first + pairs; ++i) {
        if (i == good.size()) {
          scene.push_back(std::exp(0.05 * normal(random)));
          good.push_back(2 * scene[i] * std::exp(0.03 * normal(random)));
        }
        measured.good.push_back(good[i]);
        measured.other.push_back((commit >= step ? 2.3 : 2) * scene[i] * std::exp(0.03 * normal(random)));
      }
      return measured;
    };
    BisectOptions options;
    options.quality = QualityScale{};
    const Bisection bisection = bisect(kCommits, measure, options);
    found += has_step && bisection.is_one_commit() && bisection.first_bad == step ? 1 : 0;
    wrong += bisection.differs && !(bisection.last_good < step && step <= bisection.first_bad) ? 1 : 0;
    blamed += !has_step && bisection.differs ? 1 : 0;
  }
  EXPECT_GE(found, 190);
  EXPECT_LE(wrong, 2);
  EXPECT_LE(blamed, 2);
}

// Where higher is better a fall of the metric is worse.
TEST(Bisect, KnowsTheDirectionOfAMetric) {
  const auto fallen = [](std::size_t commit, std::size_t, std::size_t pairs) {
    return BisectPairs{std::vector<double>(pairs, 90), std::vector<double>(pairs, commit >= 5 ? 80 : 90)};
  };
  BisectOptions options;
  options.quality = QualityScale{.aim = QualityScale::Aim::higher};
  EXPECT_EQ(bisect(9, fallen, options).first_bad, 5u);
  options.quality->aim = QualityScale::Aim::lower;
  EXPECT_FALSE(bisect(9, fallen, options).differs);
}

// What does not build is left out: its neighbour is tested, and where the step lies among such commits the
// range is the answer.
TEST(Bisect, LeavesOutWhatDoesNotBuild) {
  History beside(1, 20, 1.2);
  beside.broken = {32, 33, 31, 16};
  const Bisection found = bisect(kCommits, beside.measure(), {});
  EXPECT_TRUE(found.is_one_commit());
  EXPECT_EQ(found.first_bad, 20u);
  History around(2, 20, 1.2);
  around.broken = {19, 20, 21};
  const Bisection range = bisect(kCommits, around.measure(), {});
  EXPECT_FALSE(range.is_one_commit());
  EXPECT_EQ(range.last_good, 18u);
  EXPECT_EQ(range.first_bad, 22u);
}

TEST(Bisect, OfTwoCommitsTheSecondIsTheAnswer) {
  History history(3, 1, 1.3);
  const Bisection found = bisect(2, history.measure(), {});
  EXPECT_TRUE(found.is_one_commit());
  EXPECT_EQ(found.first_bad, 1u);
  EXPECT_EQ(found.steps.size(), 1u);
}

}  // namespace
}  // namespace aqbench
