#pragma once
// Ports as files have them, by the refractive COLMAP (MDSKiel/colmap_underwater, models_refrac.h):
//   FLATPORT Nx Ny Nz int_dist int_thick na ng nw
//   DOMEPORT Cx Cy Cz int_radius int_thick na ng nw

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "scenes/optics/camera.h"

namespace aqbench {

inline constexpr std::size_t kPortNumbers = 8;

// Returns "FLATPORT" or "DOMEPORT".
std::string_view port_name(PortModel model);

// Returns the model of such a name, nullopt for another one.
std::optional<PortModel> port_model(std::string_view name);

// Return a port's numbers in the order of files, and the port of such numbers, unchecked.
std::array<double, kPortNumbers> port_numbers(const Port& port);
Port port_of(PortModel model, std::span<const double, kPortNumbers> numbers);

// Returns the port that bends a camera's rays as its interface does: its own, or level water as a pane
// without thickness. nullopt for a camera without an interface, and above level water for one that does not
// look down, which has no such pane.
std::optional<Port> port_through(const Camera& camera);

}  // namespace aqbench
