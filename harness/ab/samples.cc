#include "harness/ab/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "harness/records/case_result.h"
#include "harness/records/json_parts.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench {
namespace {

double positive_number(const JsonPlace& place) {
  const double value = place.number();
  if (!(std::isfinite(value) && value > 0)) place.fail("is {}, must be above 0", value);
  return value;
}

std::optional<double> read_tau(const JsonPlace& place) {
  const auto tau = place.find("tau");
  if (!tau || tau->is_null()) return std::nullopt;
  const double value = tau->number();
  if (!(value >= 0 && value < 1)) tau->fail("is {}, must be 0 to 1", value);
  return value;
}

Json unit_json(const Record& record) {
  const UnitOfRecord& unit = *record.unit;
  Json stages = Json::object();
  for (const StageRecord& stage : record.stages) stages[stage.name] = stage.self_ms;
  Json json = {{"case", unit.case_index},
               {"phase", unit.confirms() ? "confirmation" : "look"},
               {"look", unit.look},
               {"pair", unit.pair},
               {"side", to_string(unit.side)},
               {"status", to_string(record.status)},
               {"reason", text_json(record.reason)},
               {"cold_ms", record.timing.cold_ms ? Json(*record.timing.cold_ms) : Json(nullptr)},
               {"warm_ms", record.timing.warm_ms},
               {"stages", std::move(stages)},
               {"output_sha256", text_json(record.output_sha256)}};
  // Written only where there are any, so that comparisons without them stay as they were.
  for (const OutcomeSamples& outcome : unit.outcomes) json["outcomes"][outcome.name] = outcome.values;
  if (!record.timing.cpu_ms.empty()) json["cpu_ms"] = record.timing.cpu_ms;
  if (unit.layout) json["layout"] = *unit.layout;
  if (!record.files.empty()) json["tiles_sha256"] = record.files.front().sha256;
  return json;
}

Json output_json(const Record& record) {
  return {{"case", record.unit->case_index},
          {"side", to_string(record.unit->side)},
          {"output_sha256", record.output_sha256},
          {"metrics", to_json(record.metrics)}};
}

[[noreturn]] void refuse_unit(std::size_t index, const std::string& why) {
  throw input_error("records[{}]: {}", index, why);
}

void check_unit(const Record& record, const AbCase& the_case, std::size_t index) {
  const std::vector<double>& warm_ms = record.timing.warm_ms;
  const auto are_times = [](const std::vector<double>& all) {
    return std::ranges::all_of(all, [](double ms) { return std::isfinite(ms) && ms > 0; });
  };
  if (!are_times(warm_ms)) refuse_unit(index, "warm_ms: must be above 0");
  if (record.status == Status::ok && the_case.decided_by != DecidingTime::wall) {
    const char* const name = outcome_name(the_case.decided_by);
    const std::vector<double>* const values = find_outcome(record, name);
    if (values == nullptr || values->size() != warm_ms.size() || !are_times(*values))
      refuse_unit(index, fmt::format("{}: must be above 0 for each of warm_ms", name));
  }
  if (record.status == Status::ok && warm_ms.empty() && record.unit->outcomes.empty() &&
      !record.timing.cold_ms)
    refuse_unit(index, "warm_ms: is empty");
  for (const StageRecord& stage : record.stages)
    if (stage.self_ms.size() != warm_ms.size())
      refuse_unit(index, "stages: self_ms is not as long as warm_ms");
}

std::vector<double> read_list_unit(const JsonPlace& place) {
  if (place.value().is_number()) return {positive_number(place)};
  std::vector<double> runs;
  for (const JsonPlace& run : place.elements()) runs.push_back(positive_number(run));
  if (runs.size() < kMinWarmRuns)
    place.fail("{} warm runs, a unit needs at least {}", runs.size(), kMinWarmRuns);
  return runs;
}

void append_list_pairs(AbSamples& samples, const JsonPlace& a_place, const JsonPlace& b_place, int look) {
  const auto read = [](const JsonPlace& place) {
    std::vector<std::vector<double>> units;
    for (const JsonPlace& element : place.elements()) units.push_back(read_list_unit(element));
    return units;
  };
  const auto a = read(a_place), b = read(b_place);
  if (a.size() != b.size()) b_place.fail("has {} units, the other side {}", b.size(), a.size());
  if (samples.units.size() + 2 * a.size() > kMaxAbUnits)
    a_place.fail("more than {} units in all", kMaxAbUnits);
  for (std::size_t pair = 0; pair < a.size(); ++pair)
    append_pair(samples, samples.cases.size() - 1, look, pair, unit_of_times(a[pair]),
                unit_of_times(b[pair]));
}

}  // namespace

