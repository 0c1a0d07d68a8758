#include "scenes/optics/port_rigs.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace aqbench {
namespace {

constexpr double kRadians = std::numbers::pi / 180;

ParameterSpec metres(const char* name, double value, double least, double most, const char* what) {
  return number_parameter(name, "m", value, least, most, what);
}

ParameterSpec index(const char* name, double value, const char* what) {
  return number_parameter(name, "1", value, 0.5, 5, what);
}

std::vector<ParameterSpec> about_a_point(std::vector<ParameterSpec> own) {
  const char* const what = "point about which the rig stands";
  own.push_back(metres("look_at_x_m", 0, -100, 100, what));
  own.push_back(metres("look_at_y_m", 0, -100, 100, what));
  own.push_back(metres("look_at_z_m", 1.178, -100, 100, what));
  return own;
}

Vec3 point_of(const Parameters& parameters) {
  return {parameters.number("look_at_x_m"), parameters.number("look_at_y_m"),
          parameters.number("look_at_z_m")};
}

// Down, tilted by an angle towards an azimuth.
Vec3 down_tilted(double tilt_deg, double azimuth_deg) {
  const double tilt = tilt_deg * kRadians, azimuth = azimuth_deg * kRadians;
  return {std::sin(tilt) * std::cos(azimuth), std::sin(tilt) * std::sin(azimuth), std::cos(tilt)};
}

}  // namespace

std::vector<ParameterSpec> port_stereo_parameters() {
  return about_a_point({metres("range_m", 1, 0.01, 100, "of the pair's middle from the point"),
                        metres("baseline_m", 0.1, 0.0001, 100, "between the two cameras"),
                        number_parameter("tilt_deg", "deg", 20, 0, 80, "of five of its six poses")});
}

std::vector<CameraPlace> port_stereo_places(const Parameters& parameters) {
  constexpr int kTilted = 5;
  std::vector<CameraPlace> places;
  for (int pose = 0; pose <= kTilted; ++pose) {
    const Vec3 forward =
        pose == 0 ? Vec3::UnitZ() : down_tilted(parameters.number("tilt_deg"), (pose - 1) * 360.0 / kTilted);
    const Vec3 middle_m = point_of(parameters) - parameters.number("range_m") * forward;
    const Vec3 right = looking_at(Vec3::Zero(), forward).row(0);
    for (const double side : {-0.5, 0.5}) {
      const Vec3 centre_m = middle_m + side * parameters.number("baseline_m") * right;
      places.push_back({centre_m, centre_m + forward});
    }
  }
  return places;
}

std::vector<ParameterSpec> port_survey_parameters() {
  return about_a_point(
      {metres("range_m", 1, 0.01, 100, "of each camera from the point below its station"),
       number_parameter("overlap_pct", "%", 70, 0, 99, "of the images of neighbouring stations"),
       number_parameter("tilt_deg", "deg", 30, 0, 80, "of the oblique images")});
}

std::vector<CameraPlace> port_survey_places(const Parameters& parameters) {
  // What an image shows, as wide and high as straight rays would have it; a pane makes it smaller by n.
  const bool flat = parameters.text("port_model") != "dome";
  const double narrower = flat ? parameters.number("n_water") / parameters.number("n_air") : 1;
  const auto width = static_cast<double>(parameters.integer("width"));
  const double focal_px = rig_focal_px(parameters), range_m = parameters.number("range_m");
  const double step = (1 - parameters.number("overlap_pct") / 100) * range_m / (focal_px * narrower);
  const Vec3 step_m(step * width, step * static_cast<double>(parameters.integer("height")), 0);
  std::vector<CameraPlace> places;
  for (const int row : {-1, 0, 1})
    for (const int column : {-1, 0, 1})
      for (const double tilt_deg : {0.0, parameters.number("tilt_deg")}) {
        const Vec3 point_m = point_of(parameters) + Vec3(column, row, 0).cwiseProduct(step_m);
        places.push_back({point_m - range_m * down_tilted(tilt_deg, 90), point_m});
      }
  return places;
}

