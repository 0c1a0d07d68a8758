#pragma once
// A view of a grey image: what the plane sweep compares. No copy is made; the pixels must outlive the view.

#include <cstddef>
#include <cstdint>

namespace aqbench::plane_sweep {

// Row-major height_px x width_px without padding; exactly one of the two pointers is set. Grey values of
// `floats` go from 0 (black) to 1 (white): the constants of ssim and of the noise floor assume that scale.
struct GreyImage {
  int width_px = 0;
  int height_px = 0;
  const float* floats = nullptr;
  const std::uint8_t* bytes = nullptr;  // value / 255

  std::size_t pixel_count() const {
    return static_cast<std::size_t>(width_px) * static_cast<std::size_t>(height_px);
  }
  float grey(std::size_t index) const {
    return floats != nullptr ? floats[index] : static_cast<float>(bytes[index]) / 255.0F;
  }
};

}  // namespace aqbench::plane_sweep
