#include "harness/scoring/agreement.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/registry.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

constexpr int kEveryPixel = 8;
constexpr double kAgrees_px = 1;

struct MapCamera {
  const DepthMap* map;
  RefractiveCamera camera;
};

std::vector<MapCamera> map_cameras(std::span<const DepthMap> maps, const Rig& rig) {
  std::vector<MapCamera> views;
  for (const DepthMap& map : maps) {
    const Camera* const camera = find_camera(rig, map.camera);
    if (camera == nullptr) throw method_error("depth map of '{}': there is no such camera", map.camera);
    if (map.width != camera->intrinsics.width_px || map.height != camera->intrinsics.height_px)
      throw method_error("depth map of {}: {} x {} px where its camera has {} x {}", map.camera, map.width,
                         map.height, camera->intrinsics.width_px, camera->intrinsics.height_px);
    views.push_back({&map, refractive_camera(*camera)});
  }
  return views;
}

// The point that a map gives at a pixel.
std::optional<Vec3> point_of(const MapCamera& view, int x, int y) {
  const float depth_m =
      view.map->depth_along_ray_m[static_cast<std::size_t>(y) * static_cast<std::size_t>(view.map->width) +
                                  static_cast<std::size_t>(x)];
  if (!has_depth(depth_m)) return std::nullopt;
  const auto ray = cast_ray(view.camera, Vec2(x, y));
  return ray ? std::optional(point_on_ray(*ray, depth_m)) : std::nullopt;
}

// How far from its pixel a point comes back by way of the other camera's depth; nullopt where that has none.
std::optional<double> there_and_back_px(const MapCamera& view, const MapCamera& other, const Vec2& pixel,
                                        const Vec3& point_m) {
  const auto there = project(other.camera, point_m);
  if (!there) return std::nullopt;
  const auto depth_m = interpolated_depth_m(*other.map, there->pixel);
  const auto ray = cast_ray(other.camera, there->pixel);
  if (!depth_m || !ray) return std::nullopt;
  const auto back = project(view.camera, point_on_ray(*ray, *depth_m));
  return back ? std::optional((back->pixel - pixel).norm()) : std::nullopt;
}

constexpr std::size_t kMaxPoints = 2000;
constexpr int kHalfSide = 3;  // 7 x 7 places
constexpr std::size_t kPlaces = (2 * kHalfSide + 1) * (2 * kHalfSide + 1);
constexpr double kLeastTexture = 1.0 / 255;
constexpr double kAlike = 0.7;
constexpr double kStep_m = 1e-4;  // by which the size of a pixel on the surface is found

using WindowPlaces = std::array<Vec3, kPlaces>;
using WindowValues = std::optional<std::array<float, kPlaces>>;

// A window on the surface, and which camera looks at it most straightly.
struct SurfaceWindow {
  WindowPlaces places_m;
  std::size_t reference = 0;
};

// How a camera sees a point.
struct Sight {
  std::size_t camera;
  Vec2 pixel;
  Vec3 towards;  // from the point along the refracted ray, unit length
};

std::vector<RefractiveCamera> refractive_cameras(const Rig& rig) {
  std::vector<RefractiveCamera> cameras;
  for (const Camera& camera : rig.cameras) cameras.push_back(refractive_camera(camera));
  return cameras;
}

std::vector<Sight> sights_of(const Vec3& point_m, std::span<const RefractiveCamera> cameras) {
  std::vector<Sight> sights;
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const auto seen = project(cameras[i], point_m);
    if (!seen || !is_in_image(cameras[i], seen->pixel.x(), seen->pixel.y())) continue;
    if (const auto ray = cast_ray(cameras[i], seen->pixel))
      sights.push_back({i, seen->pixel, -to_vec3(ray->direction)});
  }
  return sights;
}

