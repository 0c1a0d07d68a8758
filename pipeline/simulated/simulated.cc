#include "pipeline/simulated/simulated.h"

#include <algorithm>
#include <span>

#include "core/parallel.h"
#include "core/random.h"
#include "core/stage_scope.h"
#include "scenes/scene.h"

namespace aqbench {
namespace {

constexpr std::size_t kGrain = 4096;  // points that a thread takes at a time

std::vector<Vec3> sample_true_positions(const Surface& surface, std::uint64_t seed, std::size_t count) {
  const StageScope scope("sampling");
  std::vector<Vec3> positions_m(count);
  parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
    surface.sample_positions(seed, begin, std::span(positions_m).subspan(begin, end - begin));
  });
  return positions_m;
}

Vec3 isotropic_noise(std::uint64_t seed, std::uint64_t index, double sigma_m) {
  const RandomKey key{seed, RandomStream::point_noise};
  const auto [x, y] = normal_pair(key, index, 0);
  const double z = normal_pair(key, index, 1)[0];
  return sigma_m * Vec3(x, y, z);
}

// Drops points, keeping the order of the others, and adds noise to them.
void thin_and_blur(std::vector<Vec3>& positions_m, std::uint64_t seed, double sigma_m, double dropout) {
  const StageScope scope("noise");
  std::vector<char> survives(positions_m.size());
  parallel_for(positions_m.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      survives[i] = uniform01({seed, RandomStream::dropout}, i) >= dropout;
      if (survives[i] != 0) positions_m[i] += isotropic_noise(seed, i, sigma_m);
    }
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < positions_m.size(); ++i)
    if (survives[i] != 0) positions_m[kept++] = positions_m[i];
  positions_m.resize(kept);
}

}  // namespace

std::vector<ParameterSpec> simulated_parameters(const SimulatedProfile& profile) {
  return {
      count_parameter("points", "1", profile.points, 1, 1e8,
                      "points sampled on the true surface, before dropout"),
      number_parameter("noise_sigma_m", "m", profile.noise_sigma_m, 0, 1,
                       "standard deviation of the noise on each axis"),
      number_parameter("dropout", "1", profile.dropout, 0, 1, "probability that a point is missing"),
  };
}

std::vector<std::string> simulated_stages() { return {"simulation", "sampling", "noise"}; }

Reconstruction simulate(const SceneTruth& truth, const MethodInput& input) {
  const StageScope scope("simulation");
  const auto count = static_cast<std::size_t>(input.parameters.integer("points"));
  Reconstruction result;
  result.cloud.points_m = sample_true_positions(*truth.surface, input.seed, count);
  thin_and_blur(result.cloud.points_m, input.seed, input.parameters.number("noise_sigma_m"),
                input.parameters.number("dropout"));
  return result;
}

}  // namespace aqbench
