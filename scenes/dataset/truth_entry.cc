#include "scenes/dataset/truth_entry.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace aqbench {
namespace {

std::vector<std::string> names_at(const JsonPlace& place) {
  std::vector<std::string> names;
  if (place.value().is_array())
    for (const JsonPlace& element : place.elements()) names.push_back(element.text());
  else
    names.push_back(place.text());
  if (names.empty()) place.fail("names no file");
  for (const std::string& name : names)
    if (name.empty()) place.fail("is empty");
  return names;
}

SurfaceEntry surface_at(const JsonPlace& place) {
  place.allow_only({"file", "unit", "max_distance_mm", "border"});
  SurfaceEntry surface;
  surface.files = names_at(place.at("file"));
  if (const auto unit = place.find("unit")) {
    surface.unit = unit->text();
    if (!metres_per_unit(surface.unit))
      unit->fail(fmt::format("'{}' is none of m, cm, mm, um", surface.unit));
  }
  if (const auto distance = place.find("max_distance_mm")) {
    surface.max_distance_m = 1e-3 * distance->number();
    if (!(*surface.max_distance_m > 0)) distance->fail("must be above 0");
  }
  if (const auto border = place.find("border")) {
    if (border->text() != "score" && border->text() != "leave-out")
      border->fail("is neither score nor leave-out");
    surface.leave_out_beyond_border = border->text() == "leave-out";
  }
  return surface;
}

}  // namespace

TruthEntry truth_entry_at(const JsonPlace& place) {
  place.allow_only({"surface", "charuco"});
  TruthEntry entry;
  if (const auto surface = place.find("surface")) entry.surface = surface_at(*surface);
  if (const auto charuco = place.find("charuco")) {
    entry.board_file = charuco->text();
    if (entry.board_file.empty()) charuco->fail("is empty");
  }
  return entry;
}

std::optional<double> metres_per_unit(std::string_view unit) {
  if (unit == "m") return 1;
  if (unit == "cm") return 1e-2;
  if (unit == "mm") return 1e-3;
  if (unit == "um") return 1e-6;
  return std::nullopt;
}

}  // namespace aqbench
