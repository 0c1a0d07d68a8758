#pragma once
// Camera rigs by name. To add one: add a row to the table in rig.cc and its test.
//
// Rig frame = world frame. Rigs above the water: the ring lies in the plane z = 0 around the world's Z axis;
// ring camera number i stands at the angle 360 i / n degrees from +X towards +Y. Every camera looks along the
// straight line to the look-at point. Its image's down direction (camera y) is the world's down (+Z) as far
// as it can be seen, so that the image's width is tangent to the ring; the centre camera, which looks along
// +Z, has its image x along +X and y along +Y. Rigs without water have their cameras anywhere; their down is
// +Z too.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"
#include "scenes/optics/camera.h"
#include "scenes/optics/rig_parts.h"

namespace aqbench {

// One row of the table of rigs.
struct RigSpec {
  std::string name;
  std::string summary;  // one line
  std::vector<ParameterSpec> parameters;
  int ring_cameras = 0;        // placed
  int ring_positions = 0;      // of a full ring; the first ring_cameras of them are taken
  bool centre_camera = false;  // auxiliary
  // Places every camera of a rig without level water; nullptr: a ring above the water.
  std::vector<CameraPlace> (*places)(const Parameters& parameters) = nullptr;
  // Makes the port of a placed camera; nullptr: nothing bends its rays.
  Interface (*port)(const Parameters& parameters, const CameraFromWorld& pose) = nullptr;
};

// Returns the table of rigs.
const std::vector<RigSpec>& rig_registry();

// Finds a rig by name. Throws Error(usage) with similar names for an unknown one.
const RigSpec& find_rig(std::string_view name);

// Returns three independent standard normals of a camera. Each use has slots of its own, two each.
Vec3 camera_normals(std::uint64_t seed, std::uint64_t camera, std::uint32_t first_slot);

// Returns the pose of a camera at a position (world), with a rotation (camera_from_world), after it was moved
// and turned about its centre (camera axes).
CameraFromWorld moved_pose(const Vec3& position_m, Mat3 rotation, const Vec3& by_m, const Vec3& turn_rad);

// Returns that pose moved and turned at random by the parameters jitter_position_m and jitter_angle_deg.
CameraFromWorld jittered_pose(const Vec3& position_m, const Mat3& rotation, const Parameters& parameters,
                              std::uint64_t seed, std::uint64_t index);

// Makes a rig. Overrides whose owner is not `name` are ignored. `seed` draws the jitter, if there is any.
// Throws Error(usage) for an unknown rig or bad override, Error(input) if a camera would not be above the
// water.
Rig make_rig(std::string_view name, const std::vector<Override>& overrides, std::uint64_t seed);

// Makes a rig from resolved parameters.
Rig make_rig(const RigSpec& spec, const Parameters& parameters, std::uint64_t seed);

}  // namespace aqbench
