// The script that finds the pixel of a point by a view's rays, against the true optics.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/viewing/camera_rays.h"
#include "harness/viewing/cloud_view.h"
#include "reports/html/page.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "tests/reports/html/browser.h"

namespace aqbench {
namespace {

struct Optics {
  std::string name;
  Camera camera;
  double least_m, most_m;  // of the scene, along the rays
  double most_pct = 0.05;  // of the image's width that a pixel may be off
};

Camera camera_of(double focal_px, std::vector<double> distortion, Interface interface) {
  Camera camera;
  camera.name = "cam00";
  Intrinsics& inside = camera.intrinsics;
  inside.width_px = 1600;
  inside.height_px = 1200;
  inside.K << focal_px, 0, 790, 0, focal_px, 610, 0, 0, 1;
  if (distortion.size() == 4) inside.lens = LensModel::fisheye;
  inside.distortion = std::move(distortion);
  camera.interface = interface;
  return camera;
}

// Turns the camera about its x axis.
Camera tilted(Camera camera, double angle) {
  camera.camera_from_world.rotation << 1, 0, 0, 0, std::cos(angle), -std::sin(angle), 0, std::sin(angle),
      std::cos(angle);
  return camera;
}

std::vector<Optics> all_optics() {
  const std::vector<double> none(5, 0), strong = {-0.28, 0.09, 0.001, -0.0005, -0.01};
  const std::vector<double> fisheye = {0.02, -0.004, 0.001, -0.0002};
  const WaterInterface water{.water_z_m = 0.4};
  const Port pane{.model = PortModel::flat, .axis = Vec3(0.05, -0.03, 1).normalized()};
  const Port dome{.model = PortModel::dome, .axis = Vec3(0.004, 0.002, 0.01), .distance_m = 0.05};
  const WaterInterface out_of_water{.water_z_m = 0.1, .n_air = 1.333, .n_water = 1};
  return {{"pinhole", camera_of(1300, none, NoInterface{}), 0.8, 1.2},
          {"strong lens", camera_of(1000, strong, NoInterface{}), 0.5, 3},
          {"fisheye", camera_of(560, fisheye, NoInterface{}), 0.3, 2},
          {"level water", camera_of(1300, none, water), 0.9, 1.1},
          {"level water, strong lens, tilted", tilted(camera_of(1000, strong, water), 0.5), 0.9, 1.5},
          {"level water, fisheye", camera_of(560, fisheye, water), 0.7, 1.2, 0.5},
          {"flat port", camera_of(1300, strong, pane), 0.3, 2},
          {"dome port", camera_of(1300, strong, dome), 0.3, 2},
          {"dome port, fisheye", camera_of(560, fisheye, dome), 0.3, 2},
          {"total reflection", camera_of(700, none, out_of_water), 0.3, 1, 2},
          {"partly above the water", tilted(camera_of(560, fisheye, water), 0.9), 0.7, 1.2, 0.5}};
}

// Pixels of the camera, and points that it shows there at several depths, at most as far to the side as the
// scene is away: flat rays leave the water at any distance.
Json points_of(const Optics& optics, CloudView& view) {
  const Undistorter lens(optics.camera.intrinsics);
  const RefractiveCamera camera = refractive_camera(optics.camera);
  Json points = Json::array();
  for (int row = 0; row < 23; ++row)
    for (int column = 0; column < 31; ++column) {
      const Vec2 pixel(1 + 1597.0 * column / 30, 1 + 1197.0 * row / 22);
      const auto straight = lens.undistort_pixel(pixel);
      const auto ray = straight ? cast_ray(camera, *straight) : std::nullopt;
      if (!ray) continue;
      const double share = ((row * 31 + column) % 7) / 6.0;
      const Vec3 point = 1000 * point_on_ray(*ray, optics.least_m + share * (optics.most_m - optics.least_m));
      if (std::hypot(point.x(), point.y()) > 1000 * optics.most_m) continue;
      points.push_back({pixel.x(), pixel.y(), point.x(), point.y(), point.z()});
      GridPoint& on_grid = view.points.emplace_back();
      for (int axis = 0; axis < 3; ++axis)
        on_grid[static_cast<std::size_t>(axis)] = static_cast<std::int32_t>(point[axis] / kViewStep_mm);
    }
  view.errors.assign(view.points.size(), 0);
  view.marks.assign(view.points.size(), 0);
  return points;
}

// For each camera its name, its points, those not found though there are rays around them, and the largest
// error in percent of the width.
constexpr const char* kMeasure = R"js(
const lines = given.map(([name, base64, points]) => {
  const view = view_data.decode(view_data.bytes_of(base64)), [camera] = view_rays.cameras_of(view);
  const lacks = (column, row) => column > 12 || row > 9 || camera.missing?.includes(row * 13 + column);
  const has_rays = (column, row) => ![0.02, -0.02].some((margin) => [0, 1].some((i) => [0, 1].some((k) =>
    lacks(Math.floor(column + margin) + i, Math.floor(row + margin) + k))));
  let lost = 0, most_pct = 0;
  for (const [x, y, ...point] of points) {
    const found = view_rays.pixel_of(camera, point);
    if (found) most_pct = Math.max(most_pct, 100 * Math.hypot(found.x - x, found.y - y) / camera.size_px[0]);
    else lost += has_rays(x / 1599 * 12, y / 1199 * 9) ? 1 : 0;
  }
  const outside = [[1e5, 0, 1000], [0, 0, -1000]].filter((point) => view_rays.pixel_of(camera, point)).length;
  return [name, points.length, lost, most_pct, outside].join(';');
});
document.body.append(Object.assign(document.createElement('pre'), {id: 'measured', textContent: lines.join('\n')}));
)js";

TEST_F(Browser, CamerasOfAllOpticsShowAPointAtItsPixel) {
  Json given = Json::array();
  for (const Optics& optics : all_optics()) {
    CloudView view;
    Json points = points_of(optics, view);
    view.scene_json = Json({{"cameras", add_camera_rays({{optics.camera}}, view)}}).dump();
    given.push_back({optics.name, base64_text(encode_view(view)), std::move(points)});
  }
  std::string page = "<!doctype html><body>\n";
  for (const std::string_view script : {page_asset("view_data.js"), page_asset("view_rays.js")})
    page += "<script>" + std::string(script) + "</script>\n";
  write_file(folder_ / "rays.html",
             page + "<script>const given = " + given.dump() + ";" + kMeasure + "</script>\n");
  const std::string shown = opened("rays.html", {"--dump-dom", "--disable-gpu"});
  const std::string lead = "<pre id=\"measured\">";
  const std::size_t begin = shown.find(lead);
  ASSERT_NE(begin, std::string::npos)
      << shown.substr(shown.size() - std::min<std::size_t>(shown.size(), 500));
  const std::string measured =
      shown.substr(begin + lead.size(), shown.find("</pre>", begin) - begin - lead.size());
  const std::vector<std::string_view> lines = split_at(measured, '\n');
  const std::vector<Optics> optics = all_optics();
  ASSERT_EQ(lines.size(), optics.size()) << measured;
  for (std::size_t i = 0; i < optics.size(); ++i) {
    const std::vector<std::string_view> fields = split_at(lines[i], ';');
    ASSERT_EQ(fields.size(), 5u) << lines[i];
    EXPECT_EQ(fields[0], optics[i].name);
    EXPECT_GT(parse_double(fields[1]).value(), 200) << lines[i];
    EXPECT_EQ(fields[2], "0") << lines[i] << ": points are not found";
    EXPECT_LT(parse_double(fields[3]).value(), optics[i].most_pct) << lines[i];
    EXPECT_EQ(fields[4], "0") << lines[i] << ": shows what lies beside or behind it";
  }
}

}  // namespace
}  // namespace aqbench
