#include "harness/ab/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "harness/records/case_result.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench {
namespace {

Json stage_samples_json(const AbUnit& unit) {
  Json stages = Json::object();
  for (const AbStageSamples& stage : unit.stages) stages[stage.name] = stage.self_ms;
  return stages;
}

double positive_number(const JsonPlace& place) {
  const double value = place.number();
  if (!(std::isfinite(value) && value > 0)) place.fail(fmt::format("is {}, must be above 0", value));
  return value;
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

Json unit_json(const AbUnit& unit) {
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
    for (const OutcomeSamples& outcome : unit.outcomes) outcomes[outcome.name] = outcome.values;
    json["outcomes"] = std::move(outcomes);
  }
  if (unit.layout) json["layout"] = *unit.layout;
  if (!unit.tiles_sha256.empty()) json["tiles_sha256"] = unit.tiles_sha256;
  return json;
}

Json output_json(const AbOutput& output) {
  return {{"case", output.case_index},
          {"side", to_string(output.side)},
          {"output_sha256", output.output_sha256},
          {"metrics", to_json(output.metrics)}};
}

[[noreturn]] void refuse_unit(std::size_t index, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("records[{}]: {}", index, why));
}

// Returns whether outputs of this unit are scored where only one of each side is.
bool is_scored(const AbUnit& unit) { return unit.phase == AbPhase::look && unit.look == 1 && unit.pair == 0; }

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

AbUnit unit_of(const Record& record, std::size_t index) {
  AbUnit unit;
  unit.phase = record.unit->look == 0 ? AbPhase::confirmation : AbPhase::look;
  unit.look = record.unit->look;
  unit.pair = record.unit->pair;
  unit.side = record.unit->side;
  unit.status = record.status;
  unit.reason = record.reason;
  unit.cold_ms = record.timing.cold_ms;
  unit.warm_ms = record.timing.warm_ms;
  unit.output_sha256 = record.output_sha256;
  unit.outcomes = record.unit->outcomes;
  unit.layout = record.unit->layout;
  if (!record.files->empty()) unit.tiles_sha256 = record.files->front().sha256;
  if (!std::ranges::all_of(unit.warm_ms, is_positive)) refuse_unit(index, "warm_ms: must be above 0");
  if (unit.status == Status::ok && unit.warm_ms.empty() && unit.outcomes.empty() && !unit.cold_ms)
    refuse_unit(index, "warm_ms: is empty");
  for (const StageRecord& stage : record.stages) {
    if (stage.self_ms.size() != unit.warm_ms.size())
      refuse_unit(index, "stages: self_ms is not as long as warm_ms");
    unit.stages.push_back({stage.name, stage.self_ms});
  }
  return unit;
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

std::string to_string(AbPhase phase) { return phase == AbPhase::look ? "look" : "confirmation"; }

AbSide first_side(std::uint64_t order_seed, std::size_t pair) {
  return b_runs_first(order_seed, pair) ? AbSide::b : AbSide::a;
}

Json to_json(const AbCase& one) {
  return {{"case", one.name}, {"tau", one.tau ? Json(*one.tau) : Json(nullptr)}};
}

AbCase ab_case_from_json(const JsonPlace& place) {
  place.allow_only({"case", "tau"});
  return {place.at("case").text(), read_tau(place)};
}

Json to_json(const AbSamples& samples) {
  Json cases = Json::array(), outputs = Json::array(), units = Json::array();
  for (const AbCase& one : samples.cases)
    cases.push_back({{"name", one.name}, {"tau", one.tau ? Json(*one.tau) : Json(nullptr)}});
  for (const AbOutput& output : samples.outputs) outputs.push_back(output_json(output));
  for (const AbUnit& unit : samples.units) units.push_back(unit_json(unit));
  return {{"order_seed", samples.order_seed}, {"cases", cases}, {"outputs", outputs}, {"units", units}};
}

std::string ab_tiles_file(const std::string& case_name, AbSide side) {
  return case_file(kTilesFolder, case_name, "." + to_string(side) + ".csv");
}

Record record_of(const AbCase& one, const AbUnit& unit, std::span<const AbOutput> outputs) {
  Record record;
  record.case_name = one.name;
  record.status = unit.status;
  record.reason = unit.reason;
  record.timing.cold_ms = unit.cold_ms;
  record.timing.warm_ms = unit.warm_ms;
  for (const AbStageSamples& stage : unit.stages) {
    record.stages.push_back({.name = stage.name, .parent = {}});
    record.stages.back().self_ms = stage.self_ms;
  }
  record.output_sha256 = unit.output_sha256;
  if (!unit.tiles_sha256.empty())
    record.files->push_back({ab_tiles_file(one.name, unit.side), unit.tiles_sha256});
  record.unit = UnitOfRecord{.side = unit.side,
                             .look = unit.look,
                             .pair = unit.pair,
                             .layout = unit.layout,
                             .outcomes = unit.outcomes};
  if (!is_scored(unit)) return record;
  for (const AbOutput& output : outputs)
    if (output.case_index == unit.case_index && output.side == unit.side) {
      record.metrics = output.metrics;
      record.unit->scored = true;
    }
  return record;
}

void add_units(std::span<const Record> records, AbSamples& samples) {
  std::map<std::string_view, std::size_t> indices;
  for (std::size_t i = 0; i < samples.cases.size(); ++i) indices.emplace(samples.cases[i].name, i);
  samples.units.reserve(samples.units.size() + records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    const auto found = indices.find(record.case_name);
    if (!record.unit || found == indices.end()) refuse_unit(i, "is no unit of the comparison's cases");
    AbUnit unit = unit_of(record, i);
    unit.case_index = found->second;
    if (record.unit->scored)
      samples.outputs.push_back({unit.case_index, unit.side, unit.output_sha256, record.metrics});
    samples.units.push_back(std::move(unit));
  }
}

// A unit that failed may stand alone at the end of its case.
void check_pairs(const AbSamples& samples) {
  std::map<std::pair<std::size_t, AbPhase>, std::size_t> next_pair;
  std::map<std::size_t, int> last_look;
  std::set<std::size_t> ended;  // cases with a failed unit
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < samples.units.size(); ++i) {
    const AbUnit& first = samples.units[i];
    if (ended.contains(first.case_index)) refuse_unit(i, "comes after a unit of its case that failed");
    std::size_t& pair = next_pair[{first.case_index, first.phase}];
    if (first.pair != pair) refuse_unit(i, fmt::format("is of pair {}, expected {}", first.pair, pair));
    ++pair;
    if (first.phase == AbPhase::look) {
      int& last = last_look[first.case_index];
      if (first.look < last || first.look > last + 1) refuse_unit(i, "its look is out of order");
      last = first.look;
    }
    if (first.side != first_side(samples.order_seed, drawn++))
      refuse_unit(i, "is not of the side that the seeded coin lets run first");
    if (first.status != Status::ok) {
      ended.insert(first.case_index);
      continue;
    }
    if (i + 1 == samples.units.size()) refuse_unit(i, "is half a pair");
    const AbUnit& second = samples.units[++i];
    if (second.case_index != first.case_index || second.phase != first.phase || second.look != first.look ||
        second.pair != first.pair || second.side == first.side)
      refuse_unit(i, "is not the other half of the pair before it");
    if (second.status != Status::ok) ended.insert(second.case_index);
  }
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
