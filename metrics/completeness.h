#pragma once
// How much of the true surface a cloud reaches: distances from samples of the surface to the nearest point,
// in all, by place and by the number of cameras that see it; and errors by place: the patch in square tiles.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/crop.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Samples of the true surface and how far each is from the cloud.
struct Completeness {
  std::shared_ptr<const SurfaceSamples> samples = std::make_shared<SurfaceSamples>();  // never null
  std::vector<double> distance_m;  // of each sample to the nearest finite point, inside the patch or not
  bool is_thinned = false;         // a scan has more points than samples
};

// The reason for values of the truth where none of it is scored.
inline constexpr const char* kNoTruthInCrop = "no part of the truth lies in the crop";

// Draws the samples of the true surface that lie in the crop.
SurfaceSamples samples_inside(const Surface& truth, double spacing_m, std::uint64_t seed, const Crop& crop);

// Draws samples of the true surface, of its part in the crop, and measures their distances to the whole
// cloud, which is searched in blocks of at most `longest` points, some 70 bytes each; nullopt if it has no
// finite point. Every sample is searched for in every block. `samples`, where given, are those of the truth,
// all of them, drawn before.
std::optional<Completeness> measure_completeness(const CloudBlocks& cloud, std::size_t longest,
                                                 const Surface& truth, double spacing_m, std::uint64_t seed,
                                                 const Crop& crop = {},
                                                 std::shared_ptr<const SurfaceSamples> samples = {});

// Returns the percentage that a part is of an area: of all exactly 100, which 100 x / x need not be; nullopt
// where there is no area.
std::optional<double> area_share_pct(double part_m2, double all_m2);

// Returns the percentage of area with distance <= tolerance_m, among the samples for which keep(i) holds;
// nullopt if no sample is kept.
std::optional<double> completeness_pct(const Completeness& completeness, double tolerance_m,
                                       const std::function<bool(std::size_t)>& keep);

// What completeness_pct() gives at a tolerance, of all samples and of those in a patch inset by the
// tolerance.
struct CompletenessShare {
  std::optional<double> all_pct, inset_pct;
};

// Returns the shares at each tolerance, in one walk over the samples; without a patch nothing is inset.
std::vector<CompletenessShare> completeness_shares(const Completeness& completeness,
                                                   std::span<const double> tolerances_m, const Patch* patch);

// Returns the standard error of completeness_pct() of all samples that comes from the sampling of the truth
// alone, percent: 0 where every point of a scan is a sample. Each sample stands for one part of the area, its
// neighbour in the list for a part beside it, so that sum((x_i - x_(i-1))^2 w^2) / 2 estimates the variance,
// a little too high (Wolter, "Introduction to Variance Estimation", 2007, section 8.2, estimator v2). One for
// each tolerance.
std::vector<double> sampling_se_pct(const Completeness& completeness, std::span<const double> tolerances_m);

// Distances from the true surface to the cloud, weighted by area.
struct CompletenessSummary {
  double mean_m, median_m, p95_m;
  double area_m2;  // of all samples
};

// Summarizes the distances. There must be samples.
CompletenessSummary summarize_completeness(const Completeness& completeness);

// The tolerance of tables by place and by views: 1 % of the 200 mm of water.
inline constexpr double kHeadlineToleranceM = 0.002;

// The errors in one tile.
struct ErrorTile {
  int column = 0, row = 0;
  std::size_t points = 0;
  double signed_mean_mm = 0, nmad_mm = 0;  // NaN when points == 0
  double completeness_pct = 0;             // at the headline tolerance, 2 mm; NaN if the cloud is empty
};

// All tiles of a patch.
struct TileGrid {
  int columns = 0, rows = 0;
  double tile_mm = 0;
  double x_min_m = 0, y_min_m = 0;  // corner of tile (0, 0)
  double x_max_m = 0, y_max_m = 0;  // where the patch ends, which may cut the last column and row
  std::vector<ErrorTile> tiles;     // row-major, rows along y
};

// Returns the tiles of a patch without any value. Throws Error(usage) for more than a million tiles.
TileGrid empty_tiles(const Patch& patch, double tile_m);

// Where the errors of one block of points lie, in the order of their tiles: those of tile t from first[t] to
// first[t + 1] - 1, counted from `begin`.
struct TileGroup {
  std::size_t begin = 0;
  std::vector<std::uint32_t> first;  // one more than there are tiles
};

// Brings the errors of points_m[index[i]] into the order of their tiles, within a tile in their own, and
// returns where those of each tile lie; `begin` is 0.
TileGroup group_by_tile(const TileGrid& grid, std::span<const Vec3> points_m,
                        std::span<const std::uint32_t> index, std::vector<double>& signed_error_m);

// Fills in the errors of all groups, and of `completeness` what the cloud reaches (null for an empty cloud).
void fill_tiles(TileGrid& grid, std::span<const double> signed_error_m, std::span<const TileGroup> groups,
                const Completeness* completeness);

// Returns the tiles as CSV with a header line, each with its corners; a field without a value is empty.
std::string tiles_to_csv(const TileGrid& grid);

// The part of the true patch that exactly `views` cameras see.
struct ViewShare {
  int views = 0;
  double surface_pct = 0;                  // of the patch's area
  std::optional<double> completeness_pct;  // of this part, at the tolerance; none where there is no area
};

// Returns one row for each number of views from 0 to the largest, at kHeadlineToleranceM. views[i] is the
// number of cameras that see sample i.
std::vector<ViewShare> completeness_by_views(const Completeness& completeness, std::span<const int> views);

// Returns rows at kHeadlineToleranceM as CSV with a header line; an undefined field is empty.
std::string views_to_csv(std::span<const ViewShare> rows);

}  // namespace aqbench
