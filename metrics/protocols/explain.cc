#include "metrics/protocols/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

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

constexpr std::array kExplained = {"precision", "recall", "f_score", "accuracy_mean", "completeness_mean"};

// The explained numbers of a setting, in their order.
using Numbers = std::array<std::optional<double>, kExplained.size()>;

Numbers numbers_of(DistanceCache& cache, const CloudKnobs& knobs) {
  const ProtocolResult result = cache.score(knobs);
  Numbers numbers;
  for (std::size_t n = 0; n < kExplained.size(); ++n)
    for (const ProtocolValue& value : result)
      if (value.name == kExplained[n]) numbers[n] = value.value;
  return numbers;
}

std::optional<double> difference(const std::optional<double>& from, const std::optional<double>& to) {
  return from && to ? std::optional(*to - *from) : std::nullopt;
}

struct ShownUnit {
  const char* name;
  double factor;  // from the value
};

constexpr ShownUnit kShareUnits[] = {{"1", 1}, {"%", 100}};
constexpr ShownUnit kLengthUnits[] = {{"m", 1}, {"cm", 100}, {"mm", 1000}};

// A search for one number on one cloud.
struct WhichSearch {
  PublishedText published;
  DistanceCache cache;
  std::vector<WhichCandidate> found;
};

std::vector<double> usual_thresholds_m() {
  CloudKnobs knobs;
  for (const CloudKnob& knob : cloud_knobs())
    if (std::string_view(knob.name) == "thresholds_m")
      knob.set(knobs, fmt::format("{}", fmt::join(knob.usual, ",")));
  return knobs.thresholds_m;
}

void compare_value(WhichSearch& search, const CloudProtocol& protocol, const WhichCandidate& setting,
                   const PublishedNumber& number, const ProtocolValue& value) {
  if (!value.value) return;
  const bool share = value.unit == "1";
  for (const ShownUnit& unit : share ? std::span<const ShownUnit>(kShareUnits) : kLengthUnits) {
    if (search.published.percent && std::string_view(unit.name) != "%") continue;
    const double shown = *value.value * unit.factor;
    const double room = search.published.half_step * (1 + 1e-9);
    if (std::abs(shown - search.published.value) > room) continue;
    WhichCandidate candidate = setting;
    candidate.label = number.label;
    candidate.value = shown;
    candidate.unit = unit.name;
    candidate.threshold_m = value.threshold;
    if (value.threshold && std::ranges::count(protocol.knobs.thresholds_m, *value.threshold) == 0)
      candidate.changed.emplace_back("thresholds_m", fmt::format("{}", *value.threshold));
    search.found.push_back(std::move(candidate));
  }
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

// Candidates of one value share the rank of the first of them: no digit could tell them apart.
void rank_by_value(std::vector<WhichCandidate>& candidates) {
  std::map<std::pair<double, std::string>, int> ranks;
  for (WhichCandidate& candidate : candidates)
    candidate.rank = ranks.try_emplace({candidate.value, candidate.unit}, static_cast<int>(ranks.size()) + 1)
                         .first->second;
  std::ranges::stable_sort(candidates, {}, &WhichCandidate::rank);
}

}  // namespace

std::vector<Explanation> explain_difference(CloudKnobs a, CloudKnobs b, const PointCloud& cloud,
                                            const CloudTruth& truth, const TriangleMesh* mesh) {
  check(a);
  check(b);
  a.thresholds_m.resize(1);
  b.thresholds_m.resize(1);
  DistanceCache cache{cloud, truth, mesh};
  const Numbers of_a = numbers_of(cache, a), of_b = numbers_of(cache, b);
  std::vector<Explanation> explanations;
  for (std::size_t n = 0; n < kExplained.size(); ++n)
    explanations.push_back({kExplained[n], n < 3 ? "1" : "m", of_a[n], of_b[n], {}});
  CloudKnobs on_the_way = a;
  Numbers before = of_a;
  for (const CloudKnob& knob : cloud_knobs()) {
    if (knob.text(a) == knob.text(b)) continue;
    CloudKnobs one = a;
    knob.set(one, knob.text(b));
    knob.set(on_the_way, knob.text(b));
    const Numbers alone = numbers_of(cache, one), after = numbers_of(cache, on_the_way);
    for (std::size_t n = 0; n < kExplained.size(); ++n)
      explanations[n].effects.push_back({knob.name, knob.text(a), knob.text(b), difference(of_a[n], alone[n]),
                                         difference(before[n], after[n])});
    before = after;
  }
  return explanations;
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
  std::ranges::stable_sort(search.found, [&](const WhichCandidate& a, const WhichCandidate& b) {
    if (a.changed.size() != b.changed.size()) return a.changed.size() < b.changed.size();
    return std::abs(a.value - published.value) < std::abs(b.value - published.value);
  });
  rank_by_value(search.found);
  return search.found;
}

}  // namespace aqbench
