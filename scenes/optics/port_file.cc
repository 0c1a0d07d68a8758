#include "scenes/optics/port_file.h"

namespace aqbench {
namespace {

constexpr std::string_view kFlatPort = "FLATPORT", kDomePort = "DOMEPORT";

}  // namespace

std::string_view port_name(PortModel model) { return model == PortModel::flat ? kFlatPort : kDomePort; }

std::optional<PortModel> port_model(std::string_view name) {
  if (name == kFlatPort) return PortModel::flat;
  if (name == kDomePort) return PortModel::dome;
  return std::nullopt;
}

std::array<double, kPortNumbers> port_numbers(const Port& port) {
  return {port.axis.x(),    port.axis.y(), port.axis.z(), port.distance_m,
          port.thickness_m, port.n_air,    port.n_glass,  port.n_water};
}

Port port_of(PortModel model, std::span<const double, kPortNumbers> numbers) {
  return {model,     {numbers[0], numbers[1], numbers[2]}, numbers[3], numbers[4], numbers[5], numbers[6],
          numbers[7]};
}

std::optional<Port> port_through(const Camera& camera) {
  if (const Port* const port = std::get_if<Port>(&camera.interface)) return *port;
  const WaterInterface* const water = level_water(camera);
  const Vec3 down = camera.camera_from_world.rotation.col(2);
  if (water == nullptr || !(down.z() > 0)) return std::nullopt;
  return Port{PortModel::flat,
              down,
              water->water_z_m - camera_centre_m(camera.camera_from_world).z(),
              0,
              water->n_air,
              water->n_water,
              water->n_water};
}

}  // namespace aqbench
