#pragma once
// Recordings with smaller images.

#include <cstddef>
#include <filesystem>

#include "scenes/dataset/recording.h"

namespace aqbench {

// Returns the intrinsics of an image made smaller by a whole factor. Pixel 0 of the new image covers the
// first `factor` ones, so a place x of the image is at (x + 1/2) / factor - 1/2.
Intrinsics shrunk(const Intrinsics& intrinsics, int factor);

// Writes the images, masks and true depth maps of one frame, made smaller by a whole factor, to the new
// folder `to`, and returns the recording with them in place of its own; other frames stay. A pixel is the
// mean of the old ones; it is in a mask if all of them are; its true depth is that of the pixel in their
// middle, or the mean of the four there, none where one of those has none or they differ by more than 3 %.
// Throws Error(input) as shrink_image() and read_depth_map() do, Error(io).
Recording shrink_recording(const Recording& recording, std::size_t frame, int factor,
                           const std::filesystem::path& to);

}  // namespace aqbench