Record unit_record() {
  Record record;
  record.status = Status::ok;
  record.unit.emplace();
  return record;
}

Record unit_of_times(std::vector<double> warm_ms, std::vector<double> cpu_ms,
                     std::vector<double> instructions) {
  Record record = unit_record();
  record.timing.warm_ms = std::move(warm_ms);
  record.timing.cpu_ms = std::move(cpu_ms);
  if (!instructions.empty()) record.unit->outcomes.push_back({kInstructionsOutcome, std::move(instructions)});
  return record;
}

const std::vector<double>* compared_values(const Record& unit, const AbCase& the_case) {
  return find_outcome(unit, the_case.outcome ? the_case.outcome->name : outcome_name(the_case.decided_by));
}

void append_pair(AbSamples& samples, std::size_t case_index, int look, std::size_t pair, Record a, Record b) {
  a.unit->side = AbSide::a;
  b.unit->side = AbSide::b;
  if (first_side(samples.order_seed, samples.units.size() / 2) == AbSide::b) std::swap(a, b);
  for (Record* const record : {&a, &b}) {
    record->case_name = samples.cases.at(case_index).name;
    record->unit->case_index = case_index;
    record->unit->look = look;
    record->unit->pair = pair;
    samples.units.push_back(std::move(*record));
  }
}

const std::vector<double>* find_outcome(const Record& unit, const std::string& name) {
  const auto found = std::ranges::find(unit.unit->outcomes, name, &OutcomeSamples::name);
  const std::vector<double>* const values = found != unit.unit->outcomes.end() ? &found->values
                                            : name == kWallOutcome             ? &unit.timing.warm_ms
                                            : name == kCpuOutcome              ? &unit.timing.cpu_ms
                                                                               : nullptr;
  return values == nullptr || values->empty() ? nullptr : values;
}

const Record* scored_unit(const AbSamples& samples, std::size_t case_index, AbSide side) {
  const auto found = std::ranges::find_if(samples.units, [&](const Record& record) {
    return record.unit->scored && record.unit->case_index == case_index && record.unit->side == side;
  });
  return found == samples.units.end() ? nullptr : &*found;
}

AbSide other_side(AbSide side) { return side == AbSide::a ? AbSide::b : AbSide::a; }

AbSide first_side(std::uint64_t order_seed, std::size_t pair) {
  return b_runs_first(order_seed, pair) ? AbSide::b : AbSide::a;
}

std::string to_string(DecidingTime time) {
  return time == DecidingTime::wall ? "wall" : time == DecidingTime::cpu ? "cpu" : kInstructionsOutcome;
}

std::string time_name(DecidingTime time) {
  return time == DecidingTime::wall ? "wall time" : time == DecidingTime::cpu ? "CPU time" : "instructions";
}

const char* outcome_name(DecidingTime time) {
  return time == DecidingTime::wall  ? kWallOutcome
         : time == DecidingTime::cpu ? kCpuOutcome
                                     : kInstructionsOutcome;
}

std::string unit_of(DecidingTime time) { return time == DecidingTime::instructions ? "" : "ms"; }

std::string to_string(AbOutcome::Kind kind) { return kind == AbOutcome::Kind::cost ? "cost" : "metric"; }

void AbCase::after_reading(const JsonPlace& place) const { read_tau(place); }

Json to_json(const AbSamples& samples) {
  Json cases = Json::array(), outputs = Json::array(), units = Json::array();
  for (const AbCase& one : samples.cases) {
    cases.push_back({{"name", one.name}, {"tau", one.tau ? Json(*one.tau) : Json(nullptr)}});
    if (one.decided_by != DecidingTime::wall) cases.back()["decided_by"] = to_string(one.decided_by);
  }
  for (const Record& unit : samples.units) {
    if (unit.unit->scored) outputs.push_back(output_json(unit));
    units.push_back(unit_json(unit));
  }
  return {{"order_seed", samples.order_seed}, {"cases", cases}, {"outputs", outputs}, {"units", units}};
}

std::string ab_tiles_file(const std::string& case_name, AbSide side) {
  return case_file(kTilesFolder, case_name, "." + to_string(side) + ".csv");
}

