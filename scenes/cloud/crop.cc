#include "scenes/cloud/crop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"
#include "scenes/cloud/npy.h"

namespace aqbench {
namespace {

constexpr std::string_view kAxisNames = "xyz";

bool is_inside(const CropBox& box, const Vec3& point) {
  return (point.array() >= box.low_m.array()).all() && (point.array() <= box.high_m.array()).all();
}

Vec2 without_axis(const Vec3& point, int axis) {
  return {point[axis == 0 ? 1 : 0], point[axis == 2 ? 1 : 2]};
}

bool is_inside(const CropPrism& prism, const Vec3& point) {
  if (!(point[prism.axis] >= prism.low_m && point[prism.axis] <= prism.high_m)) return false;
  const Vec2 at = without_axis(point, prism.axis);
  bool inside = false;
  for (std::size_t i = 0, j = prism.polygon_m.size() - 1; i < prism.polygon_m.size(); j = i++) {
    const Vec2 &a = prism.polygon_m[i], &b = prism.polygon_m[j];
    if ((a.y() > at.y()) == (b.y() > at.y())) continue;
    if (at.x() < a.x() + (b.x() - a.x()) * (at.y() - a.y()) / (b.y() - a.y())) inside = !inside;
  }
  return inside;
}

std::vector<double> crop_numbers(std::string_view list, std::size_t count, const std::string& text) {
  std::vector<double> numbers;
  for (const std::string_view word : split_at(list, ',')) {
    const auto value = parse_double(word);
    if (!value || !std::isfinite(*value))
      throw input_error("crop '{}': '{}' is not a finite number", text, word);
    numbers.push_back(*value);
  }
  if (numbers.size() != count)
    throw input_error("crop '{}': {} numbers, expected {}", text, numbers.size(), count);
  return numbers;
}

CropBox box_from(const std::vector<double>& n, const std::string& text) {
  const CropBox box{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
  if (!(box.low_m.array() <= box.high_m.array()).all())
    throw input_error("crop '{}': a lower bound is above its upper bound", text);
  return box;
}

// A prism of Open3D's SelectionPolygonVolume; the coordinate of its axis in the polygon says nothing.
CropPrism read_prism(const std::string& file) {
  const Json json = read_strict_json(file, kSmallFileJson);
  const JsonPlace root(json, file);
  CropPrism prism;
  const std::string axis = root.at("orthogonal_axis").text();
  const std::size_t found = axis.size() == 1 ? std::string_view("XYZ").find(axis[0]) : std::string::npos;
  if (found == std::string::npos) root.at("orthogonal_axis").fail("expected X, Y or Z");
  prism.axis = static_cast<int>(found);
  prism.low_m = root.at("axis_min").number();
  prism.high_m = root.at("axis_max").number();
  if (!(prism.low_m <= prism.high_m)) root.at("axis_min").fail("is above axis_max");
  for (const JsonPlace& corner : root.at("bounding_polygon").elements()) {
    const std::vector<JsonPlace> values = corner.elements();
    if (values.size() != 3) corner.fail("expected three numbers");
    prism.polygon_m.push_back(
        without_axis({values[0].number(), values[1].number(), values[2].number()}, prism.axis));
  }
  if (prism.polygon_m.size() < 3) root.at("bounding_polygon").fail("expected three corners or more");
  return prism;
}

// Reads "FILE.npy,X0,Y0,Z0,SPACING"; the file's name may hold commas.
CropMask mask_from(std::string_view words, const std::string& text, double metres_per_unit) {
  std::size_t comma = words.size();
  for (int number = 0; number < 4 && comma != std::string_view::npos && comma > 0; ++number)
    comma = words.rfind(',', comma - 1);
  if (comma == std::string_view::npos || comma == 0)
    throw input_error("crop '{}': expected mask:FILE.npy,X0,Y0,Z0,SPACING", text);
  const std::vector<double> n = crop_numbers(words.substr(comma + 1), 4, text);
  return read_crop_mask(std::string(words.substr(0, comma)), metres_per_unit * Vec3(n[0], n[1], n[2]),
                        metres_per_unit * n[3]);
}

Json mask_json(const CropMask& mask) {
  return {{"file", mask.file},
          {"low_m", {mask.low_m.x(), mask.low_m.y(), mask.low_m.z()}},
          {"spacing_m", mask.spacing_m},
          {"voxels", mask.size},
          {"observed", std::ranges::count(*mask.is_observed, 1)}};
}

}  // namespace

bool is_inside(const CropMask& mask, const Vec3& point_m) {
  std::size_t index = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double voxel = std::nearbyint((point_m[axis] - mask.low_m[axis]) / mask.spacing_m);
    const std::size_t count = mask.size[static_cast<std::size_t>(axis)];
    if (!(voxel >= 0) || voxel >= static_cast<double>(count)) return false;
    index = index * count + static_cast<std::size_t>(voxel);
  }
  return (*mask.is_observed)[index] != 0;
}

CropMask read_crop_mask(const std::string& file, const Vec3& low_m, double spacing_m) {
  if (!(spacing_m > 0)) throw input_error.of_file(file, "the spacing of the mask's voxels must be positive");
  const NpyArray array = read_npy(file);
  if (array.shape.size() != 3) throw input_error.of_file(file, "expected an array of three dimensions");
  CropMask mask{file, low_m, spacing_m, {}, {}};
  std::ranges::copy(array.shape, mask.size.begin());
  std::vector<std::uint8_t> observed;
  std::visit(
      [&](const auto& values) {
        observed.reserve(values.size());
        for (const auto value : values) {
          if (!std::isfinite(value)) throw input_error.of_file(file, "a value of the mask is not finite");
          observed.push_back(value != 0 ? 1 : 0);
        }
      },
      array.values);
  mask.is_observed = std::make_shared<const std::vector<std::uint8_t>>(std::move(observed));
  return mask;
}

bool Crop::contains(const Vec3& point_m) const {
  return std::ranges::all_of(parts, [&](const auto& part) {
    return std::visit([&](const auto& shape) { return is_inside(shape, point_m); }, part);
  });
}

void add_crop(Crop& crop, const std::string& text, double metres_per_unit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t colon = text.find(':');
  const std::string_view kind = std::string_view(text).substr(0, colon == std::string::npos ? 0 : colon);
  if (kind == "box") {
    CropBox box = box_from(crop_numbers(std::string_view(text).substr(4), 6, text), text);
    box.low_m *= metres_per_unit;
    box.high_m *= metres_per_unit;
    crop.parts.emplace_back(box);
  } else if (kind.size() == 1 && kAxisNames.find(kind[0]) != std::string_view::npos) {
    const auto axis = static_cast<Eigen::Index>(kAxisNames.find(kind[0]));
    const std::vector<double> range = crop_numbers(std::string_view(text).substr(2), 2, text);
    if (!(range[0] <= range[1])) throw input_error("crop '{}': the lower bound is above the upper one", text);
    CropBox box{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
    box.low_m[axis] = range[0] * metres_per_unit;
    box.high_m[axis] = range[1] * metres_per_unit;
    crop.parts.emplace_back(box);
  } else if (kind == "mask") {
    crop.parts.emplace_back(mask_from(std::string_view(text).substr(5), text, metres_per_unit));
  } else {
    CropPrism prism = read_prism(text);
    prism.low_m *= metres_per_unit;
    prism.high_m *= metres_per_unit;
    for (Vec2& corner : prism.polygon_m) corner *= metres_per_unit;
    crop.parts.emplace_back(std::move(prism));
  }
}

Json to_json(const Crop& crop) {
  const auto bound = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json list = Json::array();
  for (const auto& part : crop.parts) {
    if (const auto* const box = std::get_if<CropBox>(&part)) {
      Json low = Json::array(), high = Json::array();
      for (int axis = 0; axis < 3; ++axis) {
        low.push_back(bound(box->low_m[axis]));
        high.push_back(bound(box->high_m[axis]));
      }
      list.push_back({{"box", {{"low_m", low}, {"high_m", high}}}});
      continue;
    }
    if (const auto* const mask = std::get_if<CropMask>(&part)) {
      list.push_back({{"mask", mask_json(*mask)}});
      continue;
    }
    const auto& prism = std::get<CropPrism>(part);
    Json corners = Json::array();
    for (const Vec2& corner : prism.polygon_m) corners.push_back({corner.x(), corner.y()});
    list.push_back({{"prism",
                     {{"axis", std::string(1, kAxisNames[static_cast<std::size_t>(prism.axis)])},
                      {"low_m", prism.low_m},
                      {"high_m", prism.high_m},
                      {"polygon_m", corners}}}});
  }
  return list;
}

}  // namespace aqbench
