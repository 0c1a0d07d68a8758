#include "metrics/protocols/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/cloud_protocols.h"
#include "tests/metrics/protocols/clouds.h"

namespace aqbench::test {
namespace {

CloudTruth scanned_truth() {
  CloudTruth truth;
  truth.scans = {scan_from({0.1, 0, 1.5}, 1, wavy_points(1500, 0.4, 0, 3))};
  return truth;
}

TEST(Explain, EffectsInOrderAddUpToTheDifference) {
  const std::array threshold_m = {0.003};
  const auto explanations =
      explain_difference(knobs_at(find_cloud_protocol("eth3d"), threshold_m),
                         knobs_at(find_cloud_protocol("tanks-and-temples"), threshold_m),
                         {wavy_points(2000, 0.4, 0.003, 4), {}, {}}, scanned_truth());
  ASSERT_EQ(explanations.size(), 5U);
  for (const Explanation& explanation : explanations) {
    ASSERT_TRUE(explanation.a && explanation.b) << explanation.number;
    std::vector<std::string> knobs;
    double sum = 0;
    for (const KnobEffect& effect : explanation.effects) {
      knobs.push_back(effect.knob);
      sum += effect.in_order.value();
    }
    EXPECT_EQ(knobs,
              (std::vector<std::string>{"single_precision", "voxel_m", "accuracy", "strict", "averaging"}));
    EXPECT_NEAR(sum, *explanation.b - *explanation.a, 1e-12);
  }
  // A knob that says nothing about a number leaves it alone.
  EXPECT_EQ(explanations[0].number, "precision");
  EXPECT_NE(explanations[0].effects[2].alone.value(), 0.0);
  EXPECT_EQ(explanations[1].number, "recall");
  EXPECT_EQ(explanations[1].effects[2].alone.value(), 0.0);
}

TEST(Explain, ANumberThatIsUndefinedHasNoEffect) {
  CloudTruth truth;
  truth.cloud.points_m = wavy_points(200, 0.4, 0, 1);
  const auto explanations =
      explain_difference(find_cloud_protocol("eth3d").knobs, find_cloud_protocol("scannet-mesh").knobs,
                         {wavy_points(100, 0.4, 0.003, 4), {}, {}}, truth);
  EXPECT_FALSE(explanations[0].a);
  EXPECT_TRUE(explanations[0].b);
  EXPECT_FALSE(explanations[0].effects[0].in_order);
}

TEST(WhichProtocol, NamesTheProtocolAndTheKnob) {
  const PointCloud cloud{wavy_points(300, 0.4, 0.004, 4), {}, {}};
  const CloudTruth truth = scanned_truth();
  CloudKnobs knobs = knobs_at(find_cloud_protocol("tanks-and-temples"), std::array{0.01});
  knobs.voxel_m = 0.002;
  const double f = find_value(score_by_protocol(knobs, cloud, truth), "f_score", 0.01)->value.value();
  const auto found = which_protocol({100 * f, 1e-9}, cloud, truth);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].protocol, "tanks-and-temples");
  EXPECT_EQ(found[0].label, "f-score");
  EXPECT_EQ(found[0].unit, "%");
  EXPECT_EQ(found[0].threshold_m, 0.01);
  const std::vector<std::pair<std::string, std::string>> changed = {{"voxel_m", "0.002"},
                                                                    {"thresholds_m", "0.01"}};
  EXPECT_EQ(found[0].changed, changed);
  // With that voxel the rules of scannet-mesh are the same: one value, one rank, one after the other.
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_TRUE(std::ranges::any_of(found, [](const WhichCandidate& candidate) {
    return candidate.protocol == "scannet-mesh" && candidate.rank == 1;
  }));
  for (std::size_t i = 1; i < found.size(); ++i) {
    EXPECT_GE(found[i].rank, found[i - 1].rank);
    const bool same = found[i].value == found[i - 1].value && found[i].unit == found[i - 1].unit;
    EXPECT_EQ(found[i].rank == found[i - 1].rank, same) << i;
  }
  EXPECT_TRUE(which_protocol({0.123456789, 1e-12}, cloud, truth).empty());
  // A number with a per cent sign is no fraction and no length.
  EXPECT_TRUE(which_protocol({f, 1e-9, true}, cloud, truth).empty());
}

TEST(WhichProtocol, ReadsNumbersAsTheyArePublished) {
  EXPECT_EQ(parse_published("0.365").value, 0.365);
  EXPECT_NEAR(parse_published("0.365").half_step, 0.0005, 1e-15);
  EXPECT_EQ(parse_published("36.5%").value, 36.5);
  EXPECT_TRUE(parse_published("36.5%").percent);
  EXPECT_FALSE(parse_published("36.5").percent);
  EXPECT_EQ(parse_published("42").half_step, 0.5);
  EXPECT_THROW(parse_published("1e3"), std::exception);
  EXPECT_THROW(parse_published("x"), std::exception);
}

}  // namespace
}  // namespace aqbench::test
