#include "aqbench/scenes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "aqbench/hidden.h"
#include "core/parallel.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/registry.h"
#include "scenes/rendering/imaging.h"
#include "scenes/rendering/visibility.h"

namespace aqbench::v1 {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kGrain = 4096;  // points a thread takes at a time

std::vector<Override> overrides_of(const std::string& owner, const std::vector<Setting>& settings) {
  std::vector<Override> overrides;
  for (const Setting& setting : settings) overrides.push_back({owner, setting.name, setting.value});
  return overrides;
}

std::vector<Camera> cameras_of(const Rig& rig) {
  check(rig, "rig");
  std::vector<Camera> cameras;
  for (const aqbench::Camera& camera : rig.cameras)
    cameras.emplace_back(std::make_shared<const CameraData>(CameraData{camera, refractive_camera(camera)}));
  return cameras;
}

}  // namespace

Failure::Failure(int the_exit_code, const std::string& message)
    : std::runtime_error(message), exit_code(the_exit_code) {}

// Defined here, so that all programs share one vtable and one type to catch.
Failure::~Failure() = default;

const char* version() { return AQBENCH_VERSION; }

void set_threads(int count) {
  if (count < 1) throw Failure(2, fmt::format("threads: {}: must be at least 1", count));
  set_thread_count(count);
}

Scene::Scene(const std::string& name, const std::vector<Setting>& settings)
    : data_(with_failures([&] {
        return std::make_shared<const SceneData>(SceneData{make_scene(name, overrides_of(name, settings))});
      })) {}

const std::string& Scene::name() const { return data_->scene.name; }
double Scene::area_m2() const { return data_->scene.truth.surface->area_m2(); }

void Scene::closest_points(std::span<const double> points_m, std::span<double> closest_m,
                           std::span<double> normals, std::span<double> signed_distance_m) const {
  if (points_m.size() % 3 != 0) throw Failure(2, "points_m: must hold n x 3 values");
  require_length("closest_m", closest_m.size(), points_m.size());
  if (!normals.empty()) require_length("normals", normals.size(), points_m.size());
  if (!signed_distance_m.empty())
    require_length("signed_distance_m", signed_distance_m.size(), points_m.size() / 3);
  if (!std::ranges::all_of(points_m, [](double value) { return std::isfinite(value); }))
    throw Failure(2, "points_m: a coordinate is not finite");
  with_failures([&] {
    const Surface& surface = *data_->scene.truth.surface;
    parallel_for(points_m.size() / 3, kGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<ClosestPoint> found(end - begin);
      surface.closest_points(as_points(points_m).subspan(begin, end - begin), found);
      for (std::size_t i = begin; i < end; ++i) {
        const ClosestPoint& closest = found[i - begin];
        for (int axis = 0; axis < 3; ++axis) {
          closest_m[3 * i + axis] = closest.position_m[axis];
          if (!normals.empty()) normals[3 * i + axis] = closest.normal[axis];
        }
        if (!signed_distance_m.empty()) signed_distance_m[i] = closest.signed_distance_m;
      }
    });
  });
}

SurfacePoints sample(const Scene& scene, double spacing_m, std::uint64_t seed) {
  if (!(spacing_m > 0) || !std::isfinite(spacing_m))
    throw Failure(2, fmt::format("spacing: {}: must be above 0", spacing_m));
  const Surface& surface = *scene.data().scene.truth.surface;
  SurfacePoints points;
  with_failures([&] {
    for (const Vec3& position : surface.stratified_samples(spacing_m, seed).positions_m)
      points.points_m.insert(points.points_m.end(), position.data(), position.data() + 3);
  });
  std::vector<double> closest(points.points_m.size());
  points.normals.resize(points.points_m.size());
  scene.closest_points(points.points_m, closest, points.normals, {});
  return points;
}

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const SceneSpec& spec : scene_registry()) names.push_back(spec.name);
  return names;
}

std::vector<std::string> rig_names() {
  std::vector<std::string> names;
  for (const RigSpec& spec : rig_registry()) names.push_back(spec.name);
  return names;
}

