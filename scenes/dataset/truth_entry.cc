#include "scenes/dataset/truth_entry.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "scenes/cloud/crop.h"

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

std::optional<double> length_at(const JsonPlace& place, const char* name_mm) {
  const auto length = place.find(name_mm);
  if (!length) return std::nullopt;
  const double metres = 1e-3 * length->number();
  if (!(metres > 0)) length->fail("must be positive");
  return metres;
}

// Reads the tolerances in any order.
std::vector<double> tolerances_at(const JsonPlace& place) {
  std::vector<double> tolerances_m;
  for (const JsonPlace& element : place.elements()) {
    tolerances_m.push_back(1e-3 * element.number());
    if (!(tolerances_m.back() > 0)) element.fail("must be positive");
  }
  std::ranges::sort(tolerances_m);
  if (tolerances_m.empty()) place.fail("names no tolerance");
  if (std::ranges::adjacent_find(tolerances_m) != tolerances_m.end()) place.fail("duplicate tolerance");
  return tolerances_m;
}

// Only boxes and ranges: a file that limits what is scored would have to be hashed and hidden, too.
std::vector<std::string> crops_at(const JsonPlace& place) {
  std::vector<std::string> crops = names_at(place);
  for (const std::string& crop : crops) {
    if (!crop.starts_with("box:") && !(crop.size() > 1 && crop[0] >= 'x' && crop[0] <= 'z' && crop[1] == ':'))
      place.fail("'{}' is not box:X0,Y0,Z0,X1,Y1,Z1 or z:LOW,HIGH (also x, y)", crop);
    Crop tried;
    try {
      add_crop(tried, crop);
    } catch (const Error& error) {
      place.fail(error.what());
    }
  }
  return crops;
}

SurfaceScoring scoring_at(const JsonPlace& place) {
  SurfaceScoring scoring;
  scoring.max_distance_m = length_at(place, "max_distance_mm");
  scoring.outlier_m = length_at(place, "outlier_mm");
  scoring.spacing_m = length_at(place, "spacing_mm");
  scoring.tile_m = length_at(place, "tile_mm");
  if (const auto tolerances = place.find("thresholds_mm")) scoring.tolerances_m = tolerances_at(*tolerances);
  if (const auto crop = place.find("crop")) scoring.crops = crops_at(*crop);
  if (const auto border = place.find("border")) {
    if (border->text() != "score" && border->text() != "leave-out")
      border->fail("must be score or leave-out");
    scoring.leave_out_beyond_border = border->text() == "leave-out";
  }
  return scoring;
}

SurfaceTruth surface_at(const JsonPlace& place) {
  place.allow_only({"file", "depths", "unit", "max_distance_mm", "border", "thresholds_mm", "outlier_mm",
                    "spacing_mm", "tile_mm", "crop"});
  SurfaceTruth surface;
  if (const auto depths = place.find("depths")) {
    if (!depths->boolean()) depths->fail("must be true or absent");
    if (place.find("file") || place.find("unit"))
      place.fail("file and unit are not allowed with depths, which are in metres");
    surface.from_depths = true;
    surface.unit = "m";
  } else {
    surface.files = names_at(place.at("file"));
  }
  if (const auto unit = place.find("unit")) {
    surface.unit = unit->text();
    if (!metres_per_unit(surface.unit)) unit->fail("'{}' is not one of m, cm, mm, um", surface.unit);
  }
  surface.scoring = scoring_at(place);
  return surface;
}

}  // namespace

TruthEntry truth_entry_at(const JsonPlace& place) {
  place.allow_only({"surface", "charuco", "control_points"});
  TruthEntry entry;
  if (const auto surface = place.find("surface")) entry.surface = surface_at(*surface);
  for (const auto& [key, file] :
       {std::pair("charuco", &entry.board_file), {"control_points", &entry.control_file}})
    if (const auto named = place.find(key)) {
      *file = named->text();
      if (file->empty()) named->fail("is empty");
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
