#include "metrics/protocols/matching_challenge.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "core/parallel.h"

namespace aqbench {
namespace {

using Centres = Eigen::Matrix3Xd;

// The squared distances that the similarity of some columns leaves; its scale is the ratio of the spreads.
Eigen::ArrayXd errors_after_fit(const Centres& from, const Centres& to, const std::vector<int>& columns) {
  const Centres a = from(Eigen::all, columns), b = to(Eigen::all, columns);
  const Vec3 mean_a = a.rowwise().mean(), mean_b = b.rowwise().mean();
  const Centres spread_a = a.colwise() - mean_a, spread_b = b.colwise() - mean_b;
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(spread_b * spread_a.transpose(),
                                              Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec3 signs = Vec3::Ones();
  if (svd.matrixU().determinant() * svd.matrixV().determinant() < 0) signs.z() = -1;
  const Eigen::Matrix3d linear = std::sqrt(spread_b.squaredNorm() / spread_a.squaredNorm()) *
                                 (svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose());
  return ((linear * (from.colwise() - mean_a)).colwise() + mean_b - to).colwise().squaredNorm().array();
}

// The best similarity at a threshold: most inliers, then the least sum of squares, then the first triple.
struct BestFit {
  int inliers = 0;
  double sum = std::numeric_limits<double>::infinity();
  std::array<int, 3> triple{};
  bool worse_than(const BestFit& other) const {
    return std::tuple(-other.inliers, other.sum, other.triple) < std::tuple(-inliers, sum, triple);
  }
};

void try_triple(const Centres& from, const Centres& to, const std::vector<double>& thresholds_m,
                const std::array<int, 3>& triple, std::vector<BestFit>& best) {
  const Eigen::ArrayXd errors = errors_after_fit(from, to, {triple.begin(), triple.end()});
  std::size_t refitted = 0;
  for (const double threshold_m : thresholds_m) {  // they ascend: another set has more columns
    std::vector<int> inliers;
    for (int i = 0; i < errors.size(); ++i)
      if (errors[i] < threshold_m * threshold_m) inliers.push_back(i);
    if (inliers.size() <= std::max<std::size_t>(2, refitted)) continue;
    refitted = inliers.size();
    const Eigen::ArrayXd after = errors_after_fit(from, to, inliers);
    for (std::size_t t = 0; t < thresholds_m.size(); ++t) {
      const BestFit fit{static_cast<int>((after < thresholds_m[t] * thresholds_m[t]).count()), after.sum(),
                        triple};
      if (fit.inliers > 0 && best[t].worse_than(fit)) best[t] = fit;
    }
  }
}

// Returns how many of the cameras that are common to both lie within each threshold.
std::vector<BestFit> register_cameras(const PoseSet& truth, const std::map<std::string, Vec3>& centres,
                                      const std::vector<double>& thresholds_m) {
  std::vector<Vec3> from_points, to_points;
  for (const SetImage& image : truth.images)
    if (const auto found = centres.find(image.name); found != centres.end() && found->second.allFinite()) {
      from_points.push_back(found->second);
      to_points.push_back(image.pose.position_m);
    }
  const int count = static_cast<int>(from_points.size());
  const Centres from = Eigen::Map<const Centres>(count == 0 ? nullptr : from_points[0].data(), 3, count),
                to = Eigen::Map<const Centres>(count == 0 ? nullptr : to_points[0].data(), 3, count);
  std::vector<BestFit> best(thresholds_m.size());
  std::mutex joining;
  parallel_for(from_points.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::vector<BestFit> mine(thresholds_m.size());
    for (int i = static_cast<int>(begin); i < static_cast<int>(end); ++i)
      for (int j = i + 1; j + 1 < count; ++j)
        for (int k = j + 1; k < count; ++k) try_triple(from, to, thresholds_m, {i, j, k}, mine);
    const std::lock_guard lock(joining);
    for (std::size_t t = 0; t < best.size(); ++t)
      if (best[t].worse_than(mine[t])) best[t] = mine[t];
  });
  return best;
}

// The sum over thresholds of the cameras within, less the three that a similarity always meets.
double within_all(const std::vector<BestFit>& fits, const PoseSetKnobs& knobs) {
  double sum = 0;
  for (std::size_t t = static_cast<std::size_t>(knobs.skip_thresholds); t < fits.size(); ++t)
    sum += std::max(0, fits[t].inliers - 3);
  return sum;
}

std::map<std::string, Vec3> centres_of(std::span<const PoseSet> sets) {
  std::map<std::string, Vec3> centres;
  for (const PoseSet& set : sets)
    for (const SetImage& image : set.images) centres.emplace(image.name, image.pose.position_m);
  return centres;
}

double or_zero(double value, const PoseSetKnobs& knobs) {
  return std::isfinite(value) || !knobs.nothing_fails ? value : 0;
}

// What a model is to a scene.
struct Assignment {
  std::size_t common = 0;
  double maa = 0, within = 0, scene_images = 0, model_images = 0;
};

Assignment assign(const PoseSet& scene, const PoseSet& model, const PoseSetKnobs& knobs) {
  if (model.name == kOutliers) return {};
  const auto centres = centres_of({&model, 1});
  Assignment assignment;
  for (const SetImage& image : scene.images) assignment.common += centres.count(image.name);
  assignment.within = within_all(register_cameras(scene, centres, knobs.thresholds_m), knobs);
  assignment.scene_images = static_cast<double>(scene.images.size());
  assignment.model_images = static_cast<double>(model.images.size());
  assignment.maa = scene.images.size() > 3 ? assignment.within / (assignment.scene_images - 3) : 0;
  return assignment;
}

}  // namespace

double counted_thresholds(const PoseSetKnobs& knobs) {
  return static_cast<double>(knobs.thresholds_m.size()) - knobs.skip_thresholds;
}

ProtocolResult imc2024_scores(const PoseDataset& truth, const PoseDataset& estimate,
                              const PoseSetKnobs& knobs) {
  double sum = 0, scenes = 0;
  const auto centres = centres_of(estimate.sets);
  for (const PoseSet& scene : truth.sets) {
    if (scene.name == kOutliers) continue;
    const double most = counted_thresholds(knobs) * (static_cast<double>(scene.images.size()) - 3);
    sum += or_zero(most > 0 ? within_all(register_cameras(scene, centres, knobs.thresholds_m), knobs) / most
                            : kUndefined,
                   knobs);
    ++scenes;
  }
  ProtocolResult result;
  add_value(result, "maa", "1", sum / scenes, "a scene has fewer than 4 images; knob nothing=fails scores 0");
  return result;
}

ProtocolResult imc2025_scores(const PoseDataset& truth, const PoseDataset& estimate,
                              const PoseSetKnobs& knobs) {
  double within = 0, most = 0, common = 0, taken = 0;
  for (const PoseSet& scene : truth.sets) {
    if (scene.name == kOutliers) continue;
    std::optional<Assignment> best;
    for (const PoseSet& model : estimate.sets) {
      const Assignment other = assign(scene, model, knobs);
      if (!best || std::pair(best->common, best->maa) < std::pair(other.common, other.maa)) best = other;
    }
    if (!best) best = Assignment{.scene_images = static_cast<double>(scene.images.size())};
    within += best->within;
    most += best->scene_images - 3;
    common += static_cast<double>(best->common);
    taken += best->model_images;
  }
  const double maa = or_zero(most > 0 ? within / (counted_thresholds(knobs) * most) : kUndefined, knobs);
  const double clusterness = or_zero(common / taken, knobs);
  ProtocolResult result;
  add_value(result, "maa", "1", maa, kNothing);
  add_value(result, "clusterness", "1", clusterness, kNothing);
  add_value(result, "score", "1", maa + clusterness == 0 ? 0 : 2 * maa * clusterness / (maa + clusterness),
            kNothing);
  return result;
}

}  // namespace aqbench
