#pragma once
// The numbers of other benchmarks' protocols for the cloud of a case.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "metrics/metric.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/score_options.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/dataset/dtu_observed.h"
#include "scenes/optics/camera.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Returns whether some camera of a rig sees positions, for CloudTruth::seen; empty where rays cannot meet the
// surface. Auxiliary cameras count: methods use their images. `surface` must outlive the function.
std::function<std::vector<bool>(std::span<const Vec3>, double, int)> seen_by(const Surface& surface,
                                                                             const Rig& rig);

// Gives a truth what DTU's scanner observed; does nothing for nullopt.
void take_observed(const std::optional<ObservedVolume>& observed, CloudTruth& truth);

// Scores a cloud by protocols, as `aqbench eval --protocol` does with the same truth. `scans` are those that
// the truth was read from; of any other truth points come from the surface. `rig`, in the frame of the truth,
// is what `cull` asks; nullptr: unknown. `observed` is what `dtu` asks for; nullopt: everything.
MetricSet score_protocols(const std::vector<AskedProtocol>& protocols, const PointCloud& cloud,
                          const Surface& truth, const ScoreOptions& options, std::vector<Scan> scans,
                          const Rig* rig, const std::optional<ObservedVolume>& observed = {});

}  // namespace aqbench
