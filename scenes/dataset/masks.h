#pragma once
// Masks: which pixels of a recording's images count. 0 does not, everything else does.

#include <filesystem>
#include <string_view>
#include <vector>

#include "scenes/optics/camera.h"

namespace aqbench {

// Fills in the masks of images that have none yet: masks/IMAGE.png, as COLMAP names them, or masks/IMAGE with
// the ending .png in place of its own, IMAGE being the path below images/ or below `dir`. Leaves `masks`
// empty if no image has one. Throws Error(input) for a folder masks/ without a mask of any image.
void find_masks(const std::filesystem::path& dir,
                const std::vector<std::vector<std::filesystem::path>>& images,
                std::vector<std::vector<std::filesystem::path>>& masks);

// Throws Error(input) naming the file for bytes that are no complete PNG image of the camera's size.
void check_mask(std::string_view bytes, const Intrinsics& intrinsics, const std::string& file);

// Reads a mask. Throws as check_mask() and decode_grey() do.
PixelMask read_mask(const std::filesystem::path& file, const Intrinsics& intrinsics);

}  // namespace aqbench
