#include "harness/records/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/sha256.h"
#include "harness/records/json_parts.h"
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
  if (results.is_comparison()) return records;
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

// Returns the document without records.
Json head_json(const Results& results) {
  Json json = {{"schema_version", results.schema_version},
               {"run", run_to_json(results.run, results.schema_version)}};
  if (results.is_comparison()) json["comparison"] = *results.comparison;
  json["environment"] = *results.environment;
  json["records"] = Json::array();
  return json;
}

// Returns the member of an object, or nullptr; for documents not yet checked against the schema.
Json* member_of(Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found == json.end() ? nullptr : &*found;
}

// Adds a reason to every null metric without one.
void name_bare_nulls_of(Json& record) {
  Json* const metrics = member_of(record, "metrics");
  if (metrics == nullptr || !metrics->is_object()) return;
  for (Json& metric : *metrics) {
    const Json* const value = member_of(metric, "value");
    if (value != nullptr && value->is_null() && member_of(metric, "reason") == nullptr)
      metric["reason"] = "null without a reason";
  }
}

// Adds reasons and what records of units leave out.
void complete_records(Json& json) {
  Json* const records = member_of(json, "records");
  if (records == nullptr || !records->is_array()) return;
  for (Json& record : *records) {
    name_bare_nulls_of(record);
    record = whole_record(std::move(record));
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
    if (version->count() > INT32_MAX) version->fail("is too large");
    run.text_version = static_cast<int>(version->count());
  }
  return run;
}

// Throws if a member is present or missing contrary to the version.
void check_schema_version(const Results& results, const JsonPlace& root) {
  const bool old = results.schema_version == 1;
  if (root.at("run").find("text_version").has_value() == old)
    root.at("run").fail(old ? "unexpected text_version in version 1" : "text_version is missing");
}

void check_files_known(const Results& results, const std::string& source) {
  const bool old = results.schema_version == 1;
  for (std::size_t i = 0; i < results.records.size(); ++i)
    if (results.records[i].files.has_value() == old)
      throw Error(ErrorKind::input,
                  fmt::format("{}: records[{}]: {}", source, i,
                              old ? "unexpected files in version 1" : "files are missing"),
                  source);
}

std::string place_of_record(const std::string& source, std::size_t index) {
  return fmt::format("{}: records[{}]", source, index);
}

// Checks properties of all records together.
void check_records_together(const Results& results, const std::string& source) {
  check_files_known(results, source);
  try {
    sorted_records(results);
  } catch (const Error& error) {
    throw Error(error.kind(), source + ": " + error.what());
  }
}

Results read_record_by_record(const std::filesystem::path& file) {
  const std::string source = file.string();
  std::vector<Record> records;
  const std::string head =
      split_json(bytes_of_file(file, kMaxResultsFileBytes), "records", source,
                 [&](std::string_view, std::string_view text) {
                   const std::string place = place_of_record(source, records.size());
                   Json record = parse_strict_json(text, place, kResultsJson);
                   name_bare_nulls_of(record);
                   record = whole_record(std::move(record));
                   if (const auto problem = record_schema_problem(record, records.size()))
                     throw Error(ErrorKind::input, source + ": " + *problem);
                   records.push_back(record_from_json(record, place));
                 });
  Results results = results_from_text(head, source);
  if (records.empty()) return results;
  results.records = std::move(records);
  check_records_together(results, source);
  return results;
}

}  // namespace

bool Results::is_comparison() const { return !comparison->empty(); }

Json to_json(const Results& results) {
  Json json = head_json(results);
  for (const Record* record : sorted_records(results)) json["records"].push_back(to_json(*record));
  return json;
}

std::string results_text(const Results& results) {
  std::string text;
  write_results_text(results, [&](std::string_view bytes) { text += bytes; });
  return text;
}

void write_results_text(const Results& results, const WriteBytes& write) {
  const std::vector<const Record*> records = sorted_records(results);
  std::string text = indented_json(head_json(results));
  text.resize(text.size() - std::string_view("]\n}").size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    text += i == 0 ? "\n  " : ",\n  ";
    // Units, of which there may be very many, stand on a line each.
    text += records[i]->unit ? record_text(*records[i]) : indented_json(to_json(*records[i]), 2);
    write(text);
    text.clear();
  }
  write(text + (records.empty() ? "]\n}\n" : "\n ]\n}\n"));
}

std::string results_sha256(const Results& results) {
  Sha256 hash;
  write_results_text(results, [&](std::string_view bytes) { hash.add(bytes); });
  return hash.hex();
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
  complete_records(json);
  if (const auto problem = results_schema_problem(json))
    throw Error(ErrorKind::input, source + ": " + *problem);
  Results results;
  results.schema_version = json.at("schema_version").get<int>();
  results.run = run_from_json(JsonPlace(json, source).at("run"));
  results.environment = json.at("environment");
  if (json.contains("comparison")) results.comparison = json.at("comparison");
  for (const Json& record : json.at("records"))
    results.records.push_back(record_from_json(record, place_of_record(source, results.records.size())));
  check_schema_version(results, JsonPlace(json, source));
  check_records_together(results, source);
  return results;
}

Results results_from_text(std::string_view text, const std::string& source) {
  return results_from_json(parse_strict_json(text, source, kResultsJson), source);
}

void require_sweep(const Results& results, const std::filesystem::path& file) {
  if (results.is_comparison())
    throw Error(ErrorKind::input,
                fmt::format("{}: is a comparison of `aqbench ab`; a sweep is needed", file.string()));
}

Results read_results(const std::filesystem::path& results_json) {
  Results results = read_any_results(results_json);
  require_sweep(results, results_json);
  return results;
}

Results read_any_results(const std::filesystem::path& results_json) {
  try {
    return read_record_by_record(results_json);
  } catch (const Error& error) {
    // Reading it as a whole gives errors with a line.
    if (error.kind() == ErrorKind::io || regular_file_size(results_json) > kResultsJson.max_bytes) throw;
    return results_from_json(read_strict_json(results_json, kResultsJson), results_json.string());
  }
}

std::string record_text(const Record& record) { return compact(to_json(record)); }

std::string root_digest(const Results& results) {
  Sha256 hash;
  for (const Record* record : sorted_records(results)) hash.add(record_text(*record) + '\n');
  return hash.hex();
}

std::string metrics_digest(const Results& results) {
  Sha256 hash;
  for (const Record* record : sorted_records(results)) {
    const Json whole = to_json(*record);
    Json part = Json::object();
    for (const char* const key : {"case", "status", "options", "metrics", "output_sha256"})
      part[key] = whole.at(key);
    hash.add(compact(part) + '\n');
  }
  return hash.hex();
}

}  // namespace aqbench
