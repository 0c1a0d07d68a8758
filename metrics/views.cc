#include "metrics/views.h"

#include <fmt/format.h>

#include <algorithm>

namespace aqbench {

std::vector<ViewShare> completeness_by_views(const Completeness& completeness, std::span<const int> views,
                                             double tolerance_m) {
  if (views.empty()) return {};
  const auto rows = static_cast<std::size_t>(std::max(0, *std::ranges::max_element(views))) + 1;
  const std::vector<GroupArea> areas = areas_by_group(completeness, tolerance_m, rows, [&](std::size_t i) {
    return static_cast<std::size_t>(std::max(0, views[i]));
  });
  double total_m2 = 0;
  for (std::size_t i = 0; i < views.size(); ++i) total_m2 += completeness.samples.weight_m2(i);
  std::vector<ViewShare> shares;
  for (std::size_t row = 0; row < rows; ++row)
    shares.push_back({.views = static_cast<int>(row),
                      .surface_pct = 100 * areas[row].area_m2 / total_m2,
                      .completeness_pct = areas[row].completeness_pct()});
  return shares;
}

std::string views_to_csv(std::span<const ViewShare> rows) {
  std::string csv = "views,surface_pct,completeness_2mm_pct\n";
  for (const ViewShare& row : rows)
    csv += fmt::format("{},{:.6g},{}\n", row.views, row.surface_pct,
                       row.completeness_pct ? fmt::format("{:.6g}", *row.completeness_pct) : "");
  return csv;
}

}  // namespace aqbench
