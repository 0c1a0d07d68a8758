#include "pipeline/method/declared_layout.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

namespace aqbench {

DeclaredLayout read_layout(const JsonPlace& place) {
  DeclaredLayout dataset;
  constexpr std::string_view kLayouts[] = {"aqbench", "colmap", "transforms", "mvsnet"};
  if (const auto layout = place.find("reads_layout")) {
    dataset.layout = layout->text();
    if (std::ranges::find(kLayouts, dataset.layout) == std::end(kLayouts))
      layout->fail("must be aqbench, colmap, transforms or mvsnet");
  }
  if (const auto refraction = place.find("refraction")) {
    if (refraction->text() != "ignore") refraction->fail("must be ignore, or absent");
    if (dataset.layout == "aqbench")
      refraction->fail("belongs to a reads_layout without water, not to aqbench");
    dataset.ignores_refraction = true;
  }
  const auto range = place.find("depth_range_m");
  if (range.has_value() != (dataset.layout == "mvsnet"))
    range ? range->fail("belongs to \"reads_layout\": \"mvsnet\"")
          : place.at("reads_layout").fail("mvsnet needs \"depth_range_m\": [LEAST, MOST], along z");
  if (!range) return dataset;
  const auto limits = range->elements();
  if (limits.size() != 2) range->fail("must be [LEAST, MOST]");
  dataset.least_depth_m = limits[0].number();
  dataset.most_depth_m = limits[1].number();
  if (!(dataset.least_depth_m > 0 && dataset.most_depth_m > dataset.least_depth_m))
    range->fail("must be two positive lengths in metres, the smaller first");
  return dataset;
}

Json layout_members(const DeclaredLayout& dataset) {
  Json json = Json::object();
  if (dataset.layout != DeclaredLayout().layout) json["reads_layout"] = dataset.layout;
  if (dataset.ignores_refraction) json["refraction"] = "ignore";
  if (dataset.most_depth_m > 0) json["depth_range_m"] = {dataset.least_depth_m, dataset.most_depth_m};
  return json;
}

}  // namespace aqbench
