#include "metrics/protocols/pose_sets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/error.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/protocols/matching_challenge.h"
#include "metrics/protocols/pose_pairs.h"

namespace aqbench {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// ---- COLMAP ----

// The true images by name, with the place of their scene; -1: an outlier.
struct TrueImage {
  CameraPose pose;
  int scene = -1;
};

using TrueImages = std::map<std::string, TrueImage>;

TrueImages true_images(const PoseDataset& truth) {
  TrueImages images;
  for (std::size_t scene = 0; scene < truth.sets.size(); ++scene)
    for (const SetImage& image : truth.sets[scene].images) {
      const bool outlier = truth.sets[scene].name == kOutliers;
      if (!images.emplace(image.name, TrueImage{image.pose, outlier ? -1 : static_cast<int>(scene)}).second)
        throw input_error("{} belongs to two true scenes", image.name);
    }
  return images;
}

// The images of a model that have a pose.
std::vector<SetImage> registered(const PoseSet& model) {
  std::vector<SetImage> images;
  for (const SetImage& image : model.images)
    if (image.pose.position_m.allFinite()) images.push_back(image);
  return images;
}

std::vector<double> relative_errors_deg(const TrueImages& truth, const PoseDataset& estimate,
                                        const PoseSetKnobs& knobs) {
  const PoseKnobs of_pairs{.min_baseline_m = knobs.min_baseline_m};
  std::vector<double> errors;
  std::set<std::pair<std::string, std::string>> found;
  for (const PoseSet& model : estimate.sets) {
    const std::vector<SetImage> images = registered(model);
    for (const SetImage& a : images)
      for (const SetImage& b : images) {
        if (&a == &b) continue;
        const auto true_a = truth.find(a.name), true_b = truth.find(b.name);
        const bool together = true_a != truth.end() && true_b != truth.end() && true_a->second.scene >= 0 &&
                              true_a->second.scene == true_b->second.scene;
        if (together) found.emplace(a.name, b.name);
        errors.push_back(together ? pair_error_deg(relative_pose(true_b->second.pose, true_a->second.pose),
                                                   relative_pose(b.pose, a.pose), of_pairs)
                                  : 180);
      }
  }
  std::map<int, std::size_t> scenes;
  for (const auto& [name, image] : truth)
    if (image.scene >= 0) ++scenes[image.scene];
  std::size_t pairs = 0;
  for (const auto& [scene, count] : scenes) pairs += count * (count - 1);
  errors.resize(errors.size() + pairs - found.size(), 180);
  return errors;
}

std::vector<double> absolute_errors_m(const TrueImages& truth, const PoseDataset& estimate,
                                      const PoseSetKnobs& knobs) {
  std::vector<double> errors;
  std::set<std::string> found;
  for (const PoseSet& model : estimate.sets) {
    std::vector<const TrueImage*> partners;
    std::vector<Vec3> from, to;
    for (const SetImage& image : registered(model))
      if (const auto partner = truth.find(image.name); partner != truth.end()) {
        found.insert(image.name);
        partners.push_back(&partner->second);
        from.push_back(image.pose.position_m);
        to.push_back(partner->second.pose.position_m);
      }
    std::optional<PositionFit> fit = PositionFit();
    if (knobs.align_similarity) fit = fit_positions(from, to, FitScale::estimated);
    std::vector<double> distances_m;
    std::map<int, std::pair<double, std::size_t>> sums;
    for (std::size_t i = 0; i < from.size(); ++i) {
      distances_m.push_back(fit ? (fit->to_from.linear * from[i] + fit->to_from.translation_m - to[i]).norm()
                                : kInfinite);
      auto& [sum, count] = sums[partners[i]->scene];
      sum += distances_m.back();
      ++count;
    }
    sums.erase(-1);
    const auto best = std::ranges::min_element(sums, {}, [](const auto& scene) {
      return scene.second.first / static_cast<double>(scene.second.second);
    });
    for (std::size_t i = 0; i < from.size(); ++i)
      errors.push_back(best != sums.end() && partners[i]->scene == best->first ? distances_m[i] : kInfinite);
  }
  errors.resize(errors.size() + truth.size() - found.size(), kInfinite);
  return errors;
}

void add_curve(ProtocolResult& result, const std::string& name, std::vector<double> errors,
               const std::vector<double>& thresholds, double min_error, const PoseSetKnobs& knobs) {
  const auto count = static_cast<double>(errors.size());
  const char* const unit = name == "relative" ? "deg" : "m";
  if (errors.empty() && knobs.nothing_fails) errors.push_back(180);
  for (const double threshold : thresholds) {
    const auto within = std::ranges::count_if(errors, [&](double error) { return error <= threshold; });
    add_value(result, name + "_auc", "1", recall_auc(errors, threshold, min_error), kNothing, threshold,
              unit);
    add_value(result, name + "_recall", "1", static_cast<double>(within) / static_cast<double>(errors.size()),
              kNothing, threshold, unit);
  }
  add_value(result, name == "relative" ? "pairs" : "images", "1", count);
}

ProtocolResult colmap_scores(const PoseDataset& truth, const PoseDataset& estimate,
                             const PoseSetKnobs& knobs) {
  const TrueImages images = true_images(truth);
  ProtocolResult result;
  add_curve(result, "relative", relative_errors_deg(images, estimate, knobs), knobs.thresholds_deg,
            knobs.min_error_deg, knobs);
  add_curve(result, "absolute", absolute_errors_m(images, estimate, knobs), knobs.thresholds_m,
            knobs.min_error_m, knobs);
  return result;
}

std::vector<Knob<PoseSetKnobs>> make_pose_set_knobs() {
  return {
      choice_knob("score", &PoseSetKnobs::score, {"colmap", "imc2024", "imc2025"}),
      choice_knob("alignment", &PoseSetKnobs::align_similarity, {"none", "similarity"},
                  {"none", "similarity"}),
      numbers_knob("thresholds_deg", &PoseSetKnobs::thresholds_deg, {"1", "3", "5", "10", "20"}),
      numbers_knob("thresholds_m", &PoseSetKnobs::thresholds_m),
      number_knob("min_error_deg", &PoseSetKnobs::min_error_deg, {"0.001", "0.02"}),
      number_knob("min_error_m", &PoseSetKnobs::min_error_m, {"0.001", "0.02"}),
      number_knob("min_baseline_m", &PoseSetKnobs::min_baseline_m),
      whole_knob("skip_thresholds", &PoseSetKnobs::skip_thresholds, 0, 100, {"0", "2"}),
      choice_knob("nothing", &PoseSetKnobs::nothing_fails, {"undefined", "fails"}, {"undefined", "fails"})};
}

void check_pose_sets(const PoseSetKnobs& knobs) {
  for (const auto* const thresholds : {&knobs.thresholds_deg, &knobs.thresholds_m})
    if (std::ranges::any_of(*thresholds, [](double threshold) { return !(threshold > 0); }))
      throw usage_error("knobs thresholds_deg and thresholds_m: must be greater than 0");
  if (!(counted_thresholds(knobs) > 0))
    throw usage_error("knob skip_thresholds: must be less than the number of thresholds_m");
}

// Of one data set on each side the names do not matter, and an estimate may have no pose at all.
const PoseDataset& partner_of(const PoseDataset& dataset, std::size_t datasets,
                              std::span<const PoseDataset> estimate) {
  static const PoseDataset kNone;
  if (datasets == 1 && estimate.size() < 2) return estimate.empty() ? kNone : estimate[0];
  const auto found = std::ranges::find(estimate, dataset.name, &PoseDataset::name);
  if (found == estimate.end()) throw input_error("the estimate has no data set called '{}'", dataset.name);
  return *found;
}

}  // namespace

