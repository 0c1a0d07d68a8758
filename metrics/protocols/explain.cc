#include "metrics/protocols/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/cloud_protocols.h"

namespace aqbench {
namespace {

// Keeps the distances of one cloud against one truth by the knobs that they depend on.
struct DistanceCache {
  const PointCloud& cloud;
  const CloudTruth& truth;
  const TriangleMesh* mesh = nullptr;
  std::map<std::string, CloudDistances> distances = {};

  // Returns what score_by_protocol() returns, and throws what it throws.
  ProtocolResult score(const CloudKnobs& knobs) {
    check(knobs);
    const CloudKnobs acting = knobs_that_act(knobs, truth, mesh != nullptr);
    const std::string key = text_of_knobs(acting, true);
    auto found = distances.find(key);
    if (found == distances.end())
      found = distances.emplace(key, measure_distances(acting, cloud, truth, mesh)).first;
    return summarize_distances(acting, found->second);
  }
};

// A number that is explained; without threshold the first of its name.
struct ExplainedNumber {
  std::string name;
  std::optional<double> threshold = {};
};

const ProtocolValue* find_number(const ProtocolResult& result, const ExplainedNumber& number) {
  const auto found = std::ranges::find_if(result, [&](const ProtocolValue& value) {
    return value.name == number.name && (!number.threshold || value.threshold == number.threshold);
  });
  return found == result.end() ? nullptr : &*found;
}

std::optional<double> difference(const ProtocolResult& from, const ProtocolResult& to,
                                 const ExplainedNumber& number) {
  const ProtocolValue* const a = find_number(from, number);
  const ProtocolValue* const b = find_number(to, number);
  return a != nullptr && b != nullptr && a->value && b->value ? std::optional(*b->value - *a->value)
                                                              : std::nullopt;
}

std::vector<Explanation> explain_numbers(const SearchedFamily& family, const Setting& a, const Setting& b,
                                         const std::vector<ExplainedNumber>& numbers) {
  ScoredSettings scored{family};
  std::vector<Explanation> explanations;
  for (const ExplainedNumber& number : numbers) {
    const ProtocolValue* const of_a = find_number(scored.at(a), number);
    const ProtocolValue* const of_b = find_number(scored.at(b), number);
    explanations.push_back({number.name,
                            of_a->unit,
                            number.threshold,
                            of_a->threshold_unit,
                            of_a->value,
                            of_b == nullptr ? std::nullopt : of_b->value,
                            {}});
  }
  Setting on_the_way = a;
  for (std::size_t k = 0; k < family.knobs.size(); ++k) {
    if (a[k] == b[k]) continue;
    Setting one = a;
    one[k] = b[k];
    const ProtocolResult before = scored.at(on_the_way);
    on_the_way[k] = b[k];
    for (std::size_t n = 0; n < numbers.size(); ++n)
      explanations[n].effects.push_back({family.knobs[k].name, a[k], b[k],
                                         difference(scored.at(a), scored.at(one), numbers[n]),
                                         difference(before, scored.at(on_the_way), numbers[n])});
  }
  return explanations;
}

// Where both settings share thresholds, these alone are compared: another list is no other rule, and may not
// fit the rules on the way.
void share_thresholds(const SearchedFamily& family, Setting& a, Setting& b) {
  for (std::size_t k = 0; k < family.knobs.size(); ++k) {
    if (family.knobs[k].name.find("thresholds") == std::string::npos || a[k] == b[k]) continue;
    const auto of_b = split_at(b[k], ',');
    std::vector<std::string> shared;
    for (const std::string_view threshold : split_at(a[k], ','))
      if (std::ranges::find(of_b, threshold) != of_b.end()) shared.emplace_back(threshold);
    if (!shared.empty()) a[k] = b[k] = fmt::format("{}", fmt::join(shared, ","));
  }
}

}  // namespace

const ProtocolResult& ScoredSettings::at(const Setting& setting) {
  const auto [found, is_new] = results.try_emplace(setting);
  if (!is_new) return found->second;
  try {
    found->second = family.score(setting);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
  }
  return found->second;
}

CloudKnobs knobs_that_act(CloudKnobs knobs, const CloudTruth& truth, bool has_mesh) {
  const CloudKnobs defaults;
  if (!has_mesh) knobs.mesh_cloud = defaults.mesh_cloud;
  if (!truth.crop) knobs.crop = defaults.crop;
  if (knobs.cull == Cull::no) {
    knobs.cull_behind_m = defaults.cull_behind_m;
    knobs.cull_in_all = defaults.cull_in_all;
    knobs.cull_dilate = defaults.cull_dilate;
    knobs.cull_outside_stays = defaults.cull_outside_stays;
    knobs.cull_to_border = defaults.cull_to_border;
    knobs.cull_largest = defaults.cull_largest;
  }
  if (knobs.thinning_m == 0) knobs.thinning_seed = defaults.thinning_seed;
  if (!truth.mask && !truth.plane) knobs.mask = defaults.mask;
  if (!truth.mask || !knobs.mask) {
    knobs.box_below_m = defaults.box_below_m;
    knobs.box_above_m = defaults.box_above_m;
  }
  if (knobs.accuracy != AccuracyRule::beam) {
    knobs.beam_radius_m = defaults.beam_radius_m;
    knobs.beam_halfangle_deg = defaults.beam_halfangle_deg;
  }
  if (knobs.averaging != Averaging::voxels) knobs.averaging_voxel_m = defaults.averaging_voxel_m;
  return knobs;
}

std::string text_of_knobs(const CloudKnobs& knobs, bool of_distances) {
  std::string text;
  for (const CloudKnob& knob : cloud_knobs())
    if (knob.of_distances || !of_distances) text += knob.text(knobs) + ' ';
  return text;
}

std::vector<Explanation> explain_settings(const SearchedFamily& family, Setting a, Setting b) {
  share_thresholds(family, a, b);
  const ProtocolResult of_a = family.score(a), of_b = family.score(b);
  std::vector<ExplainedNumber> numbers;
  for (const ProtocolValue& value : of_a)
    if (find_value(of_b, value.name, value.threshold) != nullptr)
      numbers.push_back({value.name, value.threshold});
  auto explanations = explain_numbers(family, a, b, numbers);
  std::erase_if(explanations, [](const Explanation& explanation) {
    const auto is_rounding = [&](const std::optional<double>& difference) {
      return difference &&
             std::abs(*difference) <= 1e-12 * std::max(1.0, std::abs(explanation.a.value_or(1)));
    };
    return explanation.a.has_value() == explanation.b.has_value() &&
           std::ranges::all_of(explanation.effects, [&](const KnobEffect& effect) {
             return is_rounding(effect.alone) && is_rounding(effect.in_order);
           });
  });
  return explanations;
}

std::vector<Explanation> explain_difference(CloudKnobs a, CloudKnobs b, const PointCloud& cloud,
                                            const CloudTruth& truth, const TriangleMesh* mesh) {
  check(a);
  check(b);
  a.thresholds_m.resize(1);
  b.thresholds_m.resize(1);
  DistanceCache cache{cloud, truth, mesh};
  const auto family = searched_family<CloudKnobs>(
      cloud_knobs(), [&cache](const CloudKnobs& knobs) { return cache.score(knobs); });
  return explain_numbers(family, setting_of(cloud_knobs(), a), setting_of(cloud_knobs(), b),
                         {{"precision"}, {"recall"}, {"f_score"}, {"accuracy_mean"}, {"completeness_mean"}});
}

}  // namespace aqbench
