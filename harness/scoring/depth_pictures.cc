#include "harness/scoring/depth_pictures.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/drawing/colour_map.h"
#include "core/error.h"
#include "core/quantiles.h"
#include "metrics/diagnosis.h"
#include "metrics/numbers/order_statistics.h"
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
    throw io_error("PNG: {}", image.message);
  bytes.resize(size);
  return bytes;
}

// Pixel (x, y) of a picture shows this one of the map: the middle of its square.
struct PictureGrid {
  PictureGrid(const DepthMap& map, int side_px)
      : map_width(map.width),
        every_px((std::max(map.width, map.height) + side_px - 1) / side_px),
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
    if (!has_depth(truth.depth_along_ray_m[i])) continue;
    ++found.with_truth;
    found.least_m = std::min(found.least_m, true_m);
    found.largest_m = std::max(found.largest_m, true_m);
    if (has_depth(estimated.depth_along_ray_m[i]))
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

// The ends of the colours: of the depths, and of the errors to both sides.
struct DepthScale {
  double least_m = 0, largest_m = 0, limit_mm = 0;
};

Pixels paint_depths(const DepthMap& map, const PictureGrid& grid, const DepthScale& scale) {
  const double span_m = std::max(scale.largest_m - scale.least_m, 1e-6);
  return paint(grid, sequential_colour, [&](std::size_t i) -> int {
    const float depth_m = map.depth_along_ray_m[i];
    return has_depth(depth_m) ? colour_step((depth_m - scale.least_m) / span_m) : kNoValue;
  });
}

Pixels paint_errors(const DepthMap& map, const DepthMap& truth, const PictureGrid& grid, double limit_mm) {
  return paint(grid, diverging_colour, [&](std::size_t i) -> int {
    const float true_m = truth.depth_along_ray_m[i], depth_m = map.depth_along_ray_m[i];
    if (!has_depth(true_m)) return kNoTruth;
    if (!has_depth(depth_m)) return kNoValue;
    return colour_step(0.5 + 0.5 * kMillimetres * (double{true_m} - depth_m) / limit_mm);
  });
}

Pixels paint_confidences(const DepthMap& map, const PictureGrid& grid) {
  return paint(grid, sequential_colour, [&](std::size_t i) -> int {
    const float confidence = map.confidence[i];
    return has_depth(map.depth_along_ray_m[i]) && std::isfinite(confidence) ? colour_step(confidence)
                                                                            : kNoValue;
  });
}

struct Picture {
  const char *kind, *unit;
  double low, high;
  Pixels pixels;
  std::string beyond_pct = {};
};

// A camera's picture of its depths, of which `depths` were counted.
Picture depth_picture(const DepthMap& map, const PictureGrid& grid, const DepthScale& scale,
                      std::size_t& depths) {
  std::size_t beyond = 0;
  for (const float depth_m : map.depth_along_ray_m) {
    if (!has_depth(depth_m)) continue;
    ++depths;
    beyond += depth_m < scale.least_m || depth_m > scale.largest_m ? 1 : 0;
  }
  return {"depth",
          "m",
          scale.least_m,
          scale.largest_m,
          paint_depths(map, grid, scale),
          share_text(beyond, depths)};
}

// Adds the pictures of a camera, by its number, and its confidences, if any, to the list and its files.
void add_camera(std::size_t number, const DepthMap& map, const PictureGrid& grid,
                const std::string& filled_pct, std::vector<Picture> pictures, PictureFiles& files) {
  if (files.empty()) files.emplace_back(kPictureListName, kPictureListHeader);
  if (!map.confidence.empty()) pictures.push_back({"confidence", "1", 0, 1, paint_confidences(map, grid)});
  for (const Picture& picture : pictures) {
    const std::string file =
        fmt::format("{}{}.png", picture.kind, number == 0 ? "" : fmt::format("_{}", number));
    files.front().second +=
        fmt::format("{},{},{},{},{:.6g},{:.6g},{},{},{}\n", file, picture.kind, camera_field(map.camera),
                    picture.unit, picture.low, picture.high, grid.every_px, filled_pct, picture.beyond_pct);
    files.emplace_back(file, png_of(picture.pixels));
  }
}

// Calls use(depths of the method, true depths) for each camera that has a true depth; a camera without a map
// has no depth anywhere.
template <class Use>
void for_each_camera(std::span<const DepthMap> maps, std::span<const Camera> cameras,
                     const std::filesystem::path& dataset_dir, std::size_t frame, const Crop& crop,
                     const Use& use) {
  for (const Camera& camera : cameras) {
    const std::filesystem::path file = true_depth_file(dataset_dir / "truth", camera.name, frame);
    if (camera.is_auxiliary || file.empty()) continue;
    const DepthMap truth = read_true_depths(file, camera, crop);
    if (std::ranges::none_of(truth.depth_along_ray_m, has_depth)) continue;
    const auto map = std::ranges::find(maps, camera.name, &DepthMap::camera);
    if (map != maps.end()) {
      use(*map, truth);
      continue;
    }
    DepthMap none = truth;
    std::ranges::fill(none.depth_along_ray_m, std::numeric_limits<float>::quiet_NaN());
    use(none, truth);
  }
}

}  // namespace

