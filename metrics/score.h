#pragma once
// Scores a reconstruction against the true surface, and a depth map against the true one, by the metrics of
// docs/metrics.md.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/cloud_measurements.h"
#include "metrics/completeness.h"
#include "metrics/metric.h"
#include "metrics/score_options.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench {

// Counts for each position on the true surface the cameras that see it through refracted rays.
using ViewCounter = std::function<std::vector<int>(std::span<const Vec3> positions_m)>;

// Samples of the true surface, and how many cameras see each. Without samples if there is nothing to measure:
// `why_none` says why.
struct SeenSamples {
  Completeness completeness;
  std::vector<int> views;
  std::string why_none;
};

// The result of scoring.
struct Score {
  MetricSet metrics;    // always the cloud's; those of normals, mesh and seen2 where there is such data
  TileGrid tiles;       // without tiles if not asked for, or if the truth has no patch
  ScoredCounts counts;  // what of the cloud was scored, and what was left out and why
  ScoredSubset subset;  // the scored points
  std::optional<PlaneFit> plane;            // through them, where there is one
  std::optional<SeenSamples> seen;          // where it is known what cameras see
  std::vector<ViewShare> by_views;          // of `seen`; empty without samples
  std::size_t samples = 0;                  // of the truth, for completeness
  std::size_t samples_of = 0;               // points of a scan that was thinned for it; else 0
  std::vector<double> completeness_se_pct;  // from that sampling alone, at each tolerance
  std::optional<FaceCounts> mesh_faces;     // of the reconstruction's mesh
};

// Scores a cloud in blocks, and its mesh if that is not null. The metrics are those that
// score_reconstruction() gives of the same points in memory.
Score score_blocks(const CloudBlocks& cloud, const TriangleMesh* mesh, const Surface& truth,
                   const ScoreOptions& options, const ViewCounter& count_views = {},
                   const BlockSizes& sizes = {});

// Scores a reconstruction. Metrics are the same bytes for any thread count. An empty cloud gives undefined
// metrics with a reason. With `count_views` there are also completeness_seen2_*: over the surface that two or
// more cameras see. Throws Error(usage) as check() does, Error(method) if the arrays of the reconstruction
// differ in length.
Score score_reconstruction(const Reconstruction& reconstruction, const Surface& truth,
                           const ScoreOptions& options, const ViewCounter& count_views = {});

// Scores a row-major depth map of one camera against the true one, metres along the refracted ray from the
// water surface. A value that is not finite or not above 0 means no depth. Errors are over the pixels where
// both maps have a depth; depth_fill_rate_pct is their share of the pixels with a true depth. If the truth
// has no depth, every metric is undefined, with the reason; if no pixel has both, all but the fill rate.
// Throws Error(method) if the sizes differ.
MetricSet depth_metrics(std::span<const float> predicted_m, std::span<const float> truth_m);

}  // namespace aqbench
