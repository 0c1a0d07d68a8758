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
    std::string key;
    for (const CloudKnob& knob : cloud_knobs())
      if (knob.of_distances) key += knob.text(knobs) + ' ';
    auto found = distances.find(key);
    if (found == distances.end())
      found = distances.emplace(key, measure_distances(knobs, cloud, truth, mesh)).first;
    return summarize_distances(knobs, found->second);
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

// Scores each setting once; one that contradicts itself has no numbers.
struct ScoredSettings {
  const SearchedFamily& family;
  std::map<Setting, ProtocolResult> results = {};

  ProtocolResult score_or_none(const Setting& setting) const {
    try {
      return family.score(setting);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      return {};
    }
  }

  const ProtocolResult& at(const Setting& setting) {
    auto found = results.find(setting);
    if (found == results.end()) found = results.emplace(setting, score_or_none(setting)).first;
    return found->second;
  }
};

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

struct ShownUnit {
  const char* name;
  double factor;  // from the value
};

constexpr ShownUnit kShareUnits[] = {{"1", 1}, {"%", 100}};
constexpr ShownUnit kLengthUnits[] = {{"m", 1}, {"cm", 100}, {"mm", 1000}};
constexpr ShownUnit kAngleUnits[] = {{"deg", 1}};
constexpr ShownUnit kLevelUnits[] = {{"dB", 1}};
constexpr ShownUnit kTurnUnits[] = {{"rad/m", 1}, {"deg/100m", 18000 / std::numbers::pi}};

// The units in which a number is published; none of a count.
std::span<const ShownUnit> units_of(std::string_view unit) {
  for (const std::span<const ShownUnit> units :
       {std::span<const ShownUnit>(kShareUnits), std::span<const ShownUnit>(kLengthUnits),
        std::span<const ShownUnit>(kAngleUnits), std::span<const ShownUnit>(kLevelUnits),
        std::span<const ShownUnit>(kTurnUnits)})
    if (units.front().name == unit) return units;
  return {};
}

// A search for one number on one cloud.
struct WhichSearch {
  PublishedText published;
  DistanceCache cache;
  std::vector<WhichCandidate> found;
};

// Adds what a value gives in each of its units, if that rounds to the published number.
void add_matches(const PublishedText& published, const ProtocolValue& value, WhichCandidate candidate,
                 std::vector<WhichCandidate>& found) {
  if (!value.value) return;
  for (const ShownUnit& unit : units_of(value.unit)) {
    if (published.percent && std::string_view(unit.name) != "%") continue;
    candidate.value = *value.value * unit.factor;
    candidate.unit = unit.name;
    candidate.threshold_m = value.threshold;
    candidate.threshold_unit = value.threshold_unit;
    const double room = published.half_step * (1 + 1e-9);
    if (std::abs(candidate.value - published.value) <= room) found.push_back(candidate);
  }
}

std::vector<double> usual_thresholds_m() {
  CloudKnobs knobs;
  for (const CloudKnob& knob : cloud_knobs())
    if (std::string_view(knob.name) == "thresholds_m")
      knob.set(knobs, fmt::format("{}", fmt::join(knob.usual, ",")));
  return knobs.thresholds_m;
}

void compare_value(WhichSearch& search, const CloudProtocol& protocol, const WhichCandidate& setting,
                   const PublishedNumber& number, const ProtocolValue& value) {
  WhichCandidate candidate = setting;
  candidate.label = number.label;
  if (value.threshold && std::ranges::count(protocol.knobs.thresholds_m, *value.threshold) == 0)
    candidate.changed.emplace_back("thresholds_m", fmt::format("{}", *value.threshold));
  add_matches(search.published, value, std::move(candidate), search.found);
}

void try_setting(WhichSearch& search, const CloudProtocol& protocol, const CloudKnobs& knobs,
                 std::vector<std::pair<std::string, std::string>> changed, bool lengths) {
  WhichCandidate setting;
  setting.protocol = protocol.name;
  setting.changed = std::move(changed);
  const ProtocolResult result = search.cache.score(knobs);
  for (const PublishedNumber& number : protocol.published)
    for (const ProtocolValue& value : result)
      if (value.name == number.name && (lengths || value.threshold))
        compare_value(search, protocol, setting, number, value);
}

