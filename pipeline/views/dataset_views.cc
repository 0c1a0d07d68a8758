#include "pipeline/views/dataset_views.h"

#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/resources.h"
#include "core/stage_scope.h"
#include "scenes/images/images.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/distortion.h"

namespace aqbench {
namespace {

// Returns the image of a camera: 000000.png, or that name with another extension.
std::filesystem::path image_file(const std::filesystem::path& folder) {
  const std::filesystem::path found = find_image(folder, "000000");
  return found.empty() ? folder / "000000.png" : found;
}

std::vector<float> read_grey(const std::filesystem::path& file, const Intrinsics& intrinsics) {
  return decode_grey(read_file(file), intrinsics.width_px, intrinsics.height_px, file.string()).values;
}

bool is_undistorted(const Intrinsics& intrinsics) {
  return intrinsics.lens == LensModel::brown_conrady &&
         std::ranges::all_of(intrinsics.distortion, [](double value) { return value == 0; });
}

// Takes the mask of the image as it was taken into `inside`.
void read_mask_of(const std::filesystem::path& file, const Intrinsics& intrinsics, DatasetView& view) {
  view.inside.assign(view.grey.size(), 1);
  view.has_mask = path_exists(file);
  if (!view.has_mask) return;
  const std::vector<float> values = read_grey(file, intrinsics);
  std::ranges::transform(values, view.inside.begin(), [](float value) { return value > 0 ? 1 : 0; });
}

void undistort(const Intrinsics& intrinsics, DatasetView& view) {
  if (is_undistorted(intrinsics)) return;
  const UndistortionMap map = undistortion_map(intrinsics);
  const auto width = static_cast<std::size_t>(map.width_px), height = static_cast<std::size_t>(map.height_px);
  const auto right = static_cast<float>(map.width_px - 1), bottom = static_cast<float>(map.height_px - 1);
  std::vector<float> out(view.grey.size());
  const std::vector<std::uint8_t> taken = std::exchange(view.inside, std::vector<std::uint8_t>(out.size()));
  parallel_for(height, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * width; i < end * width; ++i) {
      const float x = map.x_px[i], y = map.y_px[i];
      const bool inside = x >= 0 && y >= 0 && x <= right && y <= bottom;  // false for NaN
      view.inside[i] =
          inside ? taken[static_cast<std::size_t>(y + 0.5F) * width + static_cast<std::size_t>(x + 0.5F)]
                 : std::uint8_t{0};
      out[i] = std::isfinite(x) && std::isfinite(y)
                   ? sample_cubic(view.grey.data(), map.width_px, map.height_px, x, y)
                   : 0.0F;
    }
  });
  view.grey = std::move(out);
}

void enhance_contrast(const DatasetViewOptions& options, DatasetView& view) {
  const cv::Mat values(view.camera.height_px, view.camera.width_px, CV_32F, view.grey.data());
  cv::Mat bytes;
  values.convertTo(bytes, CV_8U, 255);
  cv::createCLAHE(options.clahe_clip_limit, {options.clahe_tiles, options.clahe_tiles})->apply(bytes, bytes);
  bytes.convertTo(values, CV_32F, 1.0 / 255);
}

std::vector<DatasetView> read_images(const std::filesystem::path& dataset_dir, const Rig& rig) {
  const StageScope scope("image_reading");
  std::vector<DatasetView> views(rig.cameras.size());
  parallel_for(views.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Camera& camera = rig.cameras[i];
      views[i].name = camera.name;
      views[i].is_auxiliary = camera.is_auxiliary;
      views[i].camera = refractive_camera(camera);
      views[i].grey = read_grey(image_file(dataset_dir / "images" / camera.name), camera.intrinsics);
      read_mask_of(dataset_dir / "masks" / camera.name / "000000.png", camera.intrinsics, views[i]);
    }
  });
  return views;
}

constexpr int kCoarseWidth_px = 640;

constexpr double kWidestTurn_deg = 75;  // between the axes of two cameras that see one side of a surface
constexpr int kOverlapGrid = 5;         // places of the image along each side
constexpr int kLeastShared = 4;         // of these 25 places, at one distance

double axis_cosine(const RefractiveCamera& a, const RefractiveCamera& b) {
  return a.rotation[6] * b.rotation[6] + a.rotation[7] * b.rotation[7] + a.rotation[8] * b.rotation[8];
}

// Returns whether the cameras look the same way and one sees, at some distance, what the other sees there.
bool may_share_a_place(const RefractiveCamera& reference, const RefractiveCamera& other) {
  if (axis_cosine(reference, other) < std::cos(kWidestTurn_deg * std::numbers::pi / 180)) return false;
  const double baseline_m = (to_vec3(reference.centre_m) - to_vec3(other.centre_m)).norm();
  for (const double baselines : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0}) {
    int shared = 0;
    for (int row = 0; row < kOverlapGrid; ++row)
      for (int column = 0; column < kOverlapGrid; ++column) {
        const Vec2 pixel((column + 0.5) * reference.width_px / kOverlapGrid - 0.5,
                         (row + 0.5) * reference.height_px / kOverlapGrid - 0.5);
        const auto ray = cast_ray(reference, pixel);
        const auto seen = ray ? project(other, point_on_ray(*ray, baselines * baseline_m)) : std::nullopt;
        if (seen && is_in_image(other, seen->pixel.x(), seen->pixel.y())) ++shared;
      }
    if (shared >= kLeastShared) return true;
  }
  return false;
}

}  // namespace

