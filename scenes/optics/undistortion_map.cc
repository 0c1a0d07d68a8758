#include "scenes/optics/undistortion_map.h"

#include "core/parallel.h"
#include "scenes/optics/distortion.h"

namespace aqbench {

UndistortionMap undistortion_map(const Intrinsics& intrinsics) {
  const auto width = static_cast<std::size_t>(intrinsics.width_px);
  const auto height = static_cast<std::size_t>(intrinsics.height_px);
  UndistortionMap map{intrinsics.width_px, intrinsics.height_px, std::vector<float>(width * height),
                      std::vector<float>(width * height)};
  parallel_for(height, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t column = 0; column < width; ++column) {
        const Vec2 pixel = distort_pixel(intrinsics, {static_cast<double>(column), static_cast<double>(row)});
        map.x_px[row * width + column] = static_cast<float>(pixel.x());
        map.y_px[row * width + column] = static_cast<float>(pixel.y());
      }
    }
  });
  return map;
}

}  // namespace aqbench