std::vector<ParameterSpec> housing_parameters() {
  return {
      text_parameter("port_model", "flat",
                     "flat: a pane by flat_*; dome: a dome by dome_*; flat_calibrated: a pane as Calibmar's "
                     "example has it",
                     {"flat", "dome", "flat_calibrated"}),
      number_parameter("flat_nx", "1", 0, -0.9, 0.9, "x of the pane's normal, in the camera's frame"),
      number_parameter("flat_ny", "1", 0, -0.9, 0.9, "y of the pane's normal"),
      metres("flat_dist_m", 0.025, 0, 100, "of the pane from the camera's centre"),
      metres("flat_thick_m", 0.010, 0, 1, "of the pane"),
      index("flat_n_glass", 1.49, "refractive index of the pane"),
      metres("dome_x_m", 0, -1, 1, "x of the dome's centre, in the camera's frame"),
      metres("dome_y_m", 0, -1, 1, "y of the dome's centre"),
      metres("dome_z_m", 0.005, -1, 1, "z of the dome's centre"),
      metres("dome_radius_m", 0.05, 0.001, 100, "of the inside of the dome"),
      metres("dome_thick_m", 0.007, 0, 1, "of the dome"),
      index("dome_n_glass", 1.473, "refractive index of the dome"),
      index("n_air", 1, "refractive index inside of the port"),
      index("n_water", 1.333, "refractive index outside of the port"),
  };
}

Interface housing_port(const Parameters& p, const CameraFromWorld&) {
  const std::string& model = p.text("port_model");
  if (model == "flat_calibrated")
    return Port{
        PortModel::flat, Vec3(0.013114, -0.004461, 0.999904).normalized(), 0.025316, 0.01, 1, 1.49, 1.333};
  const double n_air = p.number("n_air"), n_water = p.number("n_water");
  if (model == "dome")
    return Port{PortModel::dome,
                {p.number("dome_x_m"), p.number("dome_y_m"), p.number("dome_z_m")},
                p.number("dome_radius_m"),
                p.number("dome_thick_m"),
                n_air,
                p.number("dome_n_glass"),
                n_water};
  const double x = p.number("flat_nx"), y = p.number("flat_ny"), z2 = 1 - x * x - y * y;
  return Port{PortModel::flat,
              {x, y, std::sqrt(std::max(z2, 0.0))},
              p.number("flat_dist_m"),
              p.number("flat_thick_m"),
              n_air,
              p.number("flat_n_glass"),
              n_water};
}

std::vector<ParameterSpec> tank_wall_parameters() {
  return about_a_point({metres("wall_z_m", 0.4, -100, 100, "of the outside of the wall"),
                        metres("wall_dist_m", 0.4, 0, 100, "of the cameras from the wall"),
                        metres("wall_thick_m", 0.010, 0, 1, "of the wall"),
                        metres("radius_m", 0.4, 0, 100, "of the circle of cameras, about the point"),
                        index("n_air", 1, "refractive index of the air"),
                        index("n_glass", 1.49, "refractive index of the wall"),
                        index("n_water", 1.333, "refractive index of the water")});
}

std::vector<CameraPlace> tank_wall_places(const Parameters& parameters) {
  const Vec3 point_m = point_of(parameters);
  std::vector<CameraPlace> places;
  for (const double azimuth_deg : {45, 135, 225, 315}) {
    Vec3 centre_m = point_m + parameters.number("radius_m") * down_tilted(90, azimuth_deg);
    centre_m.z() = parameters.number("wall_z_m") - parameters.number("wall_dist_m");
    places.push_back({centre_m, point_m});
  }
  return places;
}

Interface tank_wall_port(const Parameters& p, const CameraFromWorld& pose) {
  return Port{
      PortModel::flat,          pose.rotation.col(2), p.number("wall_z_m") - camera_centre_m(pose).z(),
      p.number("wall_thick_m"), p.number("n_air"),    p.number("n_glass"),
      p.number("n_water")};
}

}  // namespace aqbench
