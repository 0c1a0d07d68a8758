#include "cli/change_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "core/quantiles.h"

namespace aqbench::cli {
namespace {

Json estimate_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  Json json = {{"value", estimate->value}, {"low", nullptr}, {"high", nullptr}};
  if (estimate->low) json["low"] = *estimate->low;
  if (estimate->high) json["high"] = *estimate->high;
  return json;
}

// Returns why there are no volumes, or no areas; nothing if there are.
std::string why_no_heights(const HeightChange& heights, double cell_m) {
  if (heights.cells > 0) return heights.no_area_reason;
  if (heights.cells_unmatched > 0)
    return fmt::format("no cell of {:.3g} mm has 5 points of both; give a larger --cell-mm", 1000 * cell_m);
  return fmt::format("the ground that both share, seen from --up, is narrower than a cell of {:.3g} mm",
                     1000 * cell_m);
}

// Returns "1.23 (1.2 to 1.26)", or the value alone where its noise is unknown.
std::string estimate_text(const Estimate& estimate, double factor) {
  std::string text = fmt::format("{:.4g}", estimate.value * factor);
  if (estimate.low && estimate.high)
    text += fmt::format(" ({:.4g} to {:.4g})", *estimate.low * factor, *estimate.high * factor);
  return text;
}

}  // namespace

Distances summary_of(const std::vector<M3c2Change>& changes) {
  Distances found{.cores = changes.size()};
  std::vector<double> distances, limits, roundings;
  for (const M3c2Change& change : changes) {
    if (!std::isfinite(change.distance_m)) continue;
    distances.push_back(change.distance_m);
    limits.push_back(change.limit_m);
    roundings.push_back(change.rounding_m);
    if (change.is_significant()) ++(change.distance_m > 0 ? found.up : found.down);
  }
  found.measured = distances.size();
  if (distances.empty()) return found;
  found.mean_m =
      std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(distances.size());
  found.median_m = median_of(std::move(distances));
  found.median_limit_m = median_of(std::move(limits));
  found.median_rounding_m = median_of(std::move(roundings));
  return found;
}

std::string csv_of(const std::vector<M3c2Change>& changes) {
  std::string text = "x_m,y_m,z_m,nx,ny,nz,distance_mm,limit_mm,points_before,points_after\n";
  const auto field = [](double value_m) {
    return std::isfinite(value_m) ? fmt::format("{}", 1000 * value_m) : "";
  };
  for (const M3c2Change& c : changes)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", c.core_m.x(), c.core_m.y(), c.core_m.z(),
                        c.normal.x(), c.normal.y(), c.normal.z(), field(c.distance_m), field(c.limit_m),
                        c.points_before, c.points_after);
  return text;
}

Json change_json(const M3c2Options& options, const Distances& found, const HeightChange& heights,
                 double cell_m) {
  const std::string no_heights = why_no_heights(heights, cell_m);
  const auto or_null = [&](double value_m) { return found.measured > 0 ? Json(1000 * value_m) : Json(); };
  return {{"scales",
           {{"normal_mm", 1000 * options.normal_diameter_m},
            {"cylinder_mm", 1000 * options.cylinder_diameter_m},
            {"depth_mm", 1000 * options.depth_m},
            {"cell_mm", 1000 * cell_m},
            {"registration_mm", 1000 * options.registration_m}}},
          {"distance",
           {{"cores", found.cores},
            {"measured", found.measured},
            {"significant_up", found.up},
            {"significant_down", found.down},
            {"median_mm", or_null(found.median_m)},
            {"mean_mm", or_null(found.mean_m)},
            {"median_limit_of_detection_mm", or_null(found.median_limit_m)},
            {"median_rounding_mm", or_null(found.median_rounding_m)}}},
          {"heights",
           {{"cells", heights.cells},
            {"cells_unmatched", heights.cells_unmatched},
            {"ground_area_m2", heights.ground_area_m2},
            {"volume_m3", heights.cells > 0 ? estimate_json(heights.volume_m3) : Json()},
            {"gained_m3", heights.cells > 0 ? Json(heights.gained_m3) : Json()},
            {"lost_m3", heights.cells > 0 ? Json(heights.lost_m3) : Json()},
            {"area_before_m2", estimate_json(heights.area_before_m2)},
            {"area_after_m2", estimate_json(heights.area_after_m2)},
            {"rugosity_before", estimate_json(heights.rugosity_before)},
            {"rugosity_after", estimate_json(heights.rugosity_after)},
            {"reason", no_heights.empty() ? Json() : Json(no_heights)}}}};
}

void print_heights(const HeightChange& heights, double cell_m) {
  const std::string reason = why_no_heights(heights, cell_m);
  if (heights.cells == 0) {
    fmt::print("heights      none: {}\n", reason);
    return;
  }
  constexpr double kCm3 = 1e6;
  fmt::print(
      "volume       {} cm3 after minus before; gained {:.4g}, lost {:.4g} (over {:.4g} m2, cells of {:.3g} "
      "mm)\n",
      estimate_text(heights.volume_m3, kCm3), heights.gained_m3 * kCm3, heights.lost_m3 * kCm3,
      heights.ground_area_m2, 1000 * cell_m);
  if (heights.area_before_m2)
    fmt::print("area         {} -> {} m2\nrugosity     {} -> {}\n", estimate_text(*heights.area_before_m2, 1),
               estimate_text(*heights.area_after_m2, 1), estimate_text(*heights.rugosity_before, 1),
               estimate_text(*heights.rugosity_after, 1));
  else
    fmt::print("area         none: {}\n", reason);
  if (heights.cells_unmatched > 0)
    fmt::print("unmatched    {:.1f} % of the cells have one state only\n",
               100.0 * static_cast<double>(heights.cells_unmatched) /
                   static_cast<double>(heights.cells + heights.cells_unmatched));
  if (!heights.volume_m3.low) fmt::print("             a mesh does not show its noise: no intervals\n");
}

void print_distances(const M3c2Options& options, const Distances& found) {
  fmt::print("scales       normal {:.3g} mm, cylinder {:.3g} mm, depth {:.3g} mm\n",
             1000 * options.normal_diameter_m, 1000 * options.cylinder_diameter_m, 1000 * options.depth_m);
  const auto share = [&](std::size_t count, std::size_t of) {
    return of == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(of);
  };
  fmt::print("measured     {} of {} core points ({:.1f} %)\n", found.measured, found.cores,
             share(found.measured, found.cores));
  if (found.measured == 0) return;
  fmt::print("distance     median {:+.3g} mm, mean {:+.3g} mm; limit of detection {:.3g} mm (median)\n",
             1000 * found.median_m, 1000 * found.mean_m, 1000 * found.median_limit_m);
  fmt::print("significant  {:.1f} % positive, {:.1f} % negative; by chance 5 %\n",
             share(found.up, found.measured), share(found.down, found.measured));
}

}  // namespace aqbench::cli
