#pragma once
// Explains numbers: which knobs make the difference between two protocols on one cloud, and which protocols,
// at which knobs, give a published number for it.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metrics/protocols/cloud_protocols.h"
#include "metrics/protocols/cloud_truth.h"

namespace aqbench {

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
  std::optional<double> a, b;       // by the two settings, each at the first of its thresholds
  std::vector<KnobEffect> effects;  // of each knob that differs, in the order of cloud_knobs()
};

// Explains precision, recall, f_score, accuracy_mean and completeness_mean. Of several thresholds the first
// counts. `mesh` as in measure_distances(). Throws Error(usage) as check(knobs) does.
std::vector<Explanation> explain_difference(CloudKnobs a, CloudKnobs b, const PointCloud& cloud,
                                            const CloudTruth& truth, const TriangleMesh* mesh = nullptr);

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
  std::optional<double> threshold_m;                         // of a share
  double value = 0;                                          // in `unit`, before rounding
  std::string unit;                                          // "%" or "1" for shares; "m", "cm" or "mm"
  int rank = 0;                                              // from 1; the same for the very same value
};

// Finds the settings whose published numbers round to the given one: every protocol as it is and with one
// knob at another of its usual values, at every usual threshold and at `thresholds_m`; shares as fractions
// and in percent, lengths in m, cm and mm. Those with the fewest changed knobs come first, a threshold that
// is not the protocol's own counting as one; among equals, the nearest value. Those with the very same value
// follow each other and share a rank: there their rules do not differ. A number that was given with "%" is no
// length and no fraction.
std::vector<WhichCandidate> which_protocol(const PublishedText& published, const PointCloud& cloud,
                                           const CloudTruth& truth, std::span<const double> thresholds_m = {},
                                           const TriangleMesh* mesh = nullptr);

}  // namespace aqbench
