#pragma once
// Cases whose method finds its camera poses itself: "poses=own" in their names.

#include <optional>
#include <utility>
#include <vector>

#include "core/interned_text.h"
#include "core/parameters.h"
#include "harness/planning/select.h"
#include "harness/records/case.h"

namespace aqbench {

// Returns the parameters of owner kAlignmentOwner, scale (estimated, one) and then (nothing, icp), of the
// alignment of a method's own cameras to the true ones. A sweep has one value of each.
const std::vector<ParameterSpec>& alignment_parameters();

// The alignment of a case with poses=own: a similarity of the cameras, then possibly ICP of the cloud.
struct PoseAlignmentChoice {
  bool estimates_scale = true;
  bool then_icp = false;
};

// Returns the alignment of a case with poses=own from its overrides, nullopt for any other case. Throws
// Error(usage) naming a parameter.
std::optional<PoseAlignmentChoice> alignment_of(const Case& planned);

// Returns whether a method's cases have poses=own: its suite or its declaration says so. Throws Error(usage)
// where the suite gives poses to a method that finds its own, and for a method that cannot find them: one
// that is not declared in a project file, has no {dataset}, or gives depth maps, which have no camera then.
bool finds_poses(const MethodChoice& method, const Suite* suite);

// Returns whether any method of a selection does; throws as finds_poses().
bool any_finds_poses(const Selection& selection);

// Adds the alignment to the options of a case with poses=own. Throws Error(usage) for a bad value and for an
// error of the calibration, which such a case does not get.
void add_alignment(Case& planned);

// Returns the axis poses=own.
std::pair<InternedText, ParameterValue> poses_axis();

}  // namespace aqbench
