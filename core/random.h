#pragma once
// Counter-based random numbers: the n-th number is a pure function of (seed, stream, n), so any thread can
// draw any number and results never depend on how work was split. Philox4x32-10: Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011.

#include <array>
#include <cstdint>

namespace aqbench {

// Returns the Philox4x32-10 block of a counter under a key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

// Streams keep independent uses of one seed apart. Add a line for each new use; never renumber.
enum class RandomStream : std::uint32_t {
  surface_position = 1,
  point_noise = 2,
  dropout = 3,
  completeness_samples = 4,
  ripple_field = 5,
  mesh_sampling = 6,
  case_order = 7,
  rig_jitter = 8,
  texture = 9,
  sensor_noise = 10,
  workload_input = 11,
  bootstrap = 21,
  resolution = 22,
  pair_order = 23,
  calibration_blocks = 24,
  registration = 25,
  synthetic_profile = 41,
};

// The key of a random sequence.
struct RandomKey {
  std::uint64_t seed = 0;
  RandomStream stream{};
};

// Returns a number uniform in [0, 1), with 53 random bits. `slot` separates several draws of one index.
double uniform01(RandomKey key, std::uint64_t index, std::uint32_t slot = 0);

// Returns two independent uniforms in [0, 1) of one (index, slot), at the cost of one.
std::array<double, 2> uniform01_pair(RandomKey key, std::uint64_t index, std::uint32_t slot = 0);

// Returns two independent standard normals (Box-Muller) of one (index, slot).
std::array<double, 2> normal_pair(RandomKey key, std::uint64_t index, std::uint32_t slot = 0);

}  // namespace aqbench
