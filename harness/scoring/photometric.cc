#include "harness/scoring/photometric.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/parallel.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/registry.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

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

MetricSet measure_photometric(const PointCloud& cloud, const Rig& rig, const ImageOfCamera& image_of) {
  const std::size_t points = cloud.points_m.size(), sampled = std::min(points, kMaxPoints);
  std::vector<std::uint32_t> index;
  for (std::size_t i = 0; i < sampled; ++i) index.push_back(static_cast<std::uint32_t>(i * points / sampled));
  std::vector<double> likenesses = point_likenesses(cloud, index, rig, image_of);
  std::erase_if(likenesses, [](double likeness) { return std::isnan(likeness); });
  MetricWriter writer;
  writer.add("photometric_points", static_cast<double>(likenesses.size()));
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
