#include "pipeline/opencl/camera_tables.h"
#include "pipeline/opencl/device.h"

namespace aqbench::opencl {
namespace {

class Maps final : public DeviceMaps {
 public:
  Maps(const std::string& device, const std::vector<DevicePlane>& maps) : device_(open_device(device)) {
    for (const DevicePlane& map : maps) {
      const auto width = static_cast<std::size_t>(map.camera.width_px);
      const std::size_t pitch = in_groups(width)[0];
      maps_.push_back({map.camera, pitch * map.camera.height_px,
                       device_.upload<float>(with_pitch(map.depth_m, width, pitch)),
                       device_.upload<float>(with_pitch(map.confidence, width, pitch))});
    }
  }

  std::vector<int> agreeing_views(std::size_t reference, const AgreementLimits& limits) override {
    const Map& map = maps_.at(reference);
    const std::size_t width = static_cast<std::size_t>(map.camera.width_px), pitch = in_groups(width)[0];
    const Buffer rays = device_.upload<float>(ray_table(map.camera, pitch));
    const Buffer counts(device_, map.pixels * sizeof(cl_int));
    device_.fill(counts, 0);  // the bits of 0.0F are those of 0
    for (const Map& other : maps_) {
      if (&other == &map) continue;
      const Buffer camera = device_.upload<float>(camera_table(other.camera, map.camera));
      const Defines defines = {{"INTERFACE", std::to_string(interface_number(other.camera))}};
      device_.run(
          Kernel(device_.program("plane_sweep.cl", defines), "count_agreeing")
              .with(rays, map.depth_m, map.confidence, static_cast<int>(map.pixels),
                    static_cast<float>(limits.min_confidence), camera, other.depth_m, other.camera.width_px,
                    other.camera.height_px, static_cast<int>(other.pixels / other.camera.height_px),
                    static_cast<float>(limits.tolerance_m), static_cast<float>(limits.tolerance_per_m2),
                    counts),
          in_groups(map.pixels));
    }
    std::vector<int> padded(map.pixels), agreeing;
    device_.read(padded.data(), counts, map.pixels * sizeof(cl_int));
    device_.finish();
    for (std::size_t i = 0; i < map.pixels; ++i)
      if (i % pitch < width) agreeing.push_back(padded[i]);
    return agreeing;
  }

 private:
  struct Map {
    RefractiveCamera camera;
    std::size_t pixels;  // with the padding of rows
    Buffer depth_m, confidence;
  };
  Device& device_;
  std::vector<Map> maps_;
};

}  // namespace

std::unique_ptr<DeviceMaps> make_maps(const std::string& device, const std::vector<DevicePlane>& maps) {
  return std::make_unique<Maps>(device, maps);
}

}  // namespace aqbench::opencl
