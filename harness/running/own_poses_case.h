#pragma once
// The alignment of a case with poses=own, as its plan says.

#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "scenes/dataset/dataset.h"

namespace aqbench {

// Moves the output of a case with poses=own by its cameras (harness/scoring/own_poses.h) and returns their
// metrics; does nothing for any other case. Throws Error(method) as align_own_cameras() does.
MetricSet align_by_own_poses(const Case& planned, const Rig& rig, Reconstruction& output, CaseResult& result);

// Returns whether ICP to the truth follows.
bool moves_by_icp(const Case& planned);

}  // namespace aqbench
