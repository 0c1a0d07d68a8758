// Sets of poses: scores by hand, and the search over triples held against closed forms.

#include "metrics/protocols/pose_sets.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "core/error.h"
#include "tests/metrics/protocols/values.h"

namespace aqbench::test {
namespace {

double at(const ProtocolResult& result, const char* name, double threshold) {
  const ProtocolValue* const value = find_value(result, name, threshold);
  EXPECT_TRUE(value != nullptr && value->value) << name;
  return value != nullptr && value->value ? *value->value : -1;
}

// Images NAME0, NAME1, ... at random places, turned anyhow.
PoseSet scene_of(const std::string& name, int count, unsigned seed) {
  std::mt19937 draw(seed);
  std::normal_distribution<double> place(0, 3);
  PoseSet scene{name, {}};
  for (int i = 0; i < count; ++i)
    scene.images.push_back({name + std::to_string(i),
                            {Eigen::AngleAxisd(0.4 * i, Vec3(1, i, 2).normalized()).toRotationMatrix(),
                             {place(draw), place(draw), place(draw)}}});
  return scene;
}

PoseSet part_of(const PoseSet& scene, std::size_t begin, std::size_t end) {
  return {"m",
          {scene.images.begin() + static_cast<std::ptrdiff_t>(begin),
           scene.images.begin() + static_cast<std::ptrdiff_t>(end)}};
}

ProtocolResult score(const std::vector<PoseSet>& truth, const std::vector<PoseSet>& estimate,
                     const PoseSetKnobs& knobs) {
  return pose_set_errors(std::vector{PoseDataset{"", truth}}, std::vector{PoseDataset{"", estimate}}, knobs);
}

const PoseSetKnobs& set_knobs(const char* protocol) {
  return find_protocol(pose_set_protocols(), protocol)->knobs;
}

TEST(PoseSets, PairsOfTwoModelsAndOfNoModelFail) {
  const PoseSet scene = scene_of("a", 5, 1);
  const PoseSetKnobs knobs = set_knobs("pose-sets");
  // Images 0, 1, 2 and 2, 3: 6 + 2 of 20 ordered pairs are right; image 2 counts twice, image 4 fails.
  const ProtocolResult split = score({scene}, {part_of(scene, 0, 3), part_of(scene, 2, 4)}, knobs);
  EXPECT_EQ(number(split, "pairs"), 20);
  EXPECT_NEAR(at(split, "relative_recall", 5), 8.0 / 20, 1e-15);
  EXPECT_EQ(number(split, "images"), 6);
  EXPECT_NEAR(at(split, "absolute_recall", 0.05), 5.0 / 6, 1e-15);
  // One model of two scenes and an image that the truth lacks: 2 + 12 pairs are right, of 6 images others
  // fail.
  const PoseSet other = scene_of("b", 2, 2);
  PoseSet merged = part_of(scene, 0, 4);
  merged.images.insert(merged.images.end(), other.images.begin(), other.images.end());
  merged.images.push_back({"unknown", {}});
  const ProtocolResult wrong = score({part_of(scene, 0, 4), other}, {merged}, knobs);
  EXPECT_EQ(number(wrong, "pairs"), 7 * 6);
  EXPECT_NEAR(at(wrong, "relative_recall", 5), 14.0 / 42, 1e-15);
  EXPECT_NEAR(at(wrong, "absolute_recall", 0.05), 4.0 / 6,
              1e-15);  // the scene with the least mean error: the first
}

TEST(PoseSets, WithoutAnyPairTheScoreIsUndefinedOrFails) {
  PoseSetKnobs knobs = set_knobs("pose-sets");
  const std::vector<PoseSet> truth = {scene_of("a", 1, 1), scene_of("b", 1, 2)};
  EXPECT_FALSE(find_value(score(truth, {}, knobs), "relative_auc", 5)->value);
  EXPECT_EQ(at(score(truth, {}, knobs), "absolute_auc", 0.05), 0);
  knobs.nothing_fails = true;
  EXPECT_EQ(at(score(truth, {}, knobs), "relative_auc", 5), 0);
  const PoseSet few = scene_of("c", 3, 3);
  EXPECT_NE(reason(score({few}, {few}, set_knobs("imc-2025")), "maa"), "");
  EXPECT_NE(reason(score({few}, {few}, set_knobs("imc-2024")), "maa"), "");
  PoseSetKnobs imc = set_knobs("imc-2025");
  imc.nothing_fails = true;
  EXPECT_EQ(number(score({few}, {few}, imc), "maa"), 0);
  EXPECT_EQ(number(score({few}, {few}, imc), "clusterness"), 1);
}

PoseSet moved(PoseSet set) {
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  for (SetImage& image : set.images)
    image.pose.position_m = 2.5 * (turn * image.pose.position_m) + Vec3(4, 5, 6);
  return set;
}

// Seven cameras fit, two are far off: (7 - 3) of (9 - 3) at every threshold.
TEST(PoseSets, TheChallengesCountCamerasAfterTheBestSimilarity) {
  const PoseSet scene = scene_of("a", 9, 4);
  PoseSet estimate = moved(scene);
  estimate.images[2].pose.position_m += Vec3(30, 0, 0);
  estimate.images[5].pose.position_m.setConstant(std::nan(""));
  EXPECT_NEAR(number(score({scene}, {estimate}, set_knobs("imc-2024")), "maa"), 4.0 / 6, 1e-15);
  // Within 0.5 and 1 of the four thresholds from 0.1 on: 8 cameras.
  estimate = moved(scene);
  estimate.images[2].pose.position_m += Vec3(2.5 * 0.45, 0, 0);
  estimate.images[5].pose.position_m.setConstant(std::nan(""));
  const double expected = (2 * (7 - 3) + 2 * (8 - 3)) / (4.0 * 6);
  EXPECT_NEAR(number(score({scene}, {estimate}, set_knobs("imc-2025")), "maa"), expected, 1e-15);
}

TEST(PoseSets, ASceneTakesTheModelWithMostOfItsImages) {
  const PoseSet a = scene_of("a", 6, 5), b = scene_of("b", 5, 6), outliers{kOutliers, {{"o", {}}}};
  PoseSet of_a = moved(a);
  of_a.images.push_back({"o", {}});  // an outlier in the model of a
  PoseSet of_b = moved(b);
  of_b.images.push_back(of_a.images[0]);
  of_a.images.erase(of_a.images.begin());
  const ProtocolResult result = score({a, b, outliers}, {of_a, of_b, {kOutliers, {}}}, set_knobs("imc-2025"));
  // 5 of 6 and 5 of 5 cameras: (2 + 2) of (3 + 2); 10 of the 12 images of the models belong there.
  EXPECT_NEAR(number(result, "maa"), 4.0 / 5, 1e-15);
  EXPECT_NEAR(number(result, "clusterness"), 10.0 / 12, 1e-15);
  EXPECT_NEAR(number(result, "score"), 2 * 0.8 * (10.0 / 12) / (0.8 + 10.0 / 12), 1e-15);
}

TEST(PoseSets, DataSetsHaveTheirMean) {
  const PoseSet scene = scene_of("a", 6, 7);
  PoseSet half = moved(scene);
  half.images.resize(5);
  const std::vector<PoseDataset> truth = {{"x", {scene}}, {"y", {scene}}},
                                 estimate = {{"y", {half}}, {"x", {moved(scene)}}};
  EXPECT_NEAR(number(pose_set_errors(truth, estimate, set_knobs("imc-2024")), "maa"), (1 + 2.0 / 3) / 2,
              1e-15);
  EXPECT_THROW(pose_set_errors(truth, std::vector{estimate[0]}, set_knobs("imc-2024")), Error);
  PoseSetKnobs knobs = set_knobs("imc-2025");
  knobs.skip_thresholds = 6;
  EXPECT_THROW(pose_set_errors(truth, estimate, knobs), Error);
}

}  // namespace
}  // namespace aqbench::test