// Tries a setting and each that differs from it in one knob. `lengths`: also the numbers without threshold.
void try_around(WhichSearch& search, const CloudProtocol& protocol, const CloudKnobs& knobs, bool lengths) {
  try_setting(search, protocol, knobs, {}, lengths);
  for (const CloudKnob& knob : cloud_knobs()) {
    if (std::string_view(knob.name) == "thresholds_m") continue;
    if (std::string_view(knob.name) == "mesh_cloud" && search.cache.mesh == nullptr) continue;
    for (const std::string& value : knob.usual) {
      CloudKnobs changed = knobs;
      knob.set(changed, value);
      if (knob.text(changed) == knob.text(knobs)) continue;
      try_setting(search, protocol, changed, {{knob.name, value}}, lengths);
    }
  }
}

// The fewest changed knobs come first, then the nearest. Candidates of one value share the rank of the first
// of them: no digit could tell them apart.
void rank_candidates(const PublishedText& published, std::vector<WhichCandidate>& candidates) {
  std::ranges::stable_sort(candidates, [&](const WhichCandidate& a, const WhichCandidate& b) {
    if (a.changed.size() != b.changed.size()) return a.changed.size() < b.changed.size();
    return std::abs(a.value - published.value) < std::abs(b.value - published.value);
  });
  std::map<std::pair<double, std::string>, int> ranks;
  for (WhichCandidate& candidate : candidates)
    candidate.rank = ranks.try_emplace({candidate.value, candidate.unit}, static_cast<int>(ranks.size()) + 1)
                         .first->second;
  std::ranges::stable_sort(candidates, {}, &WhichCandidate::rank);
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

PublishedText parse_published(const std::string& text) {
  std::string_view digits = text;
  if (digits.ends_with('%')) digits.remove_suffix(1);
  const auto value = parse_double(digits);
  if (!value || !std::isfinite(*value) || digits.find_first_not_of("+-.0123456789") != digits.npos)
    throw usage_error("--which-protocol: '{}': expected a number as it was published: 0.365", text);
  const std::size_t point = digits.find('.');
  const auto decimals = point == digits.npos ? 0 : static_cast<int>(digits.size() - point - 1);
  return {*value, 0.5 * std::pow(10.0, -decimals), text.ends_with('%')};
}

std::vector<WhichCandidate> which_protocol(const PublishedText& published, const PointCloud& cloud,
                                           const CloudTruth& truth, std::span<const double> thresholds_m,
                                           const TriangleMesh* mesh) {
  WhichSearch search{published, {cloud, truth, mesh}, {}};
  for (const CloudProtocol& protocol : cloud_protocols()) {
    if (protocol.knobs.mesh_cloud != MeshCloud::vertices && mesh == nullptr) continue;
    std::vector<double> tried_m = usual_thresholds_m();
    tried_m.insert(tried_m.end(), thresholds_m.begin(), thresholds_m.end());
    tried_m.insert(tried_m.end(), protocol.knobs.thresholds_m.begin(), protocol.knobs.thresholds_m.end());
    std::ranges::sort(tried_m);
    tried_m.erase(std::unique(tried_m.begin(), tried_m.end()), tried_m.end());
    if (protocol.voxel_of_threshold > 0) {  // what is compared follows the threshold
      for (const double threshold_m : tried_m)
        try_around(search, protocol, knobs_at(protocol, std::span(&threshold_m, 1)), false);
    } else {
      try_around(search, protocol, knobs_at(protocol, tried_m), true);
    }
  }
  rank_candidates(published, search.found);
  return search.found;
}

std::vector<WhichCandidate> which_setting(const PublishedText& published, const SearchedFamily& family,
                                          std::span<const SearchedProtocol> protocols) {
  ScoredSettings scored{family};
  std::vector<WhichCandidate> found;
  const auto compare = [&](const SearchedProtocol& protocol, const Setting& setting,
                           std::vector<std::pair<std::string, std::string>> changed) {
    for (const ProtocolValue& value : scored.at(setting)) {
      WhichCandidate candidate;
      candidate.protocol = protocol.name;
      candidate.changed = changed;
      candidate.label = value.name;
      add_matches(published, value, std::move(candidate), found);
    }
  };
  for (const SearchedProtocol& protocol : protocols) {
    compare(protocol, protocol.setting, {});
    for (std::size_t k = 0; k < family.knobs.size() && protocol.vary; ++k)
      for (const std::string& text : family.knobs[k].usual) {
        const Setting setting = family.with(protocol.setting, family.knobs[k].name, text);
        if (setting != protocol.setting) compare(protocol, setting, {{family.knobs[k].name, text}});
      }
  }
  rank_candidates(published, found);
  return found;
}

}  // namespace aqbench
