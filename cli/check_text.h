#pragma once
// What `aqbench check` found, and how it is shown.

#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/checking/checks.h"
#include "scenes/optics/camera.h"

namespace aqbench::cli {

// The true distance of two cameras.
struct KnownLength {
  std::string from, to;
  double metres = 0;
};

// Returns true length / length in the calibration: 1.02 where the dataset is 2 % too small. Throws
// Error(input) for an unknown camera and for two at one place.
double scale_by_length(const KnownLength& length, const Rig& rig);

// One relation after its run.
struct CheckedRelation {
  std::string name, changes;
  std::string problem;  // why there is no result; else empty
  std::optional<CloudDifference> difference;
  bool is_exact = false;  // as in Relation
};

// All that was found.
struct CheckReport {
  std::string method, dataset;
  double spacing_m = 0, extent_m = 0;    // of the points of the unchanged run
  std::optional<CloudDifference> again;  // of a run with another seed from the unchanged one
  std::vector<CheckedRelation> relations;
  std::optional<CloudDifference> halves;
  std::string halves_problem;  // why `halves` is empty
  std::vector<BaselineGroup> baselines;
  std::optional<double> scale;      // by a known length
  std::optional<BoardScale> board;  // by a board in the images

  // Returns up to which difference (95 % of the points) a relation holds: twice that of another seed, and at
  // least a hundredth of the spacing where the method got the same numbers, else the spacing; and a millionth
  // of the extent, for rounding.
  double limit_m(const CheckedRelation& relation) const;
  bool holds(const CheckedRelation& relation) const;
  bool holds() const;  // every relation
};

// Return the report for a terminal, at most 100 columns wide, and as JSON.
std::string render_check(const CheckReport& report, bool colours, std::size_t columns);
Json to_json(const CheckReport& report);

}  // namespace aqbench::cli
