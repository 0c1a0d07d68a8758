#pragma once
// Pictures of a method's depths for people: the depth map of each camera, its errors and its confidence.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/scoring/depth_score.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// The longer side of a picture has at most so many pixels; of a larger map every n-th pixel is shown. The
// first camera has large pictures, the others small ones, so that a case takes some 100 kB.
inline constexpr int kPictureSide_px = 480, kSmallPictureSide_px = 160;

// The file in the folder of a case that says what its pictures show.
inline constexpr const char* kPictureListName = "pictures.csv";
inline constexpr const char* kPictureListHeader =
    "file,kind,camera,unit,low,high,every_px,filled_pct,beyond_pct\n";

// Files for the folder of a case, name and bytes.
using PictureFiles = std::vector<std::pair<std::string, std::string>>;

// Returns the files of a case: pictures.csv; depth.png, depth_error.png and,
// where the method gives one, confidence.png of the first camera of the rig that is not auxiliary and has a
// true depth; depth_1.png and so on of the others, in the rig's order. All cameras have one scale: depths are
// coloured from the least to the largest true depth; errors (true - estimated depth along the refracted ray:
// positive is nearer to the camera) up to a limit of 1, 2 or 5 times a power of ten mm above the 95th
// percentile, which is the median of the cameras'; confidences from 0 to 1. Colours are those of
// core/drawing/colour_map.h. None without depth maps or truth; a camera without a map has no depth anywhere.
// True depths outside of the crop are none.
// Throws Error(io, input) as read_depth_map() does; maps must have been checked (score_depth_maps()).
//
// pictures.csv: "file,kind,camera,unit,low,high,every_px,filled_pct,beyond_pct", a line for each picture. low
// and high are the ends of the colours in `unit`; every_px: one pixel of so many in each direction is shown;
// filled_pct: of the pixels that have a true depth, the share that has an estimate; beyond_pct: of the shown
// values, the share beyond the colours' ends. filled_pct and beyond_pct are empty where there is no such
// pixel.
PictureFiles depth_pictures(std::span<const DepthMap> maps, std::span<const Camera> cameras,
                            const std::filesystem::path& dataset_dir, std::size_t frame = 0,
                            const Crop& crop = {});

// Returns the pictures of depths and confidences where nothing says which depths are true: the colours go
// from the 1st to the 99th percentile of the depths of all cameras, filled_pct is of all pixels.
PictureFiles depth_pictures_without_truth(std::span<const DepthMap> maps);

}  // namespace aqbench
