#include "harness/scoring/depth_pictures.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/drawing/colour_map.h"
#include "core/error.h"
#include "metrics/numbers/order_statistics.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {
namespace {

constexpr double kMillimetres = 1000;

// One byte for each pixel: a step of the colour map, or one of two more for "no value" and "no truth".
constexpr std::uint8_t kNoValue = kColourSteps, kNoTruth = kColourSteps + 1;
using StepColour = Rgb8 (*)(int step);

struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint8_t> steps;  // row-major
  StepColour colour_of;
};

std::string png_of(const Pixels& pixels) {
  std::vector<std::uint8_t> palette;
  for (int step = 0; step < kColourSteps + 2; ++step) {
    const Rgb8 colour = step == kNoValue   ? kNoValueColour
                        : step == kNoTruth ? kNoTruthColour
                                           : pixels.colour_of(step);
    palette.insert(palette.end(), {colour.r, colour.g, colour.b});
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(pixels.width);
  image.height = static_cast<png_uint_32>(pixels.height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = kColourSteps + 2;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.steps.data(), 0, palette.data()) == 0)
    throw Error(ErrorKind::io, fmt::format("PNG: {}", image.message));
  bytes.resize(size);
  return bytes;
}

bool is_depth(float depth_m) { return std::isfinite(depth_m) && depth_m > 0; }

// Pixel (x, y) of a picture shows this one of the map: the middle of its square.
struct PictureGrid {
  explicit PictureGrid(const DepthMap& map)
      : map_width(map.width),
        every_px((std::max(map.width, map.height) + kPictureSide_px - 1) / kPictureSide_px),
        width((map.width + every_px - 1) / every_px),
        height((map.height + every_px - 1) / every_px),
        map_height(map.height) {}
  std::size_t index(int x, int y) const {
    const int column = std::min(x * every_px + every_px / 2, map_width - 1);
    const int row = std::min(y * every_px + every_px / 2, map_height - 1);
    return static_cast<std::size_t>(row) * map_width + column;
  }
  int map_width, every_px, width, height, map_height;
};

template <class StepOf>
Pixels paint(const PictureGrid& grid, StepColour colour_of, const StepOf& step_of) {
  Pixels pixels{grid.width, grid.height, {}, colour_of};
  pixels.steps.reserve(static_cast<std::size_t>(grid.width) * grid.height);
  for (int y = 0; y < grid.height; ++y)
    for (int x = 0; x < grid.width; ++x)
      pixels.steps.push_back(static_cast<std::uint8_t>(step_of(grid.index(x, y))));
  return pixels;
}

// All pixels of a camera that have a true depth.
struct DepthComparison {
  double least_m = INFINITY, largest_m = -INFINITY;  // of the true depths
  std::size_t with_truth = 0;
  std::vector<double> error_mm;  // true - estimated, where both are
};

DepthComparison compare_depths(const DepthMap& estimated, const DepthMap& truth) {
  DepthComparison found;
  for (std::size_t i = 0; i < truth.depth_along_ray_m.size(); ++i) {
    const double true_m = truth.depth_along_ray_m[i];
    if (!is_depth(truth.depth_along_ray_m[i])) continue;
    ++found.with_truth;
    found.least_m = std::min(found.least_m, true_m);
    found.largest_m = std::max(found.largest_m, true_m);
    if (is_depth(estimated.depth_along_ray_m[i]))
      found.error_mm.push_back(kMillimetres * (true_m - estimated.depth_along_ray_m[i]));
  }
  return found;
}

double error_limit_mm(const std::vector<double>& error_mm) {
  constexpr double kLeast_mm = 0.1;  // below it the float32 depths of the truth are no finer
  if (error_mm.empty()) return 1;
  return round_up_125(std::max(kLeast_mm, deviation_percentiles(error_mm, 0, {0.95})[0]));
}

std::string share_text(std::size_t part, std::size_t whole) {
  return whole == 0 ? std::string()
                    : fmt::format("{:.4g}", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> depth_pictures_of(const DepthMap& estimated,
                                                                   const DepthMap& truth) {
  const DepthComparison found = compare_depths(estimated, truth);
  if (found.with_truth == 0) return {};
  const PictureGrid grid(truth);
  const double span_m = std::max(found.largest_m - found.least_m, 1e-6);
  const double limit_mm = error_limit_mm(found.error_mm);
  const Pixels depth = paint(grid, sequential_colour, [&](std::size_t i) -> int {
    const float depth_m = estimated.depth_along_ray_m[i];
    return is_depth(depth_m) ? colour_step((depth_m - found.least_m) / span_m) : kNoValue;
  });
  const Pixels error = paint(grid, diverging_colour, [&](std::size_t i) -> int {
    const float true_m = truth.depth_along_ray_m[i], depth_m = estimated.depth_along_ray_m[i];
    if (!is_depth(true_m)) return kNoTruth;
    if (!is_depth(depth_m)) return kNoValue;
    return colour_step(0.5 + 0.5 * kMillimetres * (double{true_m} - depth_m) / limit_mm);
  });

  std::size_t depths = 0, depths_beyond = 0;
  for (const float depth_m : estimated.depth_along_ray_m) {
    if (!is_depth(depth_m)) continue;
    ++depths;
    depths_beyond += depth_m < found.least_m || depth_m > found.largest_m ? 1 : 0;
  }
  const auto errors_beyond = static_cast<std::size_t>(
      std::ranges::count_if(found.error_mm, [&](double mm) { return std::abs(mm) > limit_mm; }));
  const std::string filled = share_text(found.error_mm.size(), found.with_truth);
  std::string list = "file,kind,camera,unit,low,high,every_px,filled_pct,beyond_pct\n";
  list += fmt::format("depth.png,depth,{},m,{:.6g},{:.6g},{},{},{}\n", truth.camera, found.least_m,
                      found.largest_m, grid.every_px, filled, share_text(depths_beyond, depths));
  list += fmt::format("depth_error.png,depth_error,{},mm,{:.6g},{:.6g},{},{},{}\n", truth.camera, -limit_mm,
                      limit_mm, grid.every_px, filled, share_text(errors_beyond, found.error_mm.size()));
  return {
      {kPictureListName, std::move(list)}, {"depth.png", png_of(depth)}, {"depth_error.png", png_of(error)}};
}

std::vector<std::pair<std::string, std::string>> depth_pictures(std::span<const DepthMap> maps,
                                                                std::span<const Camera> cameras,
                                                                const std::filesystem::path& dataset_dir,
                                                                std::size_t frame) {
  if (maps.empty()) return {};
  for (const Camera& camera : cameras) {
    const std::filesystem::path file = true_depth_file(dataset_dir / "truth", camera.name, frame);
    if (camera.is_auxiliary || file.empty()) continue;
    const DepthMap truth =
        read_depth_map(file, camera.name, camera.intrinsics.width_px, camera.intrinsics.height_px);
    const auto map = std::ranges::find(maps, camera.name, &DepthMap::camera);
    if (map != maps.end()) return depth_pictures_of(*map, truth);
    DepthMap none = truth;
    std::ranges::fill(none.depth_along_ray_m, std::numeric_limits<float>::quiet_NaN());
    return depth_pictures_of(none, truth);
  }
  return {};
}

}  // namespace aqbench