void add_units(std::vector<Record> records, AbSamples& samples) {
  std::map<std::string_view, std::size_t> indices;
  for (std::size_t i = 0; i < samples.cases.size(); ++i) indices.emplace(samples.cases[i].name, i);
  samples.units.reserve(samples.units.size() + records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    Record& record = records[i];
    const auto found = indices.find(record.case_name);
    if (!record.unit || found == indices.end()) refuse_unit(i, "is no unit of the comparison's cases");
    check_unit(record, samples.cases[found->second], i);
    record.unit->case_index = found->second;
    samples.units.push_back(std::move(record));
  }
}

// A unit that failed may stand alone at the end of its case.
void check_pairs(const AbSamples& samples) {
  const auto is_other_half = [](const UnitOfRecord& first, const UnitOfRecord& second) {
    return second.case_index == first.case_index && second.look == first.look && second.pair == first.pair &&
           second.side != first.side;
  };
  std::map<std::pair<std::size_t, bool>, std::size_t> next_pair;  // of looks and confirmations of a case
  std::map<std::size_t, int> last_look;
  std::set<std::size_t> ended;  // cases with a failed unit
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < samples.units.size(); ++i) {
    const UnitOfRecord& first = *samples.units[i].unit;
    if (ended.contains(first.case_index)) refuse_unit(i, "comes after a unit of its case that failed");
    std::size_t& pair = next_pair[{first.case_index, first.confirms()}];
    if (first.pair != pair) refuse_unit(i, fmt::format("is of pair {}, expected {}", first.pair, pair));
    ++pair;
    if (!first.confirms()) {
      int& last = last_look[first.case_index];
      if (first.look < last || first.look > last + 1) refuse_unit(i, "its look is out of order");
      last = first.look;
    }
    if (first.side != first_side(samples.order_seed, drawn++))
      refuse_unit(i, "is not of the side that the seeded coin lets run first");
    if (samples.units[i].status != Status::ok) {
      ended.insert(first.case_index);
      if (i + 1 < samples.units.size() && is_other_half(first, *samples.units[i + 1].unit)) ++i;
      continue;
    }
    if (i + 1 == samples.units.size()) refuse_unit(i, "is half a pair");
    const UnitOfRecord& second = *samples.units[++i].unit;
    if (!is_other_half(first, second)) refuse_unit(i, "is not the other half of the pair before it");
    if (samples.units[i].status != Status::ok) ended.insert(second.case_index);
  }
}

AbSamples ab_samples_from_lists(const Json& json, const std::string& source) {
  const JsonPlace place(json, source);
  place.allow_only({"cases"});
  AbSamples samples;
  std::set<std::string> names;
  for (const JsonPlace& element : place.at("cases").elements()) {
    element.allow_only({"name", "tau", "a", "b", "confirmation_a", "confirmation_b"});
    samples.cases.push_back({element.at("name").text(), read_tau(element)});
    if (!names.insert(samples.cases.back().name).second) element.at("name").fail("occurs twice");
    append_list_pairs(samples, element.at("a"), element.at("b"), 1);
    if (element.find("confirmation_a") || element.find("confirmation_b"))
      append_list_pairs(samples, element.at("confirmation_a"), element.at("confirmation_b"), 0);
  }
  if (samples.cases.empty()) place.at("cases").fail("has no cases");
  return samples;
}

void keep_tiles(const std::string& case_name, AbSide side, bool keep, CaseResult& unit) {
  std::erase_if(unit.artefacts,
                [&](const auto& file) { return !keep || !is_in_folder(file.first, kTilesFolder); });
  for (auto& [path, bytes] : unit.artefacts) {
    path = ab_tiles_file(case_name, side);
    unit.record.files.push_back({path, sha256_hex(bytes)});
  }
}

std::map<std::string, std::string> read_ab_tiles(const std::filesystem::path& bundle,
                                                 const AbSamples& samples) {
  constexpr std::uintmax_t kMaxTilesBytes = std::uintmax_t{64} << 20;
  std::map<std::string, std::string> found;
  for (const Record& unit : samples.units)
    for (const CaseFile& file : unit.files) try {
        std::string text = read_file(bundle / file.path, kMaxTilesBytes);
        if (sha256_hex(text) == file.sha256) found.emplace(file.path, std::move(text));
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;  // a file that is missing or none
      }
  return found;
}

}  // namespace aqbench
