#pragma once
// Samples made by formula for the tests of harness/ab.

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "harness/ab/decision.h"
#include "harness/ab/samples.h"
#include "tests/harness/support.h"

namespace aqbench::test {

struct Units {
  std::vector<double> a, b;
};

// Pairs with a common log-normal disturbance and one of each unit; B is `ratio` times A.
inline Units noisy_units(std::size_t pairs, double ratio, unsigned seed, double cv = 0.008) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Units units;
  for (std::size_t i = 0; i < pairs; ++i) {
    const double common = std::exp(0.5 * cv * normal(generator));
    units.a.push_back(10 * common * std::exp(cv * normal(generator)));
    units.b.push_back(10 * ratio * common * std::exp(cv * normal(generator)));
  }
  return units;
}

inline Json case_json(const std::string& name, const Units& units) {
  return {{"name", name}, {"a", units.a}, {"b", units.b}};
}

inline AbSamples samples_of(const std::vector<Json>& cases) {
  return ab_samples_from_lists(Json{{"cases", cases}}, "test");
}

// The decisions on time; nullopt for a case that failed.
inline std::vector<std::optional<AbTimeDecision>> decide_times(const AbSamples& samples,
                                                               const AbSettings& settings) {
  std::vector<std::optional<AbTimeDecision>> times;
  for (AbCaseDecision& one : decide_cases(samples, settings)) times.push_back(std::move(one.time));
  return times;
}

}  // namespace aqbench::test
