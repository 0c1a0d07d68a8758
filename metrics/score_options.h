#pragma once
// Tolerances, sampling and regions of a score.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "metrics/scored_points.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Tolerances, sampling and region of a score. Where a size differs from its default, the metrics that depend
// on it have it in their names: outlier_ratio_50mm_pct, tile_20mm_empty_pct.
struct ScoreOptions {
  std::vector<double> tolerances_m = {0.0005, 0.001, 0.002, 0.005, 0.010};
  double outlier_m = 0.020;             // gross outlier beyond this distance
  double sample_spacing_m = 0.002 / 3;  // of completeness samples on the true surface
  double tile_m = 0.010;                // side of an error tile
  std::uint64_t sample_seed = 1;        // of completeness samples, the same for every case
  // The samples of that spacing and seed, where they were drawn before: the same for all cases of a scene.
  std::shared_ptr<const SurfaceSamples> samples = {};
  bool tiles = true;
  ScoredPart part = {};  // of cloud and truth
};

// Throws Error(usage) naming the field.
void check(const ScoreOptions& options);

// Samples that completeness takes of a truth, however small.
inline constexpr double kFewestSamples = 250e3;

// Returns a spacing of samples for a truth of any size: the default where that gives 250 thousand to 4
// million samples. A smaller truth gets 250 thousand (a scan of fewer points all of them); a
// larger one as many as the cloud has points, but at least 400 thousand and at most 20 million, a larger scan
// the default.
double auto_spacing_m(const Surface& truth, std::size_t points);

// Returns a size of tiles: 10 mm where that gives at most a million, else the smallest of 20, 50, 100 mm and
// so on that does.
double auto_tile_m(const Surface& truth);

// Puts sizes that are not the default into the names of the metrics that depend on them.
void name_sizes(MetricSet& metrics, const ScoreOptions& options);

// Returns the definition of a metric by its name in a record, which may hold another size than the
// registry's: "50 mm tiles ..." for tile_50mm_empty_pct. "" for a name that is not known.
std::string metric_definition(std::string_view name);

}  // namespace aqbench
