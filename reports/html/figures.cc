#include "reports/html/figures.h"

#include <fmt/format.h>

#include "core/drawing/svg.h"
#include "reports/content/case_groups.h"
#include "reports/html/charts.h"

namespace aqbench {
namespace {

// The picture inside of a chart's HTML, with its own styles; "" where there is none.
std::string stand_alone(const std::string& html) {
  const std::size_t begin = html.find("<svg"), end = html.find("</svg>");
  if (begin == std::string::npos || end == std::string::npos) return "";
  std::string svg = html.substr(begin, end + 6 - begin);
  svg.insert(svg.find('>') + 1,
             fmt::format("<style>svg{{background:#fff}}@media (prefers-color-scheme:dark){{svg{{"
                         "background:#0d1117}}}}{}</style>",
                         chart_style()));
  return svg + "\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> report_figures(const BundleContent& content) {
  auto groups = group_cases(content.results);
  take_common_axes(groups);
  const std::pair<const char*, std::string> charts[] = {
      {"accuracy",
       bars_chart(groups, "accuracy_mean_mm", "mean distance to the true surface [mm], less is better")},
      {"precision",
       bars_chart(groups, "precision_2mm_pct", "precision: points within 2 mm [%], more is better")},
      {"completeness", bars_chart(groups, "completeness_2mm_pct",
                                  "completeness: surface within 2 mm of a point [%], more is better")},
      {"baseline", baseline_chart(content)},
      {"stages", stages_chart(groups)},
      {"times", times_chart(content.results)}};
  std::vector<std::pair<std::string, std::string>> figures;
  for (const auto& [name, html] : charts)
    if (std::string svg = stand_alone(html); !svg.empty())
      figures.emplace_back(fmt::format("{}.svg", name), std::move(svg));
  return figures;
}

}  // namespace aqbench
