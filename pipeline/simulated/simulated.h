#pragma once
// Simulated methods sample the true surface, drop points and add noise according to a profile. They replace
// real matchers where only the scoring is under test. Profiles: AquaMVS's synthetic benchmark.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench {

// The number of points of a simulated method and their errors.
struct SimulatedProfile {
  std::int64_t points = 1000;    // sampled, before dropout
  double noise_sigma_m = 0.002;  // of each of x, y, z
  double dropout = 0.10;         // probability that a point is missing
};

// The profile of lightglue_like.
inline constexpr SimulatedProfile kLightglueLike{.points = 1000, .noise_sigma_m = 0.002, .dropout = 0.10};

// The profile of roma_like.
inline constexpr SimulatedProfile kRomaLike{.points = 3000, .noise_sigma_m = 0.001, .dropout = 0.05};

// Returns the parameters points, noise_sigma_m and dropout, with the profile's values as defaults.
std::vector<ParameterSpec> simulated_parameters(const SimulatedProfile& profile);

// Returns the stages that simulate() opens, outermost first.
std::vector<std::string> simulated_stages();

// Makes a cloud of about points * (1 - dropout) points, in the order of their indices. Position, dropout and
// noise of a point depend only on (seed, index): another number of points or threads changes no point.
Reconstruction simulate(const SceneTruth& truth, const MethodInput& input);

}  // namespace aqbench