const std::string& Camera::name() const { return data_->camera.name; }
int Camera::width_px() const { return data_->camera.intrinsics.width_px; }
int Camera::height_px() const { return data_->camera.intrinsics.height_px; }

void Camera::project(std::span<const double> points_m, std::span<double> pixels_px,
                     std::span<double> depth_along_ray_m) const {
  if (points_m.size() % 3 != 0) throw Failure(2, "points_m: must hold n x 3 values");
  const std::size_t count = points_m.size() / 3;
  require_length("pixels_px", pixels_px.size(), 2 * count);
  if (!depth_along_ray_m.empty()) require_length("depth_along_ray_m", depth_along_ray_m.size(), count);
  with_failures([&] {
    parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        double u = kNone, v = kNone, depth_m = kNone;
        if (!aqbench::project(data_->refractive, {points_m[3 * i], points_m[3 * i + 1], points_m[3 * i + 2]},
                              u, v, depth_m))
          u = v = depth_m = kNone;
        pixels_px[2 * i] = u;
        pixels_px[2 * i + 1] = v;
        if (!depth_along_ray_m.empty()) depth_along_ray_m[i] = depth_m;
      }
    });
  });
}

void Camera::cast(std::span<const double> pixels_px, std::span<double> origins_m,
                  std::span<double> directions) const {
  if (pixels_px.size() % 2 != 0) throw Failure(2, "pixels_px: must hold n x 2 values");
  const std::size_t count = pixels_px.size() / 2;
  require_length("origins_m", origins_m.size(), 3 * count);
  require_length("directions", directions.size(), 3 * count);
  with_failures([&] {
    parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        WaterRay ray;
        if (!cast_ray(data_->refractive, pixels_px[2 * i], pixels_px[2 * i + 1], ray)) {
          ray.origin_m = {kNone, kNone, kNone};
          ray.direction = {kNone, kNone, kNone};
        }
        std::ranges::copy(ray.origin_m, origins_m.begin() + static_cast<std::ptrdiff_t>(3 * i));
        std::ranges::copy(ray.direction, directions.begin() + static_cast<std::ptrdiff_t>(3 * i));
      }
    });
  });
}

std::vector<Camera> make_rig(const std::string& name, const std::vector<Setting>& settings,
                             std::uint64_t seed) {
  return with_failures([&] {
    const RigSpec& spec = rig_spec(name);
    return cameras_of(
        make_scene_rig(name,
                       resolve_parameters(spec.name, spec.parameters, overrides_of(spec.name, settings)),
                       seed, nullptr)
            .rig);
  });
}

std::vector<Camera> read_rig(const std::string& calibration_json) {
  return with_failures([&] { return cameras_of(read_rig_file(calibration_json).rig); });
}

std::string calibration_text(const std::vector<Camera>& cameras) {
  return with_failures([&] {
    Rig rig;
    for (const Camera& camera : cameras) rig.cameras.push_back(camera.data().camera);
    return calibration_json(rig, {});
  });
}

std::vector<Camera> parse_rig(const std::string& calibration_text) {
  return with_failures([&] { return cameras_of(parse_calibration(calibration_text, "calibration")); });
}

View render(const Scene& scene, const Camera& camera, const RenderOptions& options) {
  return with_failures([&] {
    const PatchHeightField& surface = renderable_surface(*scene.data().scene.truth.surface, scene.name());
    std::vector<Override> overrides = find_imaging_variant(options.imaging).overrides;
    for (Override& setting : overrides_of("imaging", options.settings))
      overrides.push_back(std::move(setting));
    const Renderer renderer(surface,
                            imaging_options(resolve_parameters("imaging", imaging_parameters(), overrides)),
                            options.seed);
    const CameraData& seen = camera.data();
    RenderedImage image = renderer.image(seen.camera, options.camera_index);
    DepthMap depths = renderer.depth_map(seen.camera);
    return View{image.width, image.height, image.bits, std::move(image.values),
                std::move(depths.depth_along_ray_m)};
  });
}

}  // namespace aqbench::v1