// Pixels of an image on a metre of the surface.
double pixels_per_metre(const RefractiveCamera& camera, const Sight& sight, const Vec3& point_m,
                        std::span<const Vec3> tangents) {
  double most = 0;
  for (const Vec3& tangent : tangents)
    if (const auto moved = project(camera, point_m + kStep_m * tangent))
      most = std::max(most, (moved->pixel - sight.pixel).norm() / kStep_m);
  return most;
}

std::optional<SurfaceWindow> window_at(const PointCloud& cloud, std::size_t index,
                                       std::span<const RefractiveCamera> cameras) {
  const Vec3& point_m = cloud.points_m[index];
  if (!point_m.allFinite()) return std::nullopt;
  const std::vector<Sight> sights = sights_of(point_m, cameras);
  if (sights.size() < 2) return std::nullopt;
  Vec3 normal = Vec3::Zero();
  for (const Sight& sight : sights) normal += sight.towards;
  if (!cloud.normals.empty() && cloud.normals[index].allFinite() && cloud.normals[index].norm() > 0)
    normal = std::copysign(1.0, normal.dot(cloud.normals[index])) * cloud.normals[index];
  if (!(normal.norm() > 0)) return std::nullopt;
  normal.normalize();
  const Vec3 across = normal.unitOrthogonal();
  const std::array tangents = {across, Vec3(normal.cross(across))};
  double coarsest = std::numeric_limits<double>::infinity();
  for (const Sight& sight : sights)
    coarsest = std::min(coarsest, pixels_per_metre(cameras[sight.camera], sight, point_m, tangents));
  if (!(coarsest > 0)) return std::nullopt;
  SurfaceWindow window;
  std::size_t place = 0;
  for (int j = -kHalfSide; j <= kHalfSide; ++j)
    for (int i = -kHalfSide; i <= kHalfSide; ++i)
      window.places_m[place++] = point_m + (i * tangents[0] + j * tangents[1]) / coarsest;
  window.reference = std::ranges::max_element(sights, {}, [&](const Sight& sight) {
                       return sight.towards.dot(normal);
                     })->camera;
  return window;
}

// Between four pixels; none outside of the image.
std::optional<float> grey_at(const GreyImage& image, const Vec2& pixel) {
  const double left = std::floor(pixel.x()), top = std::floor(pixel.y());
  if (!(left >= 0 && top >= 0 && left + 1 < image.width && top + 1 < image.height)) return std::nullopt;
  const auto u = static_cast<float>(pixel.x() - left), v = static_cast<float>(pixel.y() - top);
  const float* const row = image.values.data() +
                           static_cast<std::size_t>(top) * static_cast<std::size_t>(image.width) +
                           static_cast<std::size_t>(left);
  const float* const below = row + image.width;
  return (1 - v) * ((1 - u) * row[0] + u * row[1]) + v * ((1 - u) * below[0] + u * below[1]);
}

WindowValues values_of(const SurfaceWindow& window, const Camera& camera, const RefractiveCamera& refractive,
                       const GreyImage& image) {
  std::array<float, kPlaces> values{};
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const auto seen = project(refractive, window.places_m[i]);
    if (!seen || !is_in_image(refractive, seen->pixel.x(), seen->pixel.y())) return std::nullopt;
    const auto grey = grey_at(image, distort_pixel(camera.intrinsics, seen->pixel));
    if (!grey) return std::nullopt;
    values[i] = *grey;
  }
  return values;
}

// What each image shows of each window: of_cameras[camera][window].
std::vector<std::vector<WindowValues>> sample_images(std::span<const std::optional<SurfaceWindow>> windows,
                                                     const Rig& rig,
                                                     std::span<const RefractiveCamera> cameras,
                                                     const ImageOfCamera& image_of) {
  std::vector<std::vector<WindowValues>> of_cameras(cameras.size());
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const GreyImage image = image_of(i);
    of_cameras[i].resize(windows.size());
    parallel_for(windows.size(), 32, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p)
        if (windows[p]) of_cameras[i][p] = values_of(*windows[p], rig.cameras[i], cameras[i], image);
    });
  }
  return of_cameras;
}

