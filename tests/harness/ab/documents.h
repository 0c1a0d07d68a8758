#pragma once
// Comparisons made by formula, for the tests of what follows from them.

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>
#include <vector>

#include "harness/ab/document.h"
#include "harness/ab/run.h"
#include "harness/ab/samples.h"

namespace aqbench {

inline StageRecord self_times(const char* name, std::vector<double> self_ms) {
  StageRecord stage{.name = name, .parent = {}};
  stage.self_ms = std::move(self_ms);
  return stage;
}

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
  for (Record& unit : samples.units) {
    unit.output_sha256 = std::string(64, '5');
    unit.timing.cold_ms = 30;
    unit.stages = {self_times("match", {unit.timing.warm_ms[0] / 2}), self_times("fuse", {3})};
  }
  return samples;
}

// The samples as they are read from the records that they are written to.
inline AbSamples reread(const AbSamples& samples) {
  AbSamples again;
  again.order_seed = samples.order_seed;
  again.cases = samples.cases;
  std::vector<Record> records;
  for (const Record& unit : samples.units)
    records.push_back(record_from_json(Json::parse(to_json(unit).dump())));
  add_units(std::move(records), again);
  check_pairs(again);
  return again;
}

inline void give_outputs(AbSamples& samples, double accuracy_a_mm, double accuracy_b_mm) {
  for (Record& record : samples.units) {
    const bool a = record.unit->side == AbSide::a;
    record.output_sha256 = to_string(record.unit->side);
    record.unit->scored = record.unit->pair == 0 && !record.unit->confirms();
    if (record.unit->scored)
      record.metrics = {{"accuracy_mean_mm", {a ? accuracy_a_mm : accuracy_b_mm, "mm", Better::lower, ""}}};
  }
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
    if (samples.units[i].unit->side != first_side(order_seed, i / 2))
      std::swap(samples.units[i], samples.units[i + 1]);
}

// A side compared with itself and with itself `delay` times as slow, so often each; `ratio` is by how much B
// is slower all the time.
inline AbDocument validation_document(std::size_t comparisons, double delay, double ratio = 1) {
  AbDocument document;
  document.run.id = "20261121T120000Z";
  document.run.warm_runs = 3;
  document.run.pairs_per_look = 40;
  document.settings.separately = true;
  document.settings.confirm = false;
  document.settings.policy.looks = 1;
  document.a.label = document.b.label = "this program";
  const AbValidation validation{"waves/x", comparisons, "+5%", {{"threads", "1"}}};
  document.run.validation = validation;
  for (std::size_t i = 0; i < validation.total(); ++i)
    document.samples.cases.push_back({validation.name_of(i), std::nullopt});
  std::mt19937 generator(7);
  std::normal_distribution<double> normal;
  const auto run = [&](const AbUnitTask& task) -> std::optional<CaseResult> {
    CaseResult answer{unit_record(), {}};
    answer.record.output_sha256 = std::string(64, '5');
    double typical_ms = task.side == AbSide::b ? 10 * ratio : 10;
    if (task.side == AbSide::b && validation.is_delayed(task.case_index)) typical_ms *= delay;
    for (int k = 0; k < 3; ++k)
      answer.record.timing.warm_ms.push_back(typical_ms * std::exp(0.005 * normal(generator)));
    return answer;
  };
  run_ab(document.samples, document.settings, document.run.pairs_per_look, run, {});
  return document;
}

}  // namespace aqbench
