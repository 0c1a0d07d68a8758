#include "harness/ab/samples_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/harness/ab/documents.h"

namespace aqbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr AbScoring kOfThisProgram = {.usual_lengths = true, .methods_alone = false, .known_names = true};

std::string problems_of(const AbSamples& samples, const AbScoring& scoring) {
  std::string all;
  for (const std::string& problem : output_problems(samples, scoring)) all += problem + "\n";
  return all;
}

AbSamples with_metrics(const MetricSet& metrics) {
  AbSamples samples = timed_samples(20, 1.0);
  samples.outputs = {{0, AbSide::a, "same", metrics}};
  return samples;
}

const Metric kIdentity = {0, "1", Better::equal, ""};

TEST(AbOutputs, OfAWorkloadAreIdentities) {
  const AbSamples samples = with_metrics({{"sum_error", kIdentity}});
  EXPECT_EQ(problems_of(samples, kOfThisProgram), "");
  AbScoring methods = kOfThisProgram;
  methods.methods_alone = true;
  EXPECT_THAT(problems_of(samples, methods), HasSubstr("outputs[0]: accuracy_mean_mm is missing"));
  EXPECT_THAT(problems_of(with_metrics({{"speed", {3, "x", Better::higher, ""}}}), kOfThisProgram),
              HasSubstr("outputs[0]: speed is no identity of a workload"));
  EXPECT_EQ(problems_of(with_metrics({{"speed", {3, "x", Better::higher, ""}}}), {}), "")
      << "another program may have others";
}

TEST(AbOutputs, WithoutMetricsAreNone) {
  EXPECT_EQ(problems_of(with_metrics({}), {}), "outputs[0]: has no metrics\n");
}

// Leaving out `points` once made a workload of it.
TEST(AbOutputs, OfAMethodHaveItsMetrics) {
  const MetricSet mean = {{"accuracy_mean_mm", {0.001, "mm", Better::lower, ""}}};
  EXPECT_THAT(problems_of(with_metrics(mean), {}), HasSubstr("points is missing"));
  AbSamples tiled = with_metrics({{"sum_error", kIdentity}});
  tiled.units[0].tiles_sha256 = tiled.units[1].tiles_sha256 = "1234";
  EXPECT_THAT(problems_of(tiled, {}), HasSubstr("points is missing"));
  MetricSet invented = mean;
  invented.emplace_back("nist_score", Metric{100, "%", Better::higher, ""});
  EXPECT_THAT(problems_of(with_metrics(invented), kOfThisProgram), HasSubstr("nist_score is no metric"));
  EXPECT_THAT(problems_of(with_metrics(invented), {}), Not(HasSubstr("nist_score")));
}

// Options and recordings say how they are scored.
TEST(AbOutputs, MayBeScoredByOtherLengths) {
  AbSamples samples = with_metrics({{"precision_3mm_pct", {50, "%", Better::higher, ""}}});
  EXPECT_THAT(problems_of(samples, kOfThisProgram), HasSubstr("precision_2mm_pct is missing"));
  AbScoring own_lengths = kOfThisProgram;
  own_lengths.usual_lengths = false;
  EXPECT_THAT(problems_of(samples, own_lengths), Not(HasSubstr("precision")));
  samples.cases[0].name = "dataset:tank/seed=42";
  EXPECT_EQ(problems_of(samples, kOfThisProgram), "");
}

struct AbOutcomes : ::testing::Test {
  AbOutcomes() {
    for (AbUnit& unit : samples.units) unit.outcomes = {{"accuracy_rmse_mm", {1.0}}};
  }
  std::vector<std::string> problems(bool same_input = false) const {
    return outcome_problems(samples, {rmse}, same_input);
  }
  const AbOutcome rmse{.name = "accuracy_rmse_mm", .kind = AbOutcome::Kind::metric, .unit = "mm"};
  AbSamples samples = timed_samples(20, 1.0);
};

TEST_F(AbOutcomes, AreThoseThatAreJudgedWithinTheirRange) {
  EXPECT_THAT(problems(), IsEmpty());
  samples.units[7].outcomes[0].values = {-1};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("units: accuracy_rmse_mm is -1")));
  samples.units[7].outcomes = {{"nist", {1}}};
  EXPECT_THAT(problems(), ElementsAre("units[7]: has nist, which is not judged"));
}

TEST_F(AbOutcomes, OfTheSameOutputForTheSameInputAreTheSame) {
  samples.units[7].outcomes[0].values = {2};
  EXPECT_THAT(problems(), IsEmpty()) << "each pair has a seed of its own";
  EXPECT_THAT(problems(true), ElementsAre(HasSubstr("units[7]: has the output of units[")));
  samples.units[7].output_sha256 = "other";
  EXPECT_THAT(problems(true), IsEmpty());
}

}  // namespace
}  // namespace aqbench