// How alike the reference and the other images are: the median; nullopt where there is no pair with texture.
std::optional<double> likeness_of(const SurfaceWindow& window, std::size_t index,
                                  std::span<const std::vector<WindowValues>> of_cameras) {
  const WindowValues& reference = of_cameras[window.reference][index];
  if (!reference) return std::nullopt;
  std::vector<double> likenesses;
  for (std::size_t i = 0; i < of_cameras.size(); ++i) {
    if (i == window.reference || !of_cameras[i][index]) continue;
    const double likeness = window_likeness(*reference, *of_cameras[i][index]);
    if (std::isfinite(likeness)) likenesses.push_back(likeness);
  }
  if (likenesses.empty()) return std::nullopt;
  return median_in_place(likenesses);
}

}  // namespace

std::optional<double> interpolated_depth_m(const DepthMap& map, const Vec2& pixel) {
  const double x = std::floor(pixel.x()), y = std::floor(pixel.y());
  if (!(x >= 0 && y >= 0 && x + 1 < map.width && y + 1 < map.height)) return std::nullopt;
  const double u = pixel.x() - x, v = pixel.y() - y;
  const std::size_t first =
      static_cast<std::size_t>(y) * static_cast<std::size_t>(map.width) + static_cast<std::size_t>(x);
  const float* const row = map.depth_along_ray_m.data() + first;
  const float* const below = row + map.width;
  for (const float depth_m : {row[0], row[1], below[0], below[1]})
    if (!has_depth(depth_m)) return std::nullopt;
  return (1 - v) * ((1 - u) * double{row[0]} + u * double{row[1]}) +
         v * ((1 - u) * double{below[0]} + u * double{below[1]});
}

MetricSet measure_consistency(std::span<const DepthMap> maps, const Rig& rig) {
  const std::vector<MapCamera> views = map_cameras(maps, rig);
  std::vector<double> errors_px;
  for (const MapCamera& view : views) {
    const auto rows = static_cast<std::size_t>((view.map->height + kEveryPixel - 1) / kEveryPixel);
    std::vector<std::vector<double>> of_rows(rows);
    parallel_for(rows, 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row)
        for (int x = 0; x < view.map->width; x += kEveryPixel) {
          const int y = static_cast<int>(row) * kEveryPixel;
          const auto point_m = point_of(view, x, y);
          if (!point_m) continue;
          for (const MapCamera& other : views)
            if (&other != &view)
              if (const auto error_px = there_and_back_px(view, other, Vec2(x, y), *point_m))
                of_rows[row].push_back(*error_px);
        }
    });
    for (const auto& of_row : of_rows) errors_px.insert(errors_px.end(), of_row.begin(), of_row.end());
  }
  MetricWriter writer;
  if (errors_px.empty()) {
    const char* const reason =
        maps.empty() ? kNoDepthMaps : "no two depth maps have a depth of the same place";
    writer.add_rest_undefined(ScoreFamily::reprojection, reason);
    return writer.take();
  }
  const auto within = std::ranges::count_if(errors_px, [](double px) { return px <= kAgrees_px; });
  writer.add("reprojection_within_1px_pct",
             100 * static_cast<double>(within) / static_cast<double>(errors_px.size()));
  writer.add("reprojection_median_px", median_in_place(errors_px));
  return writer.take();
}

double window_likeness(std::span<const float> a, std::span<const float> b) {
  double mean_a = 0, mean_b = 0;
  const auto count = static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / count;
    mean_b += b[i] / count;
  }
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  const double least = count * kLeastTexture * kLeastTexture;
  if (!(aa >= least && bb >= least)) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0);
}

