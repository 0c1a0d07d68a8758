#include "harness/ab/samples.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench {
namespace {

Json stage_samples_json(const AbUnit& unit) {
  Json stages = Json::object();
  for (const AbStageSamples& stage : unit.stages) stages[stage.name] = stage.self_ms;
  return stages;
}

AbSide read_side(const JsonPlace& place) {
  for (const AbSide side : {AbSide::a, AbSide::b})
    if (to_string(side) == place.text()) return side;
  place.fail("expected a or b");
}

AbPhase read_phase(const JsonPlace& place) {
  for (const AbPhase phase : {AbPhase::look, AbPhase::confirmation})
    if (to_string(phase) == place.text()) return phase;
  place.fail("expected look or confirmation");
}

double positive_number(const JsonPlace& place) {
  const double value = place.number();
  if (!(std::isfinite(value) && value > 0)) place.fail(fmt::format("is {}, must be above 0", value));
  return value;
}

std::size_t read_case_index(const JsonPlace& place, std::size_t cases) {
  const std::uint64_t index = place.count();
  if (index >= cases) place.fail(fmt::format("there are {} cases", cases));
  return index;
}

std::optional<double> read_tau(const JsonPlace& place) {
  const auto tau = place.find("tau");
  if (!tau || tau->is_null()) return std::nullopt;
  const double value = tau->number();
  if (!(value >= 0 && value < 1)) tau->fail(fmt::format("is {}, must be 0 to 1", value));
  return value;
}

std::vector<AbCase> read_cases(const JsonPlace& place) {
  std::vector<AbCase> cases;
  std::set<std::string> names;
  for (const JsonPlace& element : place.elements()) {
    cases.push_back({element.at("name").text(), read_tau(element)});
    if (!names.insert(cases.back().name).second) element.at("name").fail("occurs twice");
  }
  if (cases.empty()) place.fail("has no cases");
  return cases;
}

std::vector<AbStageSamples> read_stage_samples(const JsonPlace& place, std::size_t runs) {
  std::vector<AbStageSamples> stages;
  for (const auto& [name, samples] : place.members()) {
    AbStageSamples stage{name, {}};
    for (const JsonPlace& sample : samples.elements()) {
      stage.self_ms.push_back(sample.number());
      if (!(stage.self_ms.back() >= 0)) sample.fail("must not be negative");
    }
    if (stage.self_ms.size() != runs) samples.fail("is not as long as warm_ms");
    stages.push_back(std::move(stage));
  }
  return stages;
}

std::vector<AbOutcomeSamples> read_outcome_samples(const JsonPlace& place) {
  std::vector<AbOutcomeSamples> outcomes;
  for (const auto& [name, values] : place.members()) {
    AbOutcomeSamples outcome{name, {}};
    for (const JsonPlace& value : values.elements()) {
      outcome.values.push_back(value.number());
      if (!std::isfinite(outcome.values.back())) value.fail("must be finite");
    }
    if (outcome.values.empty()) values.fail("is empty");
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

AbUnit read_unit(const JsonPlace& place, std::size_t cases) {
  place.allow_only({"case", "phase", "look", "pair", "side", "status", "reason", "cold_ms", "warm_ms",
                    "stages", "output_sha256", "outcomes", "layout", "tiles_sha256"});
  AbUnit unit;
  unit.case_index = read_case_index(place.at("case"), cases);
  unit.phase = read_phase(place.at("phase"));
  const std::int64_t look = place.at("look").integer();
  const bool known_look = unit.phase == AbPhase::confirmation ? look == 0 : look >= 1 && look <= 100;
  if (!known_look) place.at("look").fail(fmt::format("is {}", look));
  unit.look = static_cast<int>(look);
  unit.pair = place.at("pair").count();
  unit.side = read_side(place.at("side"));
  unit.reason = place.at("reason").text_or_null();
  const auto status = status_from_string(place.at("status").text(), unit.reason);
  if (!status) place.at("status").fail("expected ok, failed, crashed, timeout or skipped");
  unit.status = *status;
  unit.cold_ms = place.at("cold_ms").number_or_null();
  for (const JsonPlace& sample : place.at("warm_ms").elements())
    unit.warm_ms.push_back(positive_number(sample));
  if (const auto outcomes = place.find("outcomes")) unit.outcomes = read_outcome_samples(*outcomes);
  if (const auto layout = place.find("layout")) unit.layout = layout->count();
  if (const auto tiles = place.find("tiles_sha256")) unit.tiles_sha256 = tiles->text();
  if (unit.status == Status::ok && unit.warm_ms.empty() && unit.outcomes.empty() && !unit.cold_ms)
    place.at("warm_ms").fail("is empty");
  unit.stages = read_stage_samples(place.at("stages"), unit.warm_ms.size());
  unit.output_sha256 = place.at("output_sha256").text_or_null();
  return unit;
}

AbOutput read_output(const JsonPlace& place, std::size_t cases, const std::string& source) {
  place.allow_only({"case", "side", "output_sha256", "metrics"});
  AbOutput output;
  output.case_index = read_case_index(place.at("case"), cases);
  output.side = read_side(place.at("side"));
  output.output_sha256 = place.at("output_sha256").text();
  output.metrics = metrics_from_json(place.at("metrics").value(), source + ": metrics");
  return output;
}

// Fails unless the units are pairs in the order of their coins, numbered from 0 for each case and phase. A
// unit that failed may stand alone at the end of its case.
void check_pairs(const AbSamples& samples, const JsonPlace& units) {
  const auto places = units.elements();
  std::map<std::pair<std::size_t, AbPhase>, std::size_t> next_pair;
  std::map<std::size_t, int> last_look;
  std::set<std::size_t> ended;  // cases with a failed unit
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < samples.units.size(); ++i) {
    const AbUnit& first = samples.units[i];
    if (ended.contains(first.case_index)) places[i].fail("comes after a unit of its case that failed");
    std::size_t& pair = next_pair[{first.case_index, first.phase}];
    if (first.pair != pair) places[i].at("pair").fail(fmt::format("is {}, expected {}", first.pair, pair));
    ++pair;
    if (first.phase == AbPhase::look) {
      int& last = last_look[first.case_index];
      if (first.look < last || first.look > last + 1) places[i].at("look").fail("is out of order");
      last = first.look;
    }
    if (first.side != first_side(samples.order_seed, drawn++))
      places[i].at("side").fail("is not the side that the seeded coin lets run first");
    if (first.status != Status::ok) {
      ended.insert(first.case_index);
      continue;
    }
    if (i + 1 == samples.units.size()) places[i].fail("is half a pair");
    const AbUnit& second = samples.units[++i];
    if (second.case_index != first.case_index || second.phase != first.phase || second.look != first.look ||
        second.pair != first.pair || second.side == first.side)
      places[i].fail("is not the other half of the pair before it");
    if (second.status != Status::ok) ended.insert(second.case_index);
  }
}

std::vector<double> read_list_unit(const JsonPlace& place) {
  if (place.value().is_number()) return {positive_number(place)};
  std::vector<double> runs;
  for (const JsonPlace& run : place.elements()) runs.push_back(positive_number(run));
  if (runs.size() < kMinWarmRuns)
    place.fail(fmt::format("{} warm runs, a unit needs at least {}", runs.size(), kMinWarmRuns));
  return runs;
}

std::vector<std::vector<double>> read_list(const JsonPlace& place) {
  std::vector<std::vector<double>> units;
  for (const JsonPlace& element : place.elements()) units.push_back(read_list_unit(element));
  return units;
}

void append_list_pairs(AbSamples& samples, const JsonPlace& a_place, const JsonPlace& b_place,
                       AbPhase phase) {
  const auto a = read_list(a_place), b = read_list(b_place);
  if (a.size() != b.size()) b_place.fail(fmt::format("has {} units, the other side {}", b.size(), a.size()));
  if (samples.units.size() + 2 * a.size() > kMaxAbUnits)
    a_place.fail(fmt::format("more than {} units in all", kMaxAbUnits));
  for (std::size_t pair = 0; pair < a.size(); ++pair) {
    AbUnit unit;
    unit.case_index = samples.cases.size() - 1;
    unit.phase = phase;
    unit.look = phase == AbPhase::look ? 1 : 0;
    unit.pair = pair;
    const AbSide first = first_side(samples.order_seed, samples.units.size() / 2);
    for (const AbSide side : {first, first == AbSide::a ? AbSide::b : AbSide::a}) {
      unit.side = side;
      unit.warm_ms = side == AbSide::a ? a[pair] : b[pair];
      samples.units.push_back(unit);
    }
  }
}

}  // namespace

std::string to_string(AbSide side) { return side == AbSide::a ? "a" : "b"; }

std::string to_string(AbPhase phase) { return phase == AbPhase::look ? "look" : "confirmation"; }

AbSide first_side(std::uint64_t order_seed, std::size_t pair) {
  return b_runs_first(order_seed, pair) ? AbSide::b : AbSide::a;
}

Json to_json(const AbCase& one) {
  return {{"name", one.name}, {"tau", one.tau ? Json(*one.tau) : Json(nullptr)}};
}

Json to_json(const AbUnit& unit) {
  Json json = {{"case", unit.case_index},
               {"phase", to_string(unit.phase)},
               {"look", unit.look},
               {"pair", unit.pair},
               {"side", to_string(unit.side)},
               {"status", to_string(unit.status)},
               {"reason", unit.reason.empty() ? Json(nullptr) : Json(unit.reason)},
               {"cold_ms", unit.cold_ms ? Json(*unit.cold_ms) : Json(nullptr)},
               {"warm_ms", unit.warm_ms},
               {"stages", stage_samples_json(unit)},
               {"output_sha256", unit.output_sha256.empty() ? Json(nullptr) : Json(unit.output_sha256)}};
  // Written only where there are any, so that comparisons without them stay as they were.
  if (!unit.outcomes.empty()) {
    Json outcomes = Json::object();
    for (const AbOutcomeSamples& outcome : unit.outcomes) outcomes[outcome.name] = outcome.values;
    json["outcomes"] = std::move(outcomes);
  }
  if (unit.layout) json["layout"] = *unit.layout;
  if (!unit.tiles_sha256.empty()) json["tiles_sha256"] = unit.tiles_sha256;
  return json;
}

Json to_json(const AbOutput& output) {
  return {{"case", output.case_index},
          {"side", to_string(output.side)},
          {"output_sha256", output.output_sha256},
          {"metrics", to_json(output.metrics)}};
}

AbUnit ab_unit_from_json(const Json& json, std::size_t cases, const std::string& source) {
  return read_unit(JsonPlace(json, source), cases);
}

AbOutput ab_output_from_json(const Json& json, std::size_t cases, const std::string& source) {
  return read_output(JsonPlace(json, source), cases, source);
}

Json to_json(const AbSamples& samples) {
  Json cases = Json::array(), outputs = Json::array(), units = Json::array();
  for (const AbCase& one : samples.cases) cases.push_back(to_json(one));
  for (const AbOutput& output : samples.outputs) outputs.push_back(to_json(output));
  for (const AbUnit& unit : samples.units) units.push_back(to_json(unit));
  return {{"order_seed", samples.order_seed}, {"cases", cases}, {"outputs", outputs}, {"units", units}};
}

AbSamples ab_samples_from_json(const Json& json, const std::string& source) {
  const JsonPlace place(json, source);
  place.allow_only({"order_seed", "cases", "outputs", "units"});
  AbSamples samples;
  samples.order_seed = place.at("order_seed").count();
  for (const JsonPlace& element : place.at("cases").elements()) element.allow_only({"name", "tau"});
  samples.cases = read_cases(place.at("cases"));
  for (const JsonPlace& element : place.at("outputs").elements())
    samples.outputs.push_back(read_output(element, samples.cases.size(), source));
  for (const JsonPlace& element : place.at("units").elements())
    samples.units.push_back(read_unit(element, samples.cases.size()));
  check_pairs(samples, place.at("units"));
  return samples;
}

AbSamples ab_samples_from_lists(const Json& json, const std::string& source) {
  const JsonPlace place(json, source);
  place.allow_only({"cases"});
  const std::vector<AbCase> cases = read_cases(place.at("cases"));
  AbSamples samples;
  const auto elements = place.at("cases").elements();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const JsonPlace& element = elements[i];
    element.allow_only({"name", "tau", "a", "b", "confirmation_a", "confirmation_b"});
    samples.cases.push_back(cases[i]);
    append_list_pairs(samples, element.at("a"), element.at("b"), AbPhase::look);
    if (element.find("confirmation_a") || element.find("confirmation_b"))
      append_list_pairs(samples, element.at("confirmation_a"), element.at("confirmation_b"),
                        AbPhase::confirmation);
  }
  return samples;
}

}  // namespace aqbench
