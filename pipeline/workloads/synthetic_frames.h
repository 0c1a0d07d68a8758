#pragma once
// The input of the workload synthetic_profile: four frames of a textured relief through a lens with barrel
// distortion. Undistorted pixels and depths are known by formula.

#include <cstdint>
#include <vector>

namespace aqbench {

// The number of frames: the reference and three sources.
inline constexpr int kSyntheticViews = 4;

// The distortion: distorted = undistorted (1 + kBarrel r^2), with r = sqrt(2) in the corners.
inline constexpr double kBarrel = 0.2;

// Each view sees a point at depth index d shifted along x by d times this many pixels.
inline constexpr int kSyntheticShift_px[kSyntheticViews] = {0, 1, -1, 2};

// The four frames.
struct SyntheticFrames {
  int width_px = 0, height_px = 0, depths = 0;
  std::vector<std::uint8_t> bgr[kSyntheticViews];  // [3][height][width], distorted
};

// Makes the frames; depth indices are 0 to depths - 1.
SyntheticFrames make_synthetic_frames(int width_px, int height_px, int depths);

// Returns the grey value, 0 to 1, of a pixel of an undistorted view.
double synthetic_grey(const SyntheticFrames& frames, int view, double x_px, double y_px);

// Returns the true depth index of an undistorted row of the reference; there are four bands.
int synthetic_depth(const SyntheticFrames& frames, double y_px);

// Returns whether the lens saw this undistorted pixel.
bool synthetic_visible(const SyntheticFrames& frames, double x_px, double y_px);

}  // namespace aqbench
