#include "pipeline/opencl/camera_tables.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/parallel.h"

namespace aqbench::opencl {

int interface_number(const RefractiveCamera& camera) {
  if (camera.optics == &kStraightRays) return 0;
  if (camera.optics != &kLevelWaterRays)
    throw Error(ErrorKind::usage,
                "device: OpenCL knows cameras without an interface and above level water only");
  return camera.ratio.air_is_thinner ? 1 : 2;
}

std::vector<float> camera_table(const RefractiveCamera& camera, const RefractiveCamera& reference) {
  std::vector<float> table;
  const double scale[3] = {camera.fx_px, camera.fy_px, 1};
  for (int i = 0; i < 9; ++i) table.push_back(static_cast<float>(scale[i / 3] * camera.rotation[i]));
  table.push_back(static_cast<float>(camera.cx_px));
  table.push_back(static_cast<float>(camera.cy_px));
  for (int i = 0; i < 3; ++i) table.push_back(static_cast<float>(camera.centre_m[i] - reference.centre_m[i]));
  table.push_back(static_cast<float>(camera.water_z_m - reference.centre_m[2]));
  table.push_back(static_cast<float>(camera.water_z_m - camera.centre_m[2]));
  table.push_back(static_cast<float>(camera.ratio.m));
  table.push_back(static_cast<float>(camera.ratio.c));
  table.push_back(static_cast<float>(camera.ratio.saturation));
  return table;
}

std::vector<float> ray_table(const RefractiveCamera& reference, std::size_t pitch) {
  const auto width = static_cast<std::size_t>(reference.width_px),
             height = static_cast<std::size_t>(reference.height_px);
  const std::size_t plane = pitch * height;
  std::vector<float> table(6 * plane, std::numeric_limits<float>::quiet_NaN());
  parallel_for(height, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        WaterRay ray;
        if (!cast_ray_fast(reference, static_cast<double>(x), static_cast<double>(y), ray)) continue;
        for (std::size_t k = 0; k < 3; ++k) {
          table[k * plane + y * pitch + x] = static_cast<float>(ray.origin_m[k] - reference.centre_m[k]);
          table[(3 + k) * plane + y * pitch + x] = static_cast<float>(ray.direction[k]);
        }
      }
  });
  return table;
}

std::vector<float> with_pitch(std::span<const float> values, std::size_t width, std::size_t pitch) {
  std::vector<float> padded(values.size() / width * pitch, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t y = 0; y < values.size() / width; ++y)
    std::ranges::copy(values.subspan(y * width, width),
                      padded.begin() + static_cast<std::ptrdiff_t>(y * pitch));
  return padded;
}

}  // namespace aqbench::opencl
