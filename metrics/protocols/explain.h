#pragma once
// Explains numbers: which knobs make the difference between two protocols on the same files, and which
// protocols, at which knobs, give a published number for them.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metrics/protocols/cloud_protocols.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {

// The texts of all knobs of a family, in their order. Set in that order they give the setting again.
using Setting = std::vector<std::string>;

// A knob as a search sees it.
struct SearchedKnob {
  std::string name;
  std::vector<std::string> usual;
};

// What a search looks at: the knobs of a family of protocols, and what a setting gives for the files at hand.
struct SearchedFamily {
  std::vector<SearchedKnob> knobs;
  // Sets a knob, and what follows from it. Throws Error(usage) for an unknown knob or value.
  std::function<Setting(const Setting& setting, std::string_view knob, const std::string& text)> with;
  std::function<ProtocolResult(const Setting& setting)> score;  // throws Error(usage) for a contradiction
};

template <class Knobs>
Setting setting_of(std::span<const Knob<Knobs>> table, const Knobs& knobs) {
  Setting setting;
  for (const Knob<Knobs>& knob : table) setting.push_back(knob.text(knobs));
  return setting;
}

template <class Knobs>
SearchedFamily searched_family(std::span<const Knob<Knobs>> table,
                               std::function<ProtocolResult(const Knobs&)> score) {
  const auto knobs_of = [table](const Setting& setting) {
    Knobs knobs;
    for (std::size_t i = 0; i < table.size(); ++i) table[i].set(knobs, setting[i]);
    return knobs;
  };
  SearchedFamily family;
  for (const Knob<Knobs>& knob : table) family.knobs.push_back({knob.name, knob.usual});
  family.with = [table, knobs_of](const Setting& setting, std::string_view name, const std::string& text) {
    Knobs knobs = knobs_of(setting);
    set_knob(table, knobs, name, text);
    return setting_of(table, knobs);
  };
  family.score = [knobs_of, score = std::move(score)](const Setting& setting) {
    return score(knobs_of(setting));
  };
  return family;
}

// Scores each setting once; one that contradicts itself has no numbers.
struct ScoredSettings {
  const SearchedFamily& family;
  std::map<Setting, ProtocolResult> results = {};

  const ProtocolResult& at(const Setting& setting);
};

// What one knob does to a number, in the number's unit. Undefined where a number on the way is.
struct KnobEffect {
  std::string knob, from, to;
  std::optional<double> alone;     // the change if A's knob alone is set as in B
  std::optional<double> in_order;  // the change when it is set after those above it; these add up to b - a
};

// Why a number of A differs from that of B.
struct Explanation {
  std::string number;               // "precision"
  std::string unit;                 // of all values here
  std::optional<double> threshold;  // where the number has several
  const char* threshold_unit = "m";
  std::optional<double> a, b;       // by the two settings, each at the first of its thresholds
  std::vector<KnobEffect> effects;  // of each knob that differs, in the order of the knobs
};

// Explains the numbers that both settings give and that some knob changes; at the thresholds that both have,
// if they share some.
std::vector<Explanation> explain_settings(const SearchedFamily& family, Setting a, Setting b);

// Explains precision, recall, f_score, accuracy_mean and completeness_mean. Of several thresholds the first
// counts. `mesh` as in measure_distances(). Throws Error(usage) as check(knobs) does.
std::vector<Explanation> explain_difference(CloudKnobs a, CloudKnobs b, const PointCloud& cloud,
                                            const CloudTruth& truth, const TriangleMesh* mesh = nullptr);

// Returns the knobs with those at their defaults that change nothing for these files.
CloudKnobs knobs_that_act(CloudKnobs knobs, const CloudTruth& truth, bool has_mesh);

// Returns the texts of all knobs, or of those alone that distances depend on.
std::string text_of_knobs(const CloudKnobs& knobs, bool of_distances);

// A published number: its value and its precision.
struct PublishedText {
  double value = 0;
  double half_step = 0;  // half of its last decimal: what rounds to it is at most this far away
  bool percent = false;  // it was given with "%": it is a share
};

// Reads "0.365", "36.5" or "36.5%". Throws Error(usage) for anything else.
PublishedText parse_published(const std::string& text);

// One way to get the number.
struct WhichCandidate {
  std::string protocol;
  std::vector<std::pair<std::string, std::string>> changed;  // knobs that differ from the protocol's, values
  std::string label;                                         // what the publication calls the number
  std::optional<double> threshold_m;                         // of a share; in threshold_unit
  double value = 0;                                          // in `unit`, before rounding
  std::string unit;                                          // "%" or "1" for shares; "m", "cm" or "mm"
  int rank = 0;                                              // from 1; the same for the very same value
  const char* threshold_unit = "m";
};

// A protocol of a family; `vary`: also with one knob at another of its usual values.
struct SearchedProtocol {
  std::string name;
  Setting setting;
  bool vary = true;
};

// Finds the settings of a family that give the number, as which_protocol() does.
std::vector<WhichCandidate> which_setting(const PublishedText& published, const SearchedFamily& family,
                                          std::span<const SearchedProtocol> protocols);

// Finds the settings whose published numbers round to the given one: every protocol as it is and with one
// knob at another of its usual values, at every usual threshold and at `thresholds_m` (where voxels follow
// the threshold, thinned or by another accuracy at the protocol's and at `thresholds_m` alone); shares as
// fractions and in percent, lengths in m, cm and mm. Those with the fewest changed knobs come first, a
// threshold that is not the protocol's own counting as one; among equals, the nearest value. Those with the
// very same value follow each other and share a rank: there their rules do not differ. A number that was
// given with "%" is no length and no fraction.
std::vector<WhichCandidate> which_protocol(const PublishedText& published, const PointCloud& cloud,
                                           const CloudTruth& truth, std::span<const double> thresholds_m = {},
                                           const TriangleMesh* mesh = nullptr);

}  // namespace aqbench