std::span<const Knob<PoseSetKnobs>> pose_set_knobs() {
  static const std::vector<Knob<PoseSetKnobs>> knobs = make_pose_set_knobs();
  return knobs;
}

std::span<const PoseSetProtocol> pose_set_protocols() {
  static const std::vector<PoseSetProtocol> protocols = [] {
    PoseSetKnobs imc{.score = SetScore::imc2024, .thresholds_m = {0.025, 0.05, 0.1, 0.2, 0.5, 1}};
    const PoseSetKnobs imc2024 = imc;
    imc.score = SetScore::imc2025;
    imc.skip_thresholds = 2;
    return std::vector<PoseSetProtocol>{
        {"pose-sets",
         "models of COLMAP against true scenes: all pairs, all images",
         "github.com/colmap/colmap benchmark/reconstruction/evaluation/utils.py",
         {}},
        {"imc-2024", "mean over scenes of the share of cameras within 0.025 to 1 m",
         "Image Matching Challenge 2024, Kaggle", imc2024},
        {"imc-2025", "the same of models that scenes take, and how pure these are",
         "Image Matching Challenge 2025, Kaggle", imc}};
  }();
  return protocols;
}

ProtocolResult pose_set_errors(std::span<const PoseDataset> truth, std::span<const PoseDataset> estimate,
                               const PoseSetKnobs& knobs) {
  check_pose_sets(knobs);
  const auto score = knobs.score == SetScore::colmap    ? colmap_scores
                     : knobs.score == SetScore::imc2024 ? imc2024_scores
                                                        : imc2025_scores;
  ProtocolResult result;
  for (const PoseDataset& dataset : truth) {
    const ProtocolResult of_one = score(dataset, partner_of(dataset, truth.size(), estimate), knobs);
    if (result.empty()) {
      result = of_one;
      continue;
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (result[i].value && of_one[i].value)
        *result[i].value += *of_one[i].value;
      else if (result[i].value)
        result[i] = of_one[i];
    }
  }
  for (ProtocolValue& value : result)
    if (value.value && value.name != "pairs" && value.name != "images")
      *value.value /= static_cast<double>(truth.size());
  return result;
}

}  // namespace aqbench
