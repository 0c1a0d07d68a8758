#include "harness/records/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/sha256.h"
#include "harness/records/json_values.h"
#include "harness/records/results_size.h"
#include "harness/records/schema_check.h"

namespace aqbench {
namespace {

constexpr auto kReplaceBrokenUtf8 = Json::error_handler_t::replace;

std::string compact(const Json& json) { return json.dump(-1, ' ', false, kReplaceBrokenUtf8); }

std::vector<const Record*> sorted_records(const Results& results) {
  std::vector<const Record*> records;
  for (const Record& record : results.records) records.push_back(&record);
  std::ranges::sort(records, {}, [](const Record* record) { return std::string_view(record->case_name); });
  const auto twice = std::ranges::adjacent_find(
      records, {}, [](const Record* record) { return std::string_view(record->case_name); });
  if (twice != records.end())
    throw Error(ErrorKind::input, fmt::format("results: case '{}' has two records", (*twice)->case_name));
  return records;
}

Json run_to_json(const RunInfo& run, int schema_version) {
  Json json = {{"id", run.id},
               {"suite", text_json(run.suite)},
               {"started_utc", run.started_utc},
               {"finished_utc", run.finished_utc},
               {"complete", run.complete},
               {"planned_cases", run.planned_cases},
               {"plan_sha256", run.plan_sha256},
               {"requested", *run.requested},
               {"effective", *run.effective}};
  if (schema_version > 1) json["text_version"] = static_cast<std::uint64_t>(run.text_version);
  return json;
}

// The member of an object, or nullptr: for documents that no schema has seen yet.
Json* member_of(Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found == json.end() ? nullptr : &*found;
}

// Gives every null metric without a reason one.
void name_bare_nulls(Json& json) {
  Json* const records = member_of(json, "records");
  if (records == nullptr || !records->is_array()) return;
  for (Json& record : *records) {
    Json* const metrics = member_of(record, "metrics");
    if (metrics == nullptr || !metrics->is_object()) continue;
    for (Json& metric : *metrics) {
      const Json* const value = member_of(metric, "value");
      if (value != nullptr && value->is_null() && member_of(metric, "reason") == nullptr)
        metric["reason"] = "null without a reason";
    }
  }
}

RunInfo run_from_json(const JsonPlace& json) {
  RunInfo run;
  run.id = json.at("id").text();
  run.suite = json.at("suite").text_or_null();
  run.started_utc = json.at("started_utc").text();
  run.finished_utc = json.at("finished_utc").text();
  run.complete = json.at("complete").boolean();
  run.planned_cases = json.at("planned_cases").count();
  run.plan_sha256 = json.at("plan_sha256").text();
  run.requested = json.at("requested").value();
  run.effective = json.at("effective").value();
  if (const auto version = json.find("text_version")) {
    if (version->count() > INT32_MAX) version->fail("is no version");
    run.text_version = static_cast<int>(version->count());
  }
  return run;
}

// Throws where a member is there or missing against what the version says.
void check_schema_version(const Results& results, const JsonPlace& root) {
  const bool old = results.schema_version == 1;
  if (root.at("run").find("text_version").has_value() == old)
    root.at("run").fail(old ? "has a text_version, which version 1 does not" : "has no text_version");
  for (std::size_t i = 0; i < results.records.size(); ++i)
    if (results.records[i].files.has_value() == old)
      root.at("records").elements()[i].fail(old ? "has files, which version 1 does not" : "has no files");
}

}  // namespace

Json to_json(const Results& results) {
  Json records = Json::array();
  for (const Record* record : sorted_records(results)) records.push_back(to_json(*record));
  return {{"schema_version", results.schema_version},
          {"run", run_to_json(results.run, results.schema_version)},
          {"environment", *results.environment},
          {"records", std::move(records)}};
}

std::string results_text(const Results& results) {
  return to_json(results).dump(1, ' ', false, kReplaceBrokenUtf8) + '\n';
}

Results results_from_json(Json json, const std::string& source) {
  if (json.is_object() && json.contains("schema_version")) {
    const Json& version = json.at("schema_version");
    if (version.is_number_integer() &&
        (version < kOldestResultsSchemaVersion || version > kResultsSchemaVersion))
      throw Error(ErrorKind::not_comparable,
                  fmt::format("{}: schema_version: {}; this program reads {} to {}", source, compact(version),
                              kOldestResultsSchemaVersion, kResultsSchemaVersion));
  }
  name_bare_nulls(json);
  if (const auto problem = results_schema_problem(json))
    throw Error(ErrorKind::input, source + ": " + *problem);
  Results results;
  results.schema_version = json.at("schema_version").get<int>();
  results.run = run_from_json(JsonPlace(json, source).at("run"));
  results.environment = json.at("environment");
  for (const Json& record : json.at("records"))
    results.records.push_back(
        record_from_json(record, fmt::format("{}: records[{}]", source, results.records.size())));
  check_schema_version(results, JsonPlace(json, source));
  try {
    sorted_records(results);
  } catch (const Error& error) {
    throw Error(error.kind(), source + ": " + error.what());
  }
  return results;
}

Results results_from_text(std::string_view text, const std::string& source) {
  return results_from_json(parse_strict_json(text, source, kResultsJson), source);
}

Results read_results(const std::filesystem::path& results_json) {
  return results_from_json(read_strict_json(results_json, kResultsJson), results_json.string());
}

std::string record_text(const Record& record) { return compact(to_json(record)); }

std::string root_digest(const Results& results) {
  std::string lines;
  for (const Record* record : sorted_records(results)) lines += record_text(*record) + '\n';
  return sha256_hex(lines);
}

std::string metrics_digest(const Results& results) {
  std::string lines;
  for (const Record* record : sorted_records(results)) {
    const Json whole = to_json(*record);
    Json part = Json::object();
    for (const char* const key : {"case", "status", "options", "metrics", "output_sha256"})
      part[key] = whole.at(key);
    lines += compact(part) + '\n';
  }
  return sha256_hex(lines);
}

}  // namespace aqbench