std::vector<double> point_likenesses(const PointCloud& cloud, std::span<const std::uint32_t> index,
                                     const Rig& rig, const ImageOfCamera& image_of) {
  const std::vector<RefractiveCamera> cameras = refractive_cameras(rig);
  std::vector<std::optional<SurfaceWindow>> windows(index.size());
  parallel_for(windows.size(), 32, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) windows[i] = window_at(cloud, index[i], cameras);
  });
  const auto of_cameras = sample_images(windows, rig, cameras, image_of);
  std::vector<double> likenesses;
  for (std::size_t i = 0; i < windows.size(); ++i)
    likenesses.push_back(
        (windows[i] ? likeness_of(*windows[i], i, of_cameras) : std::nullopt).value_or(std::nan("")));
  return likenesses;
}

std::vector<int> images_showing(const PointCloud& cloud, std::span<const std::uint32_t> index,
                                const Rig& rig) {
  const std::vector<RefractiveCamera> cameras = refractive_cameras(rig);
  std::vector<int> counts(index.size());
  parallel_for(index.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      counts[i] = static_cast<int>(sights_of(cloud.points_m[index[i]], cameras).size());
  });
  return counts;
}

// The share of the squares of all images in which one of these points lies.
static double coverage_pct(const PointCloud& cloud, const Rig& rig) {
  constexpr int kSquare_px = 16;
  constexpr std::size_t kMaxProjected = 200'000;
  const std::size_t points = cloud.points_m.size(), projected = std::min(points, kMaxProjected);
  const std::vector<RefractiveCamera> cameras = refractive_cameras(rig);
  std::vector<std::size_t> covered(cameras.size()), squares(cameras.size());
  parallel_for(cameras.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t camera = begin; camera < end; ++camera) {
      const Intrinsics& inside = rig.cameras[camera].intrinsics;
      const int columns = (inside.width_px + kSquare_px - 1) / kSquare_px,
                rows = (inside.height_px + kSquare_px - 1) / kSquare_px;
      std::vector<bool> has_point(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
      for (std::size_t i = 0; i < projected; ++i) {
        const Vec3& point_m = cloud.points_m[i * points / projected];
        if (!point_m.allFinite()) continue;
        const auto seen = project(cameras[camera], point_m);
        if (!seen || !is_in_image(cameras[camera], seen->pixel.x(), seen->pixel.y())) continue;
        const int column = std::clamp(static_cast<int>(seen->pixel.x() + 0.5) / kSquare_px, 0, columns - 1),
                  row = std::clamp(static_cast<int>(seen->pixel.y() + 0.5) / kSquare_px, 0, rows - 1);
        has_point[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(column)] = true;
      }
      squares[camera] = has_point.size();
      covered[camera] = static_cast<std::size_t>(std::ranges::count(has_point, true));
    }
  });
  const auto sum = [](const std::vector<std::size_t>& counts) {
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  };
  return 100 * sum(covered) / std::max(sum(squares), 1.0);
}

MetricSet measure_photometric(const PointCloud& cloud, const Rig& rig, const ImageOfCamera& image_of) {
  const std::size_t points = cloud.points_m.size(), sampled = std::min(points, kMaxPoints);
  std::vector<std::uint32_t> index;
  for (std::size_t i = 0; i < sampled; ++i) index.push_back(static_cast<std::uint32_t>(i * points / sampled));
  std::vector<double> likenesses = point_likenesses(cloud, index, rig, image_of);
  std::erase_if(likenesses, [](double likeness) { return std::isnan(likeness); });
  MetricWriter writer;
  writer.add("photometric_points", static_cast<double>(likenesses.size()));
  writer.add("photometric_cloud_points", static_cast<double>(points));
  writer.add("photometric_coverage_pct", coverage_pct(cloud, rig));
  if (likenesses.empty()) {
    writer.add_rest_undefined(ScoreFamily::photometric,
                              "no two images show a point of the cloud with some texture");
    return writer.take();
  }
  const auto alike = std::ranges::count_if(likenesses, [](double likeness) { return likeness >= kAlike; });
  writer.add("photometric_agree_pct",
             100 * static_cast<double>(alike) / static_cast<double>(likenesses.size()));
  writer.add("photometric_zncc_median", median_in_place(likenesses));
  return writer.take();
}

}  // namespace aqbench
