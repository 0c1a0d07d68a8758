#include "harness/checking/board_scale.h"

#include <map>
#include <vector>

#include "core/error.h"
#include "harness/scoring/board_score.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/triangulation.h"

namespace aqbench {

std::optional<BoardScale> scale_by_board(const BoardTruth& board, const Rig& rig) {
  std::map<int, Vec3> corners_m;
  for (const BoardCorner& corner : board.corners) {
    std::vector<WaterRay> rays;
    for (const auto& [name, pixel] : corner.pixels) {
      const Camera* const camera = find_camera(rig, name);
      if (camera == nullptr) throw input_error("board corner {}: there is no camera '{}'", corner.id, name);
      const auto undistorted = Undistorter(camera->intrinsics).undistort_pixel(pixel);
      if (!undistorted) continue;
      if (const auto ray = cast_ray(refractive_camera(*camera), *undistorted)) rays.push_back(*ray);
    }
    if (const auto point = triangulate(rays)) corners_m[corner.id] = point->point_m;
  }
  const BoardSides sides = board_sides(corners_m, board.squares_x);
  if (sides.count == 0 || !(sides.mean_m > 0)) return std::nullopt;
  return BoardScale{board.square_m / sides.mean_m, corners_m.size(), sides.count};
}

}  // namespace aqbench
