#include "harness/gating/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_members.h"
#include "core/quantiles.h"
#include "core/sha256.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/records/json_parts.h"
#include "harness/records/load.h"
#include "harness/records/results.h"

namespace aqbench {

// An object of the elements by their names, each of which occurs once.
template <class Element, std::string Element::*kName>
struct JsonByName {
  static Json write(const std::vector<Element>& elements, unsigned, JsonForm = {}) {
    Json json = Json::object();
    for (const Element& one : elements) add_member(json, one.*kName, JsonOf<Element>::write(one));
    return json;
  }
  static void read(const JsonPlace& place, std::vector<Element>& elements, unsigned, JsonForm = {}) {
    for (const auto& [name, inside] : place.members()) {
      JsonOf<Element>::read(inside, elements.emplace_back());
      elements.back().*kName = name;
    }
  }
};
template <>
struct JsonOf<std::vector<BaselineCase>> : JsonByName<BaselineCase, &BaselineCase::name> {};
template <>
struct JsonOf<std::vector<StoredTime>> : JsonByName<StoredTime, &StoredTime::case_name> {};

template <>
struct JsonOf<Tolerance> {
  static Json write(const Tolerance& tolerance, unsigned, JsonForm = {}) {
    Json json = {{tolerance.kind == Tolerance::Kind::relative ? "relative" : "absolute", tolerance.value}};
    if (tolerance.learned_from_seeds > 0) json["learned_from_seeds"] = tolerance.learned_from_seeds;
    if (tolerance.named) json["named"] = true;
    return json;
  }
  static void read(const JsonPlace& place, Tolerance& tolerance, unsigned, JsonForm = {}) {
    place.allow_only({"relative", "absolute", "learned_from_seeds", "named"});
    const auto relative = place.find("relative"), absolute = place.find("absolute");
    if (relative.has_value() == absolute.has_value()) place.fail("expected either 'relative' or 'absolute'");
    const JsonPlace& given = relative ? *relative : *absolute;
    if (given.number() < 0) given.fail("must not be negative");
    const auto seeds = place.find("learned_from_seeds"), named = place.find("named");
    if (seeds && (seeds->integer() < 1 || seeds->integer() > 1'000'000))
      seeds->fail("must be from 1 to 1000000");
    tolerance = {relative ? Tolerance::Kind::relative : Tolerance::Kind::absolute, given.number(),
                 seeds ? static_cast<int>(seeds->integer()) : 0, named && named->boolean()};
  }
};

namespace {

// Only files of some other tools are so.
constexpr const char* kNoMachine =
    "the file does not say on which machine it was measured; if it was this one, add --measured-here";

constexpr std::uintmax_t kMaxBaselineBytes = std::uintmax_t{1} << 30;

// Writes nested objects over several lines and each metric on one, so that a changed value is a changed line.
void append_members(const Json& object, int depth, std::string& text) {
  constexpr int kMetrics = 3;  // depth of the objects "options" and "metrics"
  const std::string indent(static_cast<std::size_t>(depth) + 1, ' ');
  text += '{';
  bool first = true;
  for (const auto& [key, value] : object.items()) {
    text += fmt::format("{}\n{}{}: ", first ? "" : ",", indent, Json(key).dump());
    first = false;
    if (value.is_object() && !value.empty() && depth < kMetrics)
      append_members(value, depth + 1, text);
    else
      text += value.dump();
  }
  text += fmt::format("\n{}}}", indent.substr(1));
}

Baseline read_baseline_at(const JsonPlace& place, const std::string& source) {
  if (const auto version = place.at("schema_version").integer(); version != kBaselineSchemaVersion)
    throw Error(
        ErrorKind::not_comparable,
        fmt::format("{}: schema_version: {}; this program reads {}", source, version, kBaselineSchemaVersion),
        source);
  Baseline baseline;
  read_members(place, baseline, {}, [](const auto& row) { Baseline::members(row); }, {"schema_version"});
  const JsonPlace from = place.at("accepted_from");
  for (const char* const name : {"by", "utc", "repository"})
    if (const auto given = from.find(name); given && given->text().size() > kMaxAcceptedBytes)
      given->fail("longer than {} bytes", kMaxAcceptedBytes);
  std::ranges::sort(baseline.cases, {}, &BaselineCase::name);
  return baseline;
}

// Reads a file while holding the JSON of only one case.
Baseline read_case_by_case(const std::filesystem::path& path) {
  const std::string source = path.string();
  std::vector<BaselineCase> cases;
  const std::string head =
      split_json(bytes_of_file(path, kMaxBaselineBytes), "cases", source,
                 [&](std::string_view key, std::string_view value) {
                   const Json name = parse_strict_json(key, source), one = parse_strict_json(value, source);
                   const std::string place = fmt::format("{}: cases.{}", source, name.get<std::string>());
                   cases.push_back(from_json<BaselineCase>(JsonPlace(one, place)));
                   cases.back().name = name.get<std::string>();
                 });
  const Json json = parse_strict_json(head, source);
  Baseline baseline = read_baseline_at(JsonPlace(json, source), source);
  baseline.cases = std::move(cases);
  std::ranges::sort(baseline.cases, {}, &BaselineCase::name);
  const auto twice = std::ranges::adjacent_find(baseline.cases, {}, &BaselineCase::name);
  if (baseline.cases.empty() || twice != baseline.cases.end())
    throw input_error.of_file(source, "cases: {}",
                              baseline.cases.empty() ? "is empty, so nothing would be gated"
                                                     : fmt::format("duplicate key '{}'", twice->name));
  return baseline;
}

}  // namespace

std::optional<double> median_warm_ms(const Record& record) {
  if (record.timing.warm_ms.size() < kLeastStoredRuns) return std::nullopt;
  return median_of(record.timing.warm_ms);
}

std::optional<double> median_cpu_ms(const Record& record) {
  const std::vector<double>& cpu_ms = record.timing.cpu_ms;
  if (cpu_ms.size() < kLeastStoredRuns || cpu_ms.size() != record.timing.warm_ms.size()) return std::nullopt;
  const double median = median_of(cpu_ms);
  return median > 0 ? std::optional(median) : std::nullopt;
}

StoredTimes stored_times_of(const Results& results) {
  StoredTimes times;
  const Json comparability = comparability_of(*results.environment);
  if (!comparability.is_object()) throw input_error("stored times: {}", kNoMachine);
  times.comparability = comparability;
  for (const Record& record : results.records) {
    const std::optional<double> median_ms = median_warm_ms(record);
    if (record.status != Status::ok || !median_ms) continue;
    times.cases.push_back({record.case_name, *median_ms, record.timing.throughput,
                           record.timing.throughput ? record.timing.throughput_unit : "",
                           median_cpu_ms(record), is_better_by_cpu(record, *results.environment)});
  }
  if (times.cases.empty())
    throw input_error("stored times: no case has {} warm runs (--repetitions)", kLeastStoredRuns);
  return times;
}

std::vector<std::string> comparability_differences(const StoredTimes& stored, const Results& results) {
  const Json now = comparability_of(*results.environment);
  if (!now.is_object()) return {kNoMachine};
  return comparability_differences(*stored.comparability, now, "the baseline's");
}

void StoredTime::after_reading(const JsonPlace& place) const {
  if (!(median_ms > 0)) place.at("median_ms").fail("must be positive");
  if (cpu_median_ms && !(*cpu_median_ms > 0)) place.at("cpu_median_ms").fail("must be positive");
  if (throughput && !(*throughput > 0)) place.at("throughput").fail("must be positive");
  if (throughput) place.at("throughput_unit");
}

void StoredTimes::after_reading(const JsonPlace& place) const {
  if (cases.empty()) place.at("cases").fail("is empty, so nothing would be gated");
}

std::string to_string(const Tolerance& tolerance) {
  return tolerance.kind == Tolerance::Kind::relative ? short_number(100 * tolerance.value) + " %"
                                                     : short_number(tolerance.value);
}

const BaselineCase* find_case(const Baseline& baseline, const std::string& name) {
  const auto found = std::ranges::lower_bound(baseline.cases, name, {}, &BaselineCase::name);
  return found == baseline.cases.end() || found->name != name ? nullptr : &*found;
}

const BaselineMetric* find_metric(const BaselineCase& baseline_case, std::string_view name) {
  const auto found =
      std::ranges::find(baseline_case.metrics, name, [](const auto& item) { return item.first; });
  return found == baseline_case.metrics.end() ? nullptr : &found->second;
}

Json to_json(const Baseline& baseline) {
  Json json = {{"schema_version", kBaselineSchemaVersion}};
  json.update(JsonOf<Baseline>::write(baseline));
  return json;
}

std::string baseline_text(const Baseline& baseline) {
  std::string text;
  write_baseline_text(baseline, [&](std::string_view bytes) { text += bytes; });
  return text;
}

void write_baseline_text(const Baseline& baseline, const WriteBytes& write) {
  constexpr int kCase = 2;                                // depth of the object of a case
  constexpr std::string_view kCases = "\n \"cases\": {";  // so indented it stands at the top alone
  Baseline head = {baseline.suite,
                   baseline.accepted_bundle,
                   baseline.accepted_results_sha256,
                   baseline.accepted_root_digest,
                   baseline.accepted_commit,
                   {},
                   baseline.stored_times,
                   baseline.accepted_by,
                   baseline.accepted_utc,
                   baseline.accepted_repository};
  std::string text;
  append_members(to_json(head), 0, text);
  const std::size_t place = text.find(kCases) + kCases.size();
  write(std::string_view(text).substr(0, place));
  for (const BaselineCase& one : baseline.cases) {
    std::string part =
        fmt::format("{}\n  {}: ", &one == &baseline.cases.front() ? "" : ",", Json(one.name).dump());
    append_members(JsonOf<BaselineCase>::write(one), kCase, part);
    write(part);
  }
  if (!baseline.cases.empty()) write("\n ");
  write(text.substr(place) + '\n');
}

Baseline baseline_from_json(const Json& json, const std::string& source) {
  const JsonPlace place(json, source);
  Baseline baseline = read_baseline_at(place, source);
  if (baseline.cases.empty()) place.at("cases").fail("is empty: nothing would be gated");
  return baseline;
}

Baseline read_baseline(const std::filesystem::path& path) {
  try {
    return read_case_by_case(path);
  } catch (const Error& error) {
    // Read whole, a file says in which line and at which of its members it is wrong.
    if (error.kind() == ErrorKind::io || regular_file_size(path) > JsonLimits().max_bytes) throw;
    return baseline_from_json(read_strict_json(path), path.string());
  }
}

}  // namespace aqbench
