#include "harness/gating/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_members.h"
#include "core/sha256.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/records/json_parts.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxBaselineBytes = std::uintmax_t{1} << 30;

Json tolerance_to_json(const Tolerance& tolerance) {
  Json json = {{tolerance.kind == Tolerance::Kind::relative ? "relative" : "absolute", tolerance.value}};
  if (tolerance.learned_from_seeds > 0) json["learned_from_seeds"] = tolerance.learned_from_seeds;
  if (tolerance.named) json["named"] = true;
  return json;
}

Tolerance tolerance_from_json(const JsonPlace& place) {
  place.allow_only({"relative", "absolute", "learned_from_seeds", "named"});
  const auto relative = place.find("relative"), absolute = place.find("absolute");
  if (relative.has_value() == absolute.has_value()) place.fail("expected either 'relative' or 'absolute'");
  const JsonPlace& given = relative ? *relative : *absolute;
  if (given.number() < 0) given.fail("must not be negative");
  const auto seeds = place.find("learned_from_seeds");
  const auto named = place.find("named");
  if (seeds && (seeds->integer() < 1 || seeds->integer() > 1'000'000))
    seeds->fail("must be from 1 to 1000000");
  return {relative ? Tolerance::Kind::relative : Tolerance::Kind::absolute, given.number(),
          seeds ? static_cast<int>(seeds->integer()) : 0, named && named->boolean()};
}

BaselineCase case_from_json(const std::string& name, const JsonPlace& place) {
  BaselineCase baseline_case{name, {}, {}};
  place.allow_only({"options", "metrics"});
  baseline_case.options.reserve(place.at("options").value().size());
  baseline_case.metrics.reserve(place.at("metrics").value().size());
  for (const auto& [option, value] : place.at("options").members())
    baseline_case.options.emplace_back(option, value.parameter());
  for (const auto& [metric, value] : place.at("metrics").members()) {
    value.allow_only({"value", "better", "tolerance"});
    BaselineMetric& accepted = baseline_case.metrics.emplace_back(metric, BaselineMetric{}).second;
    accepted.value = value.at("value").number();
    JsonOf<Better>::read(value.at("better"), accepted.better, 0);
    accepted.tolerance = tolerance_from_json(value.at("tolerance"));
  }
  return baseline_case;
}

Json case_to_json(const BaselineCase& baseline_case) {
  Json options = Json::object(), metrics = Json::object();
  for (const auto& [name, value] : baseline_case.options) options[name] = parameter_json(value);
  for (const auto& [name, metric] : baseline_case.metrics)
    metrics[name] = {{"value", metric.value},
                     {"better", to_string(metric.better)},
                     {"tolerance", tolerance_to_json(metric.tolerance)}};
  return {{"options", std::move(options)}, {"metrics", std::move(metrics)}};
}

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

void check_sha256(const JsonPlace& place) {
  if (!is_sha256_hex(place.text())) place.fail("expected a SHA-256 in hexadecimal");
}

// Reads everything except the cases.
Baseline read_head(const Json& json, const std::string& source) {
  const JsonPlace place(json, source);
  if (const auto version = place.at("schema_version").integer(); version != kBaselineSchemaVersion)
    throw Error(
        ErrorKind::not_comparable,
        fmt::format("{}: schema_version: {}; this program reads {}", source, version, kBaselineSchemaVersion),
        source);
  place.allow_only({"schema_version", "suite", "accepted_from", "cases", "stored_times"});
  Baseline baseline;
  baseline.suite = place.at("suite").text();
  const JsonPlace from = place.at("accepted_from");
  from.allow_only({"bundle", "results_sha256", "root_digest", "commit", "by", "utc", "repository"});
  baseline.accepted_bundle = from.at("bundle").text();
  check_sha256(from.at("results_sha256"));
  baseline.accepted_results_sha256 = from.at("results_sha256").text();
  if (const auto root = from.find("root_digest")) {
    check_sha256(*root);
    baseline.accepted_root_digest = root->text();
  }
  baseline.accepted_commit = from.at("commit").text();
  for (const auto& [name, text] : {std::pair("by", &baseline.accepted_by),
                                   {"utc", &baseline.accepted_utc},
                                   {"repository", &baseline.accepted_repository}})
    if (const auto given = from.find(name)) {
      *text = given->text();
      if (text->size() > kMaxAcceptedBytes) given->fail("longer than {} bytes", kMaxAcceptedBytes);
    }
  if (const auto times = place.find("stored_times")) baseline.stored_times = stored_times_from_json(*times);
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
                   cases.push_back(case_from_json(name.get<std::string>(), JsonPlace(one, place)));
                 });
  const Json json = parse_strict_json(head, source);
  Baseline baseline = read_head(json, source);
  JsonPlace(json, source).at("cases").members();
  baseline.cases = std::move(cases);
  std::ranges::sort(baseline.cases, {}, &BaselineCase::name);
  const auto twice = std::ranges::adjacent_find(baseline.cases, {}, &BaselineCase::name);
  if (baseline.cases.empty() || twice != baseline.cases.end())
    throw Error(ErrorKind::input,
                baseline.cases.empty() ? source + ": cases: is empty, so nothing would be gated"
                                       : fmt::format("{}: cases: duplicate key '{}'", source, twice->name),
                source);
  return baseline;
}

}  // namespace

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
  Json cases = Json::object();
  // Appended without a search: each name occurs once.
  for (const BaselineCase& baseline_case : baseline.cases)
    cases.get_ref<Json::object_t&>().emplace_back(baseline_case.name, case_to_json(baseline_case));
  Json json = {{"schema_version", kBaselineSchemaVersion},
               {"suite", baseline.suite},
               {"accepted_from",
                {{"bundle", baseline.accepted_bundle},
                 {"results_sha256", baseline.accepted_results_sha256},
                 {"root_digest", baseline.accepted_root_digest},
                 {"commit", baseline.accepted_commit}}},
               {"cases", std::move(cases)}};
  if (baseline.accepted_root_digest.empty()) json["accepted_from"].erase("root_digest");
  if (!baseline.accepted_by.empty()) json["accepted_from"]["by"] = baseline.accepted_by;
  if (!baseline.accepted_utc.empty()) json["accepted_from"]["utc"] = baseline.accepted_utc;
  if (!baseline.accepted_repository.empty())
    json["accepted_from"]["repository"] = baseline.accepted_repository;
  if (baseline.stored_times) json["stored_times"] = to_json(*baseline.stored_times);
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
    append_members(case_to_json(one), kCase, part);
    write(part);
  }
  if (!baseline.cases.empty()) write("\n ");
  write(text.substr(place) + '\n');
}

Baseline baseline_from_json(const Json& json, const std::string& source) {
  Baseline baseline = read_head(json, source);
  const JsonPlace cases = JsonPlace(json, source).at("cases");
  for (const auto& [name, value] : cases.members()) baseline.cases.push_back(case_from_json(name, value));
  if (baseline.cases.empty()) cases.fail("is empty: nothing would be gated");
  std::ranges::sort(baseline.cases, {}, &BaselineCase::name);
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