PictureFiles depth_pictures(std::span<const DepthMap> maps, std::span<const Camera> cameras,
                            const std::filesystem::path& dataset_dir, std::size_t frame, const Crop& crop) {
  PictureFiles files;
  if (maps.empty()) return files;
  // One scale for all cameras of a case. One camera that is far off must not make the errors of the others
  // white: the limit is the median of theirs. A camera without depths says nothing of the errors' size.
  DepthScale scale{INFINITY, -INFINITY, error_limit_mm({})};
  std::vector<double> limits_mm;
  for_each_camera(maps, cameras, dataset_dir, frame, crop, [&](const DepthMap& map, const DepthMap& truth) {
    const DepthComparison found = compare_depths(map, truth);
    scale.least_m = std::min(scale.least_m, found.least_m);
    scale.largest_m = std::max(scale.largest_m, found.largest_m);
    if (!found.error_mm.empty()) limits_mm.push_back(error_limit_mm(found.error_mm));
  });
  if (!limits_mm.empty()) scale.limit_mm = upper_median_in_place(std::span(limits_mm));
  std::size_t camera = 0;
  for_each_camera(maps, cameras, dataset_dir, frame, crop, [&](const DepthMap& map, const DepthMap& truth) {
    const DepthComparison found = compare_depths(map, truth);
    const PictureGrid grid(truth, camera == 0 ? kPictureSide_px : kSmallPictureSide_px);
    const auto beyond =
        std::ranges::count_if(found.error_mm, [&](double mm) { return std::abs(mm) > scale.limit_mm; });
    std::size_t depths = 0;
    add_camera(camera++, map, grid, share_text(found.error_mm.size(), found.with_truth),
               {depth_picture(map, grid, scale, depths),
                {"depth_error", "mm", -scale.limit_mm, scale.limit_mm,
                 paint_errors(map, truth, grid, scale.limit_mm),
                 share_text(static_cast<std::size_t>(beyond), found.error_mm.size())}},
               files);
  });
  return files;
}

PictureFiles depth_pictures_without_truth(std::span<const DepthMap> maps) {
  PictureFiles files;
  std::vector<double> depths_m;
  for (const DepthMap& map : maps)
    std::ranges::copy_if(map.depth_along_ray_m, std::back_inserter(depths_m), has_depth);
  if (depths_m.empty()) return files;
  std::ranges::sort(depths_m);
  const DepthScale scale{quantile_of_sorted(depths_m, 0.01), quantile_of_sorted(depths_m, 0.99)};
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const PictureGrid grid(maps[i], i == 0 ? kPictureSide_px : kSmallPictureSide_px);
    std::size_t depths = 0;
    Picture depth = depth_picture(maps[i], grid, scale, depths);
    add_camera(i, maps[i], grid, share_text(depths, maps[i].depth_along_ray_m.size()), {std::move(depth)},
               files);
  }
  return files;
}

}  // namespace aqbench
