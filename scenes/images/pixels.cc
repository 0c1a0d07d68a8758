#include "scenes/images/pixels.h"

#include "core/error.h"

namespace aqbench {

DepthImage depth_image_of_size(const std::string& name, std::uint64_t width, std::uint64_t height) {
  constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28U;
  if (width == 0 || height == 0 || width > kMaxPixels || height > kMaxPixels / width)
    throw input_error("{}: {} x {} pixels; must be from 1 to 2^28", name, width, height);
  DepthImage image;
  image.width = static_cast<int>(width);
  image.height = static_cast<int>(height);
  return image;
}

}  // namespace aqbench
