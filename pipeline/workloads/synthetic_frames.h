#pragma once
// Input of the workload synthetic_profile: four frames of a textured relief through a lens with barrel
// distortion, whose undistorted pixels and depths are known by formula.

#include <cstdint>
#include <vector>

namespace aqbench {

inline constexpr int kSyntheticViews = 4;  // the reference and three sources
inline constexpr double kBarrel = 0.2;  // distorted = undistorted (1 + kBarrel r^2), corners at r = sqrt(2)
// A source sees a point at depth index d shifted by d times this many pixels along x.
inline constexpr int kSyntheticShift_px[kSyntheticViews] = {0, 1, -1, 2};

struct SyntheticFrames {
  int width_px = 0, height_px = 0, depths = 0;
  std::vector<std::uint8_t> bgr[kSyntheticViews];  // [3][height][width], distorted
};

SyntheticFrames make_synthetic_frames(int width_px, int height_px, int depths);

// Grey value, 0 to 1, of an undistorted view at a pixel of it.
double synthetic_grey(const SyntheticFrames& frames, int view, double x_px, double y_px);

// The true depth index of an undistorted row of the reference: four bands.
int synthetic_depth(const SyntheticFrames& frames, double y_px);

// Whether the lens saw this undistorted pixel.
bool synthetic_visible(const SyntheticFrames& frames, double x_px, double y_px);

}  // namespace aqbench