plane_sweep::View DatasetView::view() const {
  return {camera, {camera.width_px, camera.height_px, grey.data()}};
}

std::vector<DatasetView> read_dataset_views(const std::filesystem::path& dataset_dir,
                                            const DatasetViewOptions& options) {
  keep_freed_memory();  // pyramids, maps and clouds are as large for each camera
  const Rig rig = read_calibration(dataset_dir / "calibration.json");
  std::vector<DatasetView> views = read_images(dataset_dir, rig);
  {
    const StageScope scope("undistortion");
    for (std::size_t i = 0; i < views.size(); ++i) undistort(rig.cameras[i].intrinsics, views[i]);
  }
  if (options.clahe) {
    const StageScope scope("contrast_enhancement");
    cv::setNumThreads(thread_count());
    for (DatasetView& view : views) enhance_contrast(options, view);
  }
  return views;
}

Vec3 move_origin_to(std::span<DatasetView> views) {
  constexpr double kStep_m = 100;
  Vec3 sum_m = Vec3::Zero();
  for (const DatasetView& view : views) sum_m += to_vec3(view.camera.centre_m);
  const Vec3 steps = (sum_m / (kStep_m * static_cast<double>(views.size()))).array().round();
  const Vec3 origin_m = kStep_m * steps;
  for (DatasetView& view : views) {
    for (int axis = 0; axis < 3; ++axis) view.camera.centre_m[axis] -= origin_m[axis];
    view.camera.water_z_m -= origin_m.z();
  }
  return origin_m;
}

DatasetView reduced(const DatasetView& view, int factor) {
  DatasetView small{view.name, view.is_auxiliary, view.camera, {}, {}, view.has_mask};
  RefractiveCamera& camera = small.camera;
  camera.width_px /= factor;
  camera.height_px /= factor;
  camera.fx_px /= factor;
  camera.fy_px /= factor;
  // The centre of a reduced pixel is at factor * i + (factor - 1) / 2.
  camera.cx_px = (camera.cx_px - 0.5 * (factor - 1)) / factor;
  camera.cy_px = (camera.cy_px - 0.5 * (factor - 1)) / factor;
  for (int y = 0; y < camera.height_px; ++y)
    for (int x = 0; x < camera.width_px; ++x) {
      double sum = 0;
      std::uint8_t inside = 1;
      for (int j = 0; j < factor; ++j)
        for (int i = 0; i < factor; ++i) {
          const auto from =
              static_cast<std::size_t>((y * factor + j) * view.camera.width_px + x * factor + i);
          sum += view.grey[from];
          if (view.inside[from] == 0) inside = 0;
        }
      small.grey.push_back(static_cast<float>(sum / (factor * factor)));
      small.inside.push_back(inside);
    }
  return small;
}

std::vector<DatasetView> coarse_views(std::span<const DatasetView> views) {
  const auto factor = [](const DatasetView& view) {
    return std::max(1, view.camera.width_px / kCoarseWidth_px);
  };
  if (std::ranges::none_of(views, [&](const DatasetView& view) { return factor(view) > 1; })) return {};
  std::vector<DatasetView> coarse(views.size());
  parallel_for(views.size(), 1,
               [&](std::size_t i, std::size_t) { coarse[i] = reduced(views[i], factor(views[i])); });
  return coarse;
}

std::vector<std::size_t> select_sources(std::span<const DatasetView> views, std::size_t reference,
                                        std::size_t nearest) {
  std::vector<std::pair<long long, std::size_t>> by_distance;  // in nanometres, so that ties are exact
  std::vector<std::size_t> sources, auxiliary;
  const Vec3 from_m = to_vec3(views[reference].camera.centre_m);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const long long away = std::llround((to_vec3(views[i].camera.centre_m) - from_m).norm() * 1e9);
    if (i == reference || away == 0) continue;
    if (!views[i].is_auxiliary)
      by_distance.emplace_back(away, i);
    else if (may_share_a_place(views[reference].camera, views[i].camera))
      auxiliary.push_back(i);
  }
  std::ranges::sort(by_distance);
  for (const auto& candidate : by_distance) {
    if (sources.size() == nearest) break;
    if (may_share_a_place(views[reference].camera, views[candidate.second].camera))
      sources.push_back(candidate.second);
  }
  sources.insert(sources.end(), auxiliary.begin(), auxiliary.end());
  return sources;
}

}  // namespace aqbench
