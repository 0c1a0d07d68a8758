#pragma once
// Comparisons made by formula, for the tests of what follows from them.

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>
#include <vector>

#include "harness/ab/aa_validation.h"
#include "harness/ab/document.h"
#include "harness/ab/samples.h"

namespace aqbench {

// One case of `pairs` pairs, B taking `ratio` times as long; outputs alike.
inline AbSamples timed_samples(std::size_t pairs, double ratio, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> a, b;
  for (std::size_t i = 0; i < pairs; ++i) {
    a.push_back(10 * std::exp(0.005 * normal(generator)));
    b.push_back(10 * ratio * std::exp(0.005 * normal(generator)));
  }
  AbSamples samples = ab_samples_from_lists(
      Json{{"cases", Json::array({Json{{"name", "waves/x"}, {"a", a}, {"b", b}}})}}, "test");
  for (AbUnit& unit : samples.units) {
    unit.output_sha256 = "same";
    unit.cold_ms = 30;
    unit.stages = {{"match", {unit.warm_ms[0] / 2}}, {"fuse", {3}}};
  }
  return samples;
}

inline void give_outputs(AbSamples& samples, double accuracy_a_mm, double accuracy_b_mm) {
  for (AbUnit& unit : samples.units) unit.output_sha256 = to_string(unit.side);
  samples.outputs = {{0, AbSide::a, "a", {{"accuracy_mean_mm", {accuracy_a_mm, "mm", Better::lower, ""}}}},
                     {0, AbSide::b, "b", {{"accuracy_mean_mm", {accuracy_b_mm, "mm", Better::lower, ""}}}}};
}

inline AbDocument document_of(AbSamples samples) {
  AbDocument document;
  document.run.id = "20261121T120000Z";
  document.run.warm_runs = 5;
  document.settings.confirm = false;
  document.a.label = "old/aqbench";
  document.a.program_sha256 = "1111";
  document.b.label = "new/aqbench";
  document.b.program_sha256 = "2222";
  document.run.pairs_per_look = samples.units.size() / 2;
  document.samples = std::move(samples);
  return document;
}

// As if the coins had been drawn with another seed.
inline void reorder(AbSamples& samples, std::uint64_t order_seed) {
  samples.order_seed = order_seed;
  for (std::size_t i = 0; i + 1 < samples.units.size(); i += 2)
    if (samples.units[i].side != first_side(order_seed, i / 2))
      std::swap(samples.units[i], samples.units[i + 1]);
}

inline AaValidationDocument validation_of(double delay, double aa_ratio = 1) {
  AaValidationDocument document;
  document.run.id = "20261121T120000Z";
  document.program.label = "this program";
  document.draws = 200;
  document.series = {{"", "", timed_samples(160, aa_ratio, 1)},
                     {"*", "+5%", timed_samples(130, 1 + delay, 2)},
                     {"match", "+5%", timed_samples(130, 1 + delay, 3)},
                     {"fuse", "+5%", timed_samples(130, 1 + delay, 4)},
                     {"gone", "+5%", timed_samples(130, 1 + delay, 5)}};
  document.plan = {160, 130, {"*", "match", "fuse", "gone"}, {"tiny"}, {{"threads", "1"}}, 0, 0, {}};
  for (std::size_t i = 0; i < document.series.size(); ++i)
    reorder(document.series[i].samples, series_order_seed(document.policy.seed, i));
  return document;
}

}  // namespace aqbench
