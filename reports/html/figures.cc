#include "reports/html/figures.h"

#include "reports/content/case_groups.h"
#include "reports/html/charts.h"

namespace aqbench {
std::vector<std::pair<std::string, Drawing>> report_figures(const BundleContent& content) {
  auto groups = group_cases(content.results);
  take_common_axes(groups);
  std::pair<const char*, Chart> charts[] = {
      {"accuracy",
       bars_chart(groups, "accuracy_mean_mm", "mean distance to the true surface [mm], less is better")},
      {"precision",
       bars_chart(groups, "precision_2mm_pct", "precision: points within 2 mm [%], more is better")},
      {"completeness", bars_chart(groups, "completeness_2mm_pct",
                                  "completeness: surface within 2 mm of a point [%], more is better")},
      {"baseline", baseline_chart(content)},
      {"stages", stages_chart(groups)},
      {"times", times_chart(content.results)}};
  std::vector<std::pair<std::string, Drawing>> figures;
  for (auto& [name, chart] : charts)
    if (!chart.drawing.shapes.empty()) figures.emplace_back(name, std::move(chart.drawing));
  return figures;
}

}  // namespace aqbench
