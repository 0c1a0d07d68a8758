#include "scenes/dataset/board_truth.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/json.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

Json numbers_of(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

// Returns why the image that a camera takes does not show a corner; else nullptr and the pixel.
const char* hidden_because(const SeeingCamera& camera, const Vec3& corner_m, const Vec3& front_to_back,
                           Vec2& pixel) {
  const auto seen = project(camera.camera, corner_m);
  if (!seen) return "no ray from the camera reaches it";
  const auto ray = cast_ray(camera.camera, seen->pixel);
  if (!ray || !camera.lens.takes(seen->pixel)) return "outside the image";
  if (seen->depth_along_ray_m > kMaxRayDepth_m) return "farther away than 100 m";
  if (!(to_vec3(ray->direction).dot(front_to_back) > 0)) return "the camera sees the board's back";
  pixel = distort_pixel(camera.intrinsics, seen->pixel);
  return nullptr;
}

// The black part of a parallelogram about a place.
double black_share(const BoardPattern& pattern, const Vec2& at_m, const Vec2& right_m, const Vec2& down_m) {
  const auto is_black = [&](double right, double down) {
    const Vec2 place = at_m + right * right_m + down * down_m;
    return pattern.is_black(place.x(), place.y());
  };
  const bool first = is_black(-0.5, -0.5);
  if (is_black(0.5, -0.5) == first && is_black(-0.5, 0.5) == first && is_black(0.5, 0.5) == first)
    return first ? 1 : 0;
  constexpr int kSide = 8;
  int black = 0;
  for (int i = 0; i < kSide * kSide; ++i)
    if (is_black((i % kSide + 0.5) / kSide - 0.5, (i / kSide + 0.5) / kSide - 0.5)) ++black;
  return static_cast<double>(black) / (kSide * kSide);
}

}  // namespace

Paint board_paint(const PlacedBoard& board, double texture_contrast) {
  constexpr double kPerContrast = 8.0 / 3;
  const double half = std::min(0.5, kPerContrast * texture_contrast);
  const Eigen::Isometry3d board_from_world = board.world_from_board.inverse();
  return [pattern = BoardPattern(board.shape), board_from_world, half](
             const Vec3& position_m, const Vec3& direction, const Vec3& step_m) {
    const Vec3 ray = board_from_world.linear() * direction;
    if (!(ray.z() > 0)) return 0.5 + half;  // the back
    const Vec3 at_m = board_from_world * position_m, step = board_from_world.linear() * step_m;
    // A pixel is about square across the ray.
    const Vec3 across = ray.cross(step);
    const Vec3 down = across - across.z() / ray.z() * ray;
    return 0.5 + half * (1 - 2 * black_share(pattern, at_m.head<2>(), step.head<2>(), down.head<2>()));
  };
}

CalibratedBoard calibrated_board(const BoardShape& shape) {
  return {shape.squares_x, shape.squares_y, shape.square_m, shape.marker_m, shape.dictionary};
}

std::string corners_json(const PlacedBoard& board, const Rig& rig) {
  const BoardShape& shape = board.shape;
  const Eigen::Matrix3d rotation = board.world_from_board.rotation();
  Json turn = Json::array();
  for (int row = 0; row < 3; ++row) turn.push_back(numbers_of(rotation.row(row)));
  const std::vector<SeeingCamera> cameras = seeing_cameras(rig, true);
  Json corners = Json::array();
  for (const Vec3& corner : board_corners(shape)) {
    const Vec3 position_m = board.world_from_board * corner;
    Json pixels = Json::object(), hidden = Json::object();
    for (std::size_t i = 0; i < cameras.size(); ++i) {
      Vec2 pixel;
      const std::string& name = rig.cameras[i].name;
      if (const char* const why = hidden_because(cameras[i], position_m, rotation.col(2), pixel))
        hidden[name] = why;
      else
        pixels[name] = {pixel.x(), pixel.y()};
    }
    corners.push_back({{"id", corners.size()},
                       {"position", numbers_of(position_m)},
                       {"pixels", pixels},
                       {"not_visible", hidden}});
  }
  const Json file = {
      {"unit", "m"},
      {"pixel_unit", "px of the image as it was taken, lens included; [0, 0] is the first pixel's centre"},
      {"squares_x", shape.squares_x},
      {"squares_y", shape.squares_y},
      {"square_size", shape.square_m},
      {"marker_size", shape.marker_m},
      {"dictionary", shape.dictionary},
      {"world_from_board",
       {{"rotation", turn}, {"translation", numbers_of(board.world_from_board.translation())}}},
      {"corners", corners}};
  return file.dump(1) + "\n";
}

}  // namespace aqbench
