#pragma once
// A reconstructed mesh against the true surface, both ways.

#include <cstdint>
#include <optional>
#include <string>

#include "metrics/mesh_topology.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

struct MeshScoreOptions {
  double sample_spacing_m = 0.002 / 3;  // of samples on both surfaces: area / spacing^2 of them, at most 2 M
  std::uint64_t seed = 1;
};

// The mesh over the patch is measured, by area-uniform samples; what lies beside the patch is left out,
// except that it may be what a true sample is nearest to. Unset where `reason` says why.
struct MeshMetrics {
  std::optional<double> accuracy_mean_m;      // mesh to true surface
  std::optional<double> completeness_mean_m;  // true patch to mesh
  std::optional<double> normal_consistency;   // mean |cosine|
  std::optional<double> area_ratio;           // mesh over the patch / true patch
  std::string reason;
  MeshTopology topology;  // of the whole mesh
};

// Throws Error(method) for a mesh that names vertices it lacks or has vertices that are not finite.
MeshMetrics measure_mesh(const TriangleMesh& mesh, const Surface& truth, const MeshScoreOptions& options);

}  // namespace aqbench
