#pragma once
// Images at positions between pixels: Keys' cubic convolution (a = -1/2).

#include <algorithm>
#include <array>
#include <cstddef>

namespace aqbench {

// Returns the weights of the pixels at -1, 0, 1 and 2 for the position t in [0, 1).
inline std::array<float, 4> cubic_weights(float t) {
  const float t2 = t * t, t3 = t2 * t;
  return {0.5F * (-t3 + 2 * t2 - t), 0.5F * (3 * t3 - 5 * t2 + 2), 0.5F * (-3 * t3 + 4 * t2 + t),
          0.5F * (t3 - t2)};
}

// Returns the value of a row-major image of values 0 to 1 at any finite position, in pixels; beyond the
// border, border values continue.
inline float sample_cubic(const float* image, int width, int height, float x, float y) {
  x = std::clamp(x, 0.0F, static_cast<float>(width - 1));
  y = std::clamp(y, 0.0F, static_cast<float>(height - 1));
  const int left = static_cast<int>(x), top = static_cast<int>(y);
  const auto wx = cubic_weights(x - static_cast<float>(left));
  const auto wy = cubic_weights(y - static_cast<float>(top));
  float sum = 0;
  for (int j = 0; j < 4; ++j) {
    const float* const row =
        image + static_cast<std::ptrdiff_t>(std::clamp(top - 1 + j, 0, height - 1)) * width;
    float line = 0;
    if (left >= 1 && left + 2 < width)
      for (int i = 0; i < 4; ++i) line += wx[i] * row[left - 1 + i];
    else
      for (int i = 0; i < 4; ++i) line += wx[i] * row[std::clamp(left - 1 + i, 0, width - 1)];
    sum += wy[j] * line;
  }
  return std::clamp(sum, 0.0F, 1.0F);
}

}  // namespace aqbench
