#include "metrics/score_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "metrics/registry.h"

namespace aqbench {
namespace {

// The spacing that gives at least the fewest samples of a surface whose area is not known, a scan; or one for
// each of its points, where these are fewer.
double spacing_of_scan_m(const Surface& scan, double fine_m, double fewest) {
  constexpr double kLargeEnough = 5000;  // fine samples along the diagonal: more than enough of any surface
  if (!(scan.diagonal_m() < kLargeEnough * fine_m)) return fine_m;
  double spacing_m = fine_m;
  for (int step = 0; step < 40; ++step) {
    const SurfaceSamples samples = scan.stratified_samples(spacing_m, 1);
    const auto count = static_cast<double>(samples.positions_m.size());
    if (count >= fewest || samples.positions_m.size() == samples.of_points) break;
    spacing_m *= std::clamp(std::sqrt(count / fewest), 0.25, 0.9);
  }
  return spacing_m;
}

// The definition of the metric with this name in the registry, whose tiles are of 10 mm; "" for none.
std::string registry_definition(std::string_view name) {
  const auto& registry = metric_registry();
  const auto found = std::ranges::find(registry, name, &MetricSpec::name);
  return found == registry.end() ? "" : found->definition;
}

}  // namespace

void check(const ScoreOptions& options) {
  const auto require_positive = [](const char* field, double value) {
    if (std::isfinite(value) && value > 0) return;
    throw usage_error("{}: must be a positive number, got {}", field, value);
  };
  if (options.tolerances_m.empty()) throw Error(ErrorKind::usage, "tolerances_m: must not be empty");
  for (const double tolerance_m : options.tolerances_m) require_positive("tolerances_m", tolerance_m);
  std::vector<double> sorted = options.tolerances_m;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    throw Error(ErrorKind::usage, "tolerances_m: a tolerance is given twice");
  require_positive("outlier_m", options.outlier_m);
  require_positive("sample_spacing_m", options.sample_spacing_m);
  require_positive("tile_m", options.tile_m);
  if (options.part.max_distance_m) require_positive("max_distance_m", *options.part.max_distance_m);
}

double auto_spacing_m(const Surface& truth, std::size_t points) {
  constexpr double kFewest = kFewestSamples, kMaxSamples = 4e6, kFewestOfLarge = 4e5,
                   kMaxSamplesOfLarge = 2e7;
  const double area_m2 = truth.area_m2(), fine_m = ScoreOptions{}.sample_spacing_m;
  if (std::isnan(area_m2)) return spacing_of_scan_m(truth, fine_m, kFewest);
  const double samples = area_m2 / (fine_m * fine_m),
               of_large = std::clamp(static_cast<double>(points), kFewestOfLarge, kMaxSamplesOfLarge);
  if (samples < kFewest) return std::sqrt(area_m2 / kFewest);
  if (samples > kMaxSamples) return std::sqrt(area_m2 / of_large);
  return fine_m;
}

double auto_tile_m(const Surface& truth) {
  constexpr double kMaxTiles = 1e6;
  const Patch* const patch = truth.patch();
  double tile_m = ScoreOptions{}.tile_m;
  if (patch == nullptr) return tile_m;
  const auto tiles = [&] {
    return std::ceil((patch->x_max_m - patch->x_min_m) / tile_m) *
           std::ceil((patch->y_max_m - patch->y_min_m) / tile_m);
  };
  for (int step = 1; tiles() > kMaxTiles; ++step) {
    constexpr double kLeading[] = {1, 2, 5};
    tile_m = kLeading[step % 3] * std::pow(10, step / 3 - 2);
  }
  return tile_m;
}

void name_sizes(MetricSet& metrics, const ScoreOptions& options) {
  for (auto& [name, metric] : metrics) {
    if (name == "outlier_ratio_pct" && options.outlier_m != ScoreOptions{}.outlier_m)
      name = fmt::format("outlier_ratio_{:g}mm_pct", 1000 * options.outlier_m);
    if (name.starts_with("tile_") && options.tile_m != ScoreOptions{}.tile_m)
      name = fmt::format("tile_{:g}mm_{}", 1000 * options.tile_m, name.text().substr(5));
  }
}

std::string metric_definition(std::string_view name) {
  constexpr std::string_view kOutliers = "outlier_ratio_", kOutliersEnd = "mm_pct", kTile = "tile_";
  std::string definition = registry_definition(name);
  const std::size_t unit = name.find("mm_");
  if (!definition.empty() || unit == name.npos) return definition;
  const std::size_t number = name.rfind('_', unit) + 1;
  const std::string size(name.substr(number, unit - number));
  const auto size_mm = parse_double(size);
  if (!size_mm || !(*size_mm > 0)) return "";
  if (name.starts_with(kOutliers) && number == kOutliers.size() && name.substr(unit) == kOutliersEnd)
    return fmt::format("scored points with |error| > {} mm (gross outliers)", size);
  std::string row(name);
  if (name.starts_with(kTile) && number == kTile.size()) {
    definition = registry_definition(row.erase(number, unit + 3 - number));
    if (const std::size_t at = definition.find("10 mm"); at != definition.npos)
      definition.replace(at, 2, size);
    return definition;
  }
  row.replace(number, unit - number, fmt::format("{:g}", 1000 * default_tolerances_m().front()));
  if (registry_definition(row).empty()) return "";
  return metric_spec(row.replace(number, row.find("mm_") - number, "{t}"), *size_mm / 1000).definition;
}

}  // namespace aqbench
