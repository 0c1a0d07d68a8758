#include "metrics/views.h"

#include <fmt/format.h>

#include <algorithm>

namespace aqbench {

std::vector<ViewShare> completeness_by_views(const Completeness& completeness, std::span<const int> views,
                                             double tolerance_m) {
  if (views.empty()) return {};
  const auto rows = static_cast<std::size_t>(std::max(0, *std::ranges::max_element(views))) + 1;
  std::vector<double> area_m2(rows, 0), reached_m2(rows, 0);
  double total_m2 = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto row = static_cast<std::size_t>(std::max(0, views[i]));
    const double weight_m2 = completeness.samples.weights[i];
    total_m2 += weight_m2;
    area_m2[row] += weight_m2;
    if (completeness.distance_m[i] <= tolerance_m) reached_m2[row] += weight_m2;
  }
  std::vector<ViewShare> shares;
  for (std::size_t row = 0; row < rows; ++row) {
    ViewShare share{static_cast<int>(row), 100 * area_m2[row] / total_m2, std::nullopt};
    if (area_m2[row] > 0) share.completeness_pct = 100 * reached_m2[row] / area_m2[row];
    shares.push_back(share);
  }
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
