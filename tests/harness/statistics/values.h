#pragma once
// Samples for the tests of the statistics: seeded noise, and errors that name a field.

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/quantiles.h"
#include "core/random.h"
#include "harness/statistics/pair_plan.h"
#include "harness/statistics/paired.h"

namespace aqbench {

// Independent standard normals; `draw` numbers the sample.
inline std::vector<double> normal_sample(std::uint64_t draw, std::size_t size, std::uint64_t seed = 1) {
  std::vector<double> sample;
  for (std::uint32_t slot = 0; sample.size() < size; ++slot)
    for (const double z : normal_pair({seed, RandomStream::sensor_noise}, draw, slot)) sample.push_back(z);
  sample.resize(size);
  return sample;
}

// Independent Student t with 2 degrees of freedom: symmetric, infinite variance.
inline std::vector<double> heavy_tailed_sample(std::uint64_t draw, std::size_t size, std::uint64_t seed = 1) {
  std::vector<double> sample;
  for (std::uint32_t slot = 0; slot < size; ++slot) {
    const double centred = uniform01({seed, RandomStream::sensor_noise}, draw, slot) + 0x1.0p-54 - 0.5;
    sample.push_back(2 * centred * std::sqrt(2 / (1 - 4 * centred * centred)));  // the quantile function
  }
  return sample;
}

// Times of runs one after another on a shared machine: log-normal noise with lag-1 autocorrelation, and a few
// runs that something else slowed down.
struct MachineNoise {
  double cv = 0.011;
  double autocorrelation = 0.29;
  double spike_chance = 0;  // of a run
  double spike_mean = 0.2;  // how much longer it then takes, exponentially distributed
};
inline std::vector<double> machine_times(const MachineNoise& noise, std::uint64_t draw, std::size_t size,
                                         std::uint64_t seed = 1) {
  std::vector<double> times = normal_sample(draw, size, seed);
  const double fresh = std::sqrt(1 - noise.autocorrelation * noise.autocorrelation);
  double state = normal_sample(draw, 1, seed + 1000000)[0];
  for (std::size_t i = 0; i < size; ++i) {
    state = noise.autocorrelation * state + fresh * times[i];
    times[i] = 0.010 * std::exp(noise.cv * state);
    const auto u = uniform01_pair({seed, RandomStream::dropout}, draw, static_cast<std::uint32_t>(i));
    if (u[0] < noise.spike_chance) times[i] *= 1 - noise.spike_mean * std::log1p(-u[1]);
  }
  return times;
}

inline const MachineNoise kQuiet = {.cv = 0.011, .autocorrelation = 0.29};
inline const MachineNoise kSpiky = {.cv = 0.011, .autocorrelation = 0.29, .spike_chance = 0.05};
inline const MachineNoise kWild = {.cv = 0.10, .autocorrelation = 0.29, .spike_chance = 0.10};

// Units one after another on one machine, each the median of `runs`, paired in coin order. B is `ratio` times
// slower.
inline PairedSeries simulate(const MachineNoise& noise, std::uint64_t draw, std::size_t pairs,
                             std::size_t runs = 1, double ratio = 1) {
  const std::vector<double> times = machine_times(noise, draw, 2 * pairs * runs, 61);
  PairedSeries series;
  series.name = "simulated";
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const auto unit = [&](std::size_t position) {
      const auto first = times.begin() + static_cast<std::ptrdiff_t>((2 * pair + position) * runs);
      return median_of({first, first + static_cast<std::ptrdiff_t>(runs)});
    };
    const std::size_t b = b_runs_first(draw, pair) ? 0 : 1;
    series.u_a.push_back(unit(1 - b));
    series.u_b.push_back(ratio * unit(b));
  }
  return series;
}

}  // namespace aqbench
