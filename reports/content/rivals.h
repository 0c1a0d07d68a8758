#pragma once
// Which methods are worse than the best of their scene by more than noise, and what it comes from.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "reports/content/case_columns.h"

namespace aqbench {

// Returns whether a paired t test over the seeds that two groups have in common tells them apart in a metric
// (p <= 0.05), or of one seed whether they differ by at least this share of the larger value.
bool differs(const CaseGroup& a, const CaseGroup& b, const std::string& metric, double least);

// Two records of one scene; `best` has the smaller mean error, or covers more of the surface.
struct Rivals {
  const Record *worse, *best;
};

// The most pairs that a page shows.
inline constexpr std::size_t kMaxRivals = 40;

// Returns for each group of cases that and the most accurate one of its scene, and for that one the one with
// the greatest completeness, where it is another: of both the first records that have the same seed. Those
// that differ by no more than noise are left out.
std::vector<Rivals> rivals_of(const Results& results);

// Returns the column of completeness at the tolerance that the tables show.
MetricColumn completeness_column(const Results& results);

// Case -> mean signed depth error of each camera.
using CameraBiases = std::map<std::string, std::vector<double>>;

// Returns a bias that all cameras have in common, or else the stage that lost the most of the surface beyond
// what the best lost in it.
std::string likely_cause(const Rivals& pair, const CameraBiases& biases_mm);

}  // namespace aqbench
