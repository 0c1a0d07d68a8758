#include "scenes/dataset/recording_truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/text.h"
#include "scenes/cloud/json_matrices.h"
#include "scenes/cloud/length_units.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

double metres_at(const JsonPlace& place) {
  if (const auto metres = metres_per_unit(place.text())) return *metres;
  place.fail("'{}' is not one of m, cm, mm, um", place.text());
}

double length_above_0(const JsonPlace& place, double metres_per_unit) {
  const double length_m = metres_per_unit * place.number();
  if (!(length_m > 0)) place.fail("must be positive");
  return length_m;
}

Vec3 scaled_position(const JsonPlace& place, double metres_per_unit) {
  return metres_per_unit * Vec3(numbers_at(place, 3).data());
}

BoardCorner corner_at(const JsonPlace& place, double metres_per_unit) {
  place.allow_only({"id", "position", "pixels", "not_visible"});
  BoardCorner corner;
  const std::uint64_t id = place.at("id").count();
  if (id > 1'000'000) place.at("id").fail("must be at most 1000000");
  corner.id = static_cast<int>(id);
  if (const auto position = place.find("position"))
    corner.position_m = scaled_position(*position, metres_per_unit);
  for (const auto& [camera, pixel] : place.at("pixels").members())
    corner.pixels[camera] = Vec2(numbers_at(pixel, 2).data());
  return corner;
}

ControlPoint control_point_at(const JsonPlace& place, double metres_per_unit,
                              const std::optional<double>& usual_sigma_m) {
  place.allow_only({"name", "position", "sigma"});
  ControlPoint point;
  point.name = place.at("name").text();
  if (point.name.empty() || one_line(point.name) != point.name)
    place.at("name").fail("must be one non-empty line");
  point.position_m = scaled_position(place.at("position"), metres_per_unit);
  const auto sigma = place.find("sigma");
  if (!sigma && !usual_sigma_m) place.fail("sigma (standard deviation) is missing here and in the file");
  point.sigma_m = sigma ? length_above_0(*sigma, metres_per_unit) : *usual_sigma_m;
  return point;
}

// Returns the frames whose files differ.
std::size_t frames_of(const std::string& file, const Recording& recording) {
  return file_of_frame(file, 0) == file_of_frame(file, 1) ? 1 : recording.images.size();
}

void check_corners(const Recording& recording, const BoardTruth& board, const std::string& file) {
  for (const BoardCorner& corner : board.corners)
    for (const auto& [name, pixel] : corner.pixels) {
      const auto refuse = [&, &camera = name](const std::string& why) {
        throw input_error.of_file(file, "corners: pixels of corner {}: {}: {}", corner.id, camera, why);
      };
      const Camera* const camera = find_camera(recording.rig, name);
      if (camera == nullptr) refuse("unknown camera");
      const Intrinsics& inside = camera->intrinsics;
      if (!(pixel.x() >= -0.5 && pixel.y() >= -0.5 && pixel.x() <= inside.width_px - 0.5 &&
            pixel.y() <= inside.height_px - 0.5))
        refuse(fmt::format("[{:g}, {:g}] is outside its image of {} x {} px", pixel.x(), pixel.y(),
                           inside.width_px, inside.height_px));
    }
}

void check_in_view(const Recording& recording, const ControlTruth& control, const std::string& file) {
  for (const Camera& camera : recording.rig.cameras) {
    const RefractiveCamera refractive = refractive_camera(camera);
    for (const ControlPoint& point : control.points) {
      const auto seen = project(refractive, point.position_m);
      if (seen && is_in_image(refractive, seen->pixel.x(), seen->pixel.y())) return;
    }
  }
  throw input_error.of_file(file,
                            "points: no camera sees any of them; they must be in the cameras' world frame "
                            "and in the unit of the file");
}

}  // namespace

BoardTruth true_board(const RecordingTruth& truth, std::size_t frame) {
  const std::filesystem::path file = file_of_frame(truth.board_file, frame);
  const Json json = read_strict_json(file, kSmallFileJson);
  const JsonPlace root(json, file.string());
  root.allow_only({"unit", "pixel_unit", "squares_x", "squares_y", "square_size", "marker_size", "dictionary",
                   "world_from_board", "corners"});
  const double metres_per_unit = metres_at(root.at("unit"));
  BoardTruth board;
  const std::uint64_t squares = root.at("squares_x").count();
  if (squares < 2 || squares > 1000) root.at("squares_x").fail("must be from 2 to 1000");
  board.squares_x = static_cast<int>(squares);
  board.square_m = length_above_0(root.at("square_size"), metres_per_unit);
  for (const JsonPlace& corner : root.at("corners").elements())
    board.corners.push_back(corner_at(corner, metres_per_unit));
  std::ranges::sort(board.corners, {}, &BoardCorner::id);
  if (std::ranges::adjacent_find(board.corners, {}, &BoardCorner::id) != board.corners.end())
    root.at("corners").fail("duplicate id");
  return board;
}

ControlTruth true_control_points(const RecordingTruth& truth, std::size_t frame) {
  const std::filesystem::path file = file_of_frame(truth.control_file, frame);
  const Json json = read_strict_json(file, kSmallFileJson);
  const JsonPlace root(json, file.string());
  root.allow_only({"unit", "sigma", "radius", "points"});
  const double metres_per_unit = metres_at(root.at("unit"));
  ControlTruth control;
  std::set<std::string> names;
  std::optional<double> sigma_m;
  if (const auto sigma = root.find("sigma")) sigma_m = length_above_0(*sigma, metres_per_unit);
  if (const auto radius = root.find("radius")) control.radius_m = length_above_0(*radius, metres_per_unit);
  for (const JsonPlace& point : root.at("points").elements()) {
    control.points.push_back(control_point_at(point, metres_per_unit, sigma_m));
    const std::string& name = control.points.back().name;
    if (!names.insert(name).second) point.at("name").fail("duplicate '{}'", name);
  }
  if (control.points.empty()) root.at("points").fail("is empty");
  return control;
}

void check_true_points(const Recording& recording, const RecordingTruth& truth) {
  if (!truth.board_file.empty())
    for (std::size_t frame = 0; frame < frames_of(truth.board_file, recording); ++frame)
      check_corners(recording, true_board(truth, frame), file_of_frame(truth.board_file, frame).string());
  if (!truth.control_file.empty())
    for (std::size_t frame = 0; frame < frames_of(truth.control_file, recording); ++frame)
      check_in_view(recording, true_control_points(truth, frame),
                    file_of_frame(truth.control_file, frame).string());
}

}  // namespace aqbench
