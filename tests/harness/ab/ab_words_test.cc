#include "harness/ab/ab_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aqbench {
namespace {

AbScoring scoring_of(const std::vector<std::string>& words) { return AbWords(words).scoring(); }

TEST(AbWords, SayHowOutputsMayHaveBeenScored) {
  EXPECT_TRUE(scoring_of({"--method-a", "x", "--method-b", "y"}).usual_lengths);
  EXPECT_TRUE(scoring_of({"--method-a", "x", "--method-b", "y"}).methods_alone);
  EXPECT_TRUE(scoring_of({"--live", "2"}).methods_alone);
  EXPECT_FALSE(scoring_of({"--scene", "x", "--set", "scoring.tile_mm=20"}).usual_lengths);
  EXPECT_FALSE(scoring_of({"--scene", "x", "--variant=scoring.tile_mm=10,20"}).usual_lengths);
  EXPECT_FALSE(scoring_of({"--suite", "mine", "--scene", "x"}).usual_lengths) << "a suite has options, too";
  EXPECT_FALSE(scoring_of({"--suite", "mine", "--scene", "x"}).methods_alone);
  EXPECT_FALSE(scoring_of({"--workload", "w", "--scene", "x"}).methods_alone);
  EXPECT_FALSE(scoring_of({"--a", "x", "--b", "y"}).methods_alone) << "the usual suite";
  EXPECT_FALSE(scoring_of({}).usual_lengths) << "that of a journal that cannot be read";
}

TEST(AbWords, GiveValuesHoweverTheyAreWritten) {
  const AbWords words({"--live=2", "--metric", "x", "--metric=y", "--tau", "3%"});
  EXPECT_EQ(words.number_of("live"), 2);
  EXPECT_EQ(words.values_of("metric"), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(words.share_of("tau"), 0.03);
  EXPECT_FALSE(words.has("liv"));
  EXPECT_EQ(words.warm_runs(), kMetricRepetitions);
  EXPECT_EQ(AbWords({"--cmd-a", "x", "--cmd-b", "y"}).warm_runs(), std::nullopt);
}

}  // namespace
}  // namespace aqbench
