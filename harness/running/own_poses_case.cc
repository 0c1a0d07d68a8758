#include "harness/running/own_poses_case.h"

#include "harness/planning/case_poses.h"
#include "harness/records/case_name.h"
#include "harness/scoring/own_poses.h"

namespace aqbench {

MetricSet align_by_own_poses(const Case& planned, const Rig& rig, Reconstruction& output,
                             CaseResult& result) {
  if (!has_own_poses(planned.name)) return {};
  const FitScale scale = alignment_of(planned).estimates_scale ? FitScale::estimated : FitScale::one;
  return align_own_cameras(output, rig, scale, result.record);
}

bool moves_by_icp(const Case& planned) {
  return has_own_poses(planned.name) && alignment_of(planned).then_icp;
}

}  // namespace aqbench
