#include "scenes/dataset/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/files.h"
#include "core/parallel.h"
#include "scenes/cloud/npy.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/dataset/layouts.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/images/images.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr float kDepthEdge = 0.03F;  // difference of neighbours beyond which they are of two surfaces

std::string shrunk_mask(const PixelMask& mask, int factor) {
  const int width = mask.width_px / factor, height = mask.height_px / factor;
  std::vector<std::uint16_t> values;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      bool all = true;
      for (int k = 0; k < factor * factor; ++k)
        all = all && mask.at(Vec2(factor * x + k % factor, factor * y + k / factor));
      values.push_back(all ? 255 : 0);
    }
  return encode_png(width, height, 8, values);
}

std::vector<float> shrunk_depths(const DepthMap& map, int factor, int width, int height) {
  std::vector<float> depths;
  const int first = (factor - 1) / 2, last = factor / 2;  // the middle, or the two around it
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float least = std::numeric_limits<float>::infinity(), most = 0, sum = 0;
      bool all = true;
      for (const int v : {first, last})
        for (const int u : {first, last}) {
          const float depth_m = map.depth_along_ray_m[static_cast<std::size_t>(factor * y + v) *
                                                          static_cast<std::size_t>(map.width) +
                                                      static_cast<std::size_t>(factor * x + u)];
          all = all && has_depth(depth_m);
          least = std::min(least, depth_m);
          most = std::max(most, depth_m);
          sum += depth_m;
        }
      const bool one_surface = all && most - least <= kDepthEdge * least;
      depths.push_back(one_surface ? sum / 4 : std::numeric_limits<float>::quiet_NaN());
    }
  return depths;
}

}  // namespace

Intrinsics shrunk(const Intrinsics& intrinsics, int factor) {
  Intrinsics small = intrinsics;
  small.K.topRows<2>() /= factor;
  for (const int row : {0, 1}) small.K(row, 2) = (intrinsics.K(row, 2) + 0.5) / factor - 0.5;
  small.width_px = intrinsics.width_px / factor;
  small.height_px = intrinsics.height_px / factor;
  return small;
}

Recording shrink_recording(const Recording& recording, std::size_t frame, int factor, const fs::path& to) {
  Recording small = recording;
  small.dir = to;
  small.is_whole = false;  // its calibration is no file
  parallel_for(recording.rig.cameras.size(), 1, [&](std::size_t i, std::size_t) {
    const Camera& camera = recording.rig.cameras[i];
    Intrinsics& inside = small.rig.cameras[i].intrinsics;
    inside = shrunk(camera.intrinsics, factor);
    const fs::path& image = recording.images.at(frame).at(i);
    for (const char* const folder : {"images", "masks", "truth"})
      fs::create_directories(to / folder / camera.name);
    small.images[frame][i] = to / "images" / camera.name / "000000.png";
    write_file(small.images[frame][i], shrink_image(read_file(image), factor, image.string()));
    if (!recording.masks.empty() && !recording.masks.at(frame).at(i).empty()) {
      small.masks[frame][i] = to / "masks" / camera.name / "000000.png";
      write_file(small.masks[frame][i],
                 shrunk_mask(read_mask(recording.masks[frame][i], camera.intrinsics), factor));
    }
    const fs::path depths = true_depth_file(recording.dir / "truth", camera.name, frame);
    if (depths.empty()) return;
    const std::array<std::size_t, 2> shape = {static_cast<std::size_t>(inside.height_px),
                                              static_cast<std::size_t>(inside.width_px)};
    write_npy(to / "truth" / camera.name / fmt::format("{:06}.npy", frame),
              std::span<const float>(
                  shrunk_depths(read_depth_map(depths, camera), factor, inside.width_px, inside.height_px)),
              shape);
  });
  return small;
}

}  // namespace aqbench
