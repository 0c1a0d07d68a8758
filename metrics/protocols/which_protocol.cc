#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/text.h"
#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/explain.h"

namespace aqbench {
namespace {

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

std::set<double> usual_thresholds_m() {
  CloudKnobs knobs;
  for (const CloudKnob& knob : cloud_knobs())
    if (std::string_view(knob.name) == "thresholds_m")
      knob.set(knobs, fmt::format("{}", fmt::join(knob.usual, ",")));
  return {knobs.thresholds_m.begin(), knobs.thresholds_m.end()};
}

// A setting of a protocol that is tried for its published numbers.
struct Trial {
  const CloudProtocol* protocol;
  CloudKnobs knobs;
  std::vector<std::pair<std::string, std::string>> changed;
  bool lengths;  // also the numbers without threshold
};

void compare_trial(const PublishedText& published, const Trial& trial, const ProtocolResult& result,
                   std::vector<WhichCandidate>& found) {
  for (const PublishedNumber& number : trial.protocol->published)
    for (const ProtocolValue& value : result) {
      if (value.name != number.name || !(trial.lengths || value.threshold)) continue;
      WhichCandidate candidate;
      candidate.protocol = trial.protocol->name;
      candidate.changed = trial.changed;
      candidate.label = number.label;
      if (value.threshold && std::ranges::count(trial.protocol->knobs.thresholds_m, *value.threshold) == 0)
        candidate.changed.emplace_back("thresholds_m", fmt::format("{}", *value.threshold));
      add_matches(published, value, std::move(candidate), found);
    }
}

// Adds those that differ from a setting in one knob. `measures`: also in knobs that need other distances than
// those of all voxels.
void add_varied(const Trial& trial, bool has_mesh, bool measures, std::vector<Trial>& trials) {
  for (const CloudKnob& knob : cloud_knobs()) {
    if (std::string_view(knob.name) == "thresholds_m") continue;
    if (!measures && knob.of_distances && std::string_view(knob.name) != "voxel_m") continue;
    if (std::string_view(knob.name) == "mesh_cloud" && !has_mesh) continue;
    for (const std::string& value : knob.usual) {
      Trial varied = trial;
      knob.set(varied.knobs, value);
      varied.changed = {{knob.name, value}};
      if (knob.text(varied.knobs) != knob.text(trial.knobs)) trials.push_back(std::move(varied));
    }
  }
}

std::vector<Trial> trials_of(std::span<const double> thresholds_m, bool has_mesh) {
  std::vector<Trial> trials;
  for (const CloudProtocol& protocol : cloud_protocols()) {
    if (protocol.knobs.mesh_cloud != MeshCloud::vertices && !has_mesh) continue;
    std::set<double> own_m(protocol.knobs.thresholds_m.begin(), protocol.knobs.thresholds_m.end());
    own_m.insert(thresholds_m.begin(), thresholds_m.end());
    std::set<double> all_m = own_m;
    all_m.merge(usual_thresholds_m());
    const auto add = [&](std::vector<double> at_m, bool lengths, bool measures) {
      trials.push_back({&protocol, knobs_at(protocol, at_m), {}, lengths});
      add_varied(Trial(trials.back()), has_mesh, measures, trials);
    };
    if (protocol.voxel_of_threshold > 0)  // what is compared follows the threshold
      for (const double threshold_m : all_m) add({threshold_m}, false, own_m.contains(threshold_m));
    else
      add({all_m.begin(), all_m.end()}, true, true);
  }
  return trials;
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

}  // namespace

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
  const std::vector<Trial> trials = trials_of(thresholds_m, mesh != nullptr);
  // By what distances depend on: the trials with these distances, their knobs and results by all that acts.
  std::map<std::string, std::map<std::string, std::pair<CloudKnobs, ProtocolResult>>> results;
  std::vector<const ProtocolResult*> result_of;
  for (const Trial& trial : trials) {
    check(trial.knobs);
    const CloudKnobs knobs = knobs_that_act(trial.knobs, truth, mesh != nullptr);
    auto& result = results[text_of_knobs(knobs, true)][text_of_knobs(knobs, false)];
    result.first = knobs;
    result_of.push_back(&result.second);
  }
  std::vector<std::map<std::string, std::pair<CloudKnobs, ProtocolResult>>*> groups;
  for (auto& [of_distances, group] : results) groups.push_back(&group);
  parallel_for(groups.size(), 1, [&](std::size_t begin, std::size_t) {  // a thread holds one's distances
    auto& group = *groups[begin];
    const CloudDistances distances = measure_distances(group.begin()->second.first, cloud, truth, mesh);
    for (auto& [text, result] : group) result.second = summarize_distances(result.first, distances);
  });
  std::vector<WhichCandidate> found;
  for (std::size_t i = 0; i < trials.size(); ++i) compare_trial(published, trials[i], *result_of[i], found);
  rank_candidates(published, found);
  return found;
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
