#pragma once
// A textured surface under flat water seen by a ring of cameras, rendered through the exact model without a
// library: for tests, benchmarks and the workload of the plane sweep.

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"

namespace aqbench::plane_sweep {

// Options of the scene.
struct SyntheticScene {
  int width_px = 160;
  int height_px = 120;
  double focal_px = 0;  // 0: 1504.6 at a width of 1600 px
  int sources = 4;      // the nearest ring cameras
  double plane_z_m = 1.178;
  double amplitude_m = 0;  // of two sine waves, 50 and 65 mm long
  double contrast = 0.15;  // RMS about the mean 0.5
  double noise = 0;        // RMS of white noise, grey units
  double wavelength_min_m = 0.002;
  double wavelength_max_m = 0.02;
  int ring_cameras = 12;
};

// The images, their truth, and the input of a plane sweep over them.
struct SyntheticViews {
  std::vector<std::vector<float>> images;  // reference first
  std::vector<float> true_depth_m;         // of the reference, along the ray
  Input input;                             // points into images
};

// Returns a number in [0, 1) from a counter: splitmix64 (Steele et al. 2014).
inline double hashed_unit(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9e3779b97f4a7c15ULL + 0x632be59bd9b4e019ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Aperiodic band-limited texture: waves of random direction, phase and length.
class WaveTexture {
 public:
  explicit WaveTexture(const SyntheticScene& scene) : amplitude_(scene.contrast * std::sqrt(2.0 / kWaves)) {
    for (int i = 0; i < kWaves; ++i) {
      const double angle = 6.283185307179586 * hashed_unit(3 * i);
      const double length = scene.wavelength_min_m *
                            std::pow(scene.wavelength_max_m / scene.wavelength_min_m, hashed_unit(3 * i + 1));
      waves_.push_back({6.283185307179586 / length * std::cos(angle),
                        6.283185307179586 / length * std::sin(angle),
                        6.283185307179586 * hashed_unit(3 * i + 2)});
    }
  }
  double grey(double x_m, double y_m) const {
    double sum = 0;
    for (const Wave& wave : waves_) sum += std::sin(wave.x * x_m + wave.y * y_m + wave.phase);
    return 0.5 + amplitude_ * sum;
  }

 private:
  static constexpr int kWaves = 24;
  struct Wave {
    double x, y, phase;
  };
  double amplitude_;
  std::vector<Wave> waves_;
};

// Returns camera number `index` of a ring of radius 0.635 m at z = 0 that looks at (0, 0, 1.178); water
// surface at 0.978 m.
inline RefractiveCamera ring_camera(const SyntheticScene& scene, int index) {
  const double angle = 6.283185307179586 * index / scene.ring_cameras;
  const double centre[3] = {0.635 * std::cos(angle), 0.635 * std::sin(angle), 0};
  const double length = std::sqrt(0.635 * 0.635 + 1.178 * 1.178);
  const double forward[3] = {-centre[0] / length, -centre[1] / length, 1.178 / length};
  // Image x points along the world's x as far as the view direction allows.
  const double norm = std::sqrt(forward[0] * forward[0] + forward[2] * forward[2]);
  const double right[3] = {forward[2] / norm, 0, -forward[0] / norm};
  const double down[3] = {forward[1] * right[2] - forward[2] * right[1],
                          forward[2] * right[0] - forward[0] * right[2],
                          forward[0] * right[1] - forward[1] * right[0]};
  RefractiveCamera camera;
  camera.width_px = scene.width_px;
  camera.height_px = scene.height_px;
  camera.fx_px = camera.fy_px = scene.focal_px > 0 ? scene.focal_px : 1504.6 * scene.width_px / 1600;
  camera.cx_px = 0.5 * (scene.width_px - 1);
  camera.cy_px = 0.5 * (scene.height_px - 1);
  std::array<double, 9> rotation{};
  std::array<double, 3> translation_m{};
  for (int k = 0; k < 3; ++k) {
    rotation[k] = right[k];
    rotation[3 + k] = down[k];
    rotation[6 + k] = forward[k];
  }
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k < 3; ++k) translation_m[row] -= rotation[3 * row + k] * centre[k];
  set_pose(camera, rotation, translation_m);
  set_water(camera, 0.978, 1, 1.333);
  return camera;
}

// Returns the depth along a ray at which it meets the surface, metres.
inline double surface_depth_m(const SyntheticScene& scene, const WaterRay& ray) {
  double depth_m = (scene.plane_z_m - ray.origin_m[2]) / ray.direction[2];
  if (scene.amplitude_m == 0) return depth_m;
  for (int i = 0; i < 40; ++i) {
    const double x = ray.origin_m[0] + depth_m * ray.direction[0],
                 y = ray.origin_m[1] + depth_m * ray.direction[1];
    const double z = scene.plane_z_m + scene.amplitude_m * (std::sin(6.283185307179586 * x / 0.05) +
                                                            std::sin(6.283185307179586 * y / 0.065));
    depth_m += 0.7 * ((z - ray.origin_m[2]) / ray.direction[2] - depth_m);
  }
  return depth_m;
}

// Renders one image and, if not nullptr, the true depths along the rays. Uses parallel_for.
inline void render_view(const SyntheticScene& scene, const RefractiveCamera& camera, std::uint64_t seed,
                        std::vector<float>& image, std::vector<float>* true_depth_m) {
  const WaveTexture texture(scene);
  const std::size_t pixels = static_cast<std::size_t>(camera.width_px) * camera.height_px;
  image.resize(pixels);
  if (true_depth_m != nullptr) true_depth_m->resize(pixels);
  parallel_for(camera.height_px, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y)
      for (std::size_t x = 0; x < static_cast<std::size_t>(camera.width_px); ++x) {
        const std::size_t i = y * camera.width_px + x;
        WaterRay ray;
        cast_ray_fast(camera, static_cast<double>(x), static_cast<double>(y), ray);
        const double depth_m = surface_depth_m(scene, ray);
        double grey = texture.grey(ray.origin_m[0] + depth_m * ray.direction[0],
                                   ray.origin_m[1] + depth_m * ray.direction[1]);
        for (std::uint64_t k = 0; scene.noise > 0 && k < 12; ++k)  // sum of uniforms, nearly Gaussian
          grey += scene.noise * (hashed_unit((seed * pixels + i) * 12 + k) - 0.5);
        image[i] = static_cast<float>(grey);
        if (true_depth_m != nullptr) (*true_depth_m)[i] = static_cast<float>(depth_m);
      }
  });
}

// Renders ring camera 0 and its nearest neighbours on both sides, alternating.
inline SyntheticViews render_synthetic(const SyntheticScene& scene, double depth_min_m, double depth_max_m) {
  SyntheticViews views;
  views.images.resize(static_cast<std::size_t>(scene.sources) + 1);
  views.input.depth_min_m = depth_min_m;
  views.input.depth_max_m = depth_max_m;
  for (int i = 0; i <= scene.sources; ++i) {
    const int offset = (i + 1) / 2, index = i % 2 == 1 ? offset : scene.ring_cameras - offset;
    View view;
    view.camera = ring_camera(scene, i == 0 ? 0 : index);
    render_view(scene, view.camera, static_cast<std::uint64_t>(i), views.images[i],
                i == 0 ? &views.true_depth_m : nullptr);
    view.image = {scene.width_px, scene.height_px, views.images[i].data()};
    if (i == 0)
      views.input.reference = view;
    else
      views.input.sources.push_back(view);
  }
  return views;
}

}  // namespace aqbench::plane_sweep
