#pragma once
// Scores a reconstruction against the true surface: the default set of docs/metrics.md.

#include <cstdint>
#include <vector>

#include "metrics/metric.h"
#include "scenes/core/reconstruction.h"
#include "scenes/surface.h"

namespace aqbench {

struct ScoreOptions {
  std::vector<double> tolerances_m = {0.0005, 0.001, 0.002, 0.005, 0.010};
  double outlier_m = 0.020;             // gross outlier beyond this distance
  double sample_spacing_m = 0.002 / 3;  // of completeness samples on the true surface
  double tile_m = 0.010;                // side of an error tile
  std::uint64_t sample_seed = 1;        // of completeness samples, the same for every case
  bool tiles = true;
};
// Throws Error(usage) naming the field.
void check(const ScoreOptions& options);

// One tile of the patch, in world x and y.
struct ErrorTile {
  int column = 0, row = 0;
  std::size_t points = 0;
  double signed_mean_mm = 0, nmad_mm = 0;  // NaN when points == 0
  double completeness_pct = 0;             // at the headline tolerance, 2 mm
};

struct TileGrid {
  int columns = 0, rows = 0;
  double tile_mm = 0;
  std::vector<ErrorTile> tiles;  // row-major, rows along y
};

struct Score {
  MetricSet metrics;
  TileGrid tiles;
};

// Metrics are the same bytes for any thread count. An empty cloud gives null metrics with a reason.
// Throws Error(method) if the reconstruction's arrays are inconsistent.
Score score_reconstruction(const Reconstruction& reconstruction, const Surface& truth,
                           const ScoreOptions& options);

}  // namespace aqbench
