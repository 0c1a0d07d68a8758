#include "harness/records/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/json_members.h"
#include "core/sha256.h"
#include "harness/records/json_parts.h"
#include "harness/records/numbers.h"

namespace aqbench {
namespace {

std::vector<const Record*> sorted_records(const Results& results) {
  std::vector<const Record*> records;
  for (const Record& record : results.records) records.push_back(&record);
  if (results.is_comparison()) return records;
  const auto name_of = [](const Record* record) { return std::string_view(record->case_name); };
  std::ranges::sort(records, {}, name_of);
  const auto twice = std::ranges::adjacent_find(records, {}, name_of);
  if (twice != records.end()) throw input_error("results: case '{}' has two records", (*twice)->case_name);
  return records;
}

// Returns the document without records.
Json head_json(const Results& results) {
  Json json = {{"schema_version", kResultsSchemaVersion}};
  json.update(JsonOf<Results>::write(results));
  json["records"] = Json::array();
  return json;
}

// Checks that each case has one record, and each failure its reason.
void check_records_together(const Results& results, const std::string& source) {
  for (std::size_t i = 0; i < results.records.size(); ++i)
    if (results.records[i].status != Status::ok && results.records[i].reason.empty())
      throw input_error.of_file(source, "records[{}].reason: is missing", i);
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
                   const std::string place = fmt::format("{}: records[{}]", source, records.size());
                   records.push_back(record_from_json(parse_strict_json(text, place, kResultsJson), place));
                 });
  Results results = results_from_text(head, source);
  if (records.empty()) return results;
  results.records = std::move(records);
  check_records_together(results, source);
  return results;
}

// Returns the only non-empty text of the guests; `several` where they differ.
template <class TextOf>
std::string only_text(const Results& results, const char* several, const TextOf& text_of) {
  std::string only;
  for (const Record& record : results.records) {
    const std::string text = record.guest ? text_of(*record.guest) : std::string();
    if (text.empty() || text == only) continue;
    if (!only.empty()) return several;
    only = text;
  }
  return only;
}

}  // namespace

Json comparability_of(const Json& environment) {
  return environment.is_object() ? environment.value("comparability", Json()) : Json();
}

std::vector<std::string> comparability_differences(const Json& before, const Json& now,
                                                   std::string_view whose) {
  std::set<std::string> keys;
  for (const Json* const side : {&before, &now})
    if (side->is_object())
      for (const auto& [key, value] : side->items()) keys.insert(key);
  std::vector<std::string> differences;
  for (const std::string& key : keys) {
    const auto part_of = [&](const Json& side) {
      return side.is_object() ? side.value(key, Json()) : Json();
    };
    if (const Json earlier = part_of(before), current = part_of(now); earlier != current)
      differences.push_back(fmt::format("{} is {}, {} {}", key, current.dump(), whose, earlier.dump()));
  }
  return differences;
}

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

std::string results_schema_text() {
  Json json = {{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", "aqbench results.json"},
               {"description",
                "What one sweep or one comparison (aqbench ab) measured. Numbers are unrounded; an undefined "
                "value is null with a reason, never 0 and never NaN."}};
  json.update(JsonOf<Results>::schema());
  add_member(json["properties"], "schema_version", {{"const", kResultsSchemaVersion}});
  add_member(
      json["properties"], "records",
      {{"type", "array"},
       {"description",
        "Sorted by case, each case once. Of a comparison: units in the order in which "
        "they ran, without their empty members."},
       {"items",
        {{"if", {{"required", {"unit"}}}}, {"then", record_schema(true)}, {"else", record_schema(false)}}}});
  add_member(json["properties"], "protocols",
             {{"type", "array"}, {"description", "Of eval --protocol: every number with its threshold."}});
  add_member(json["properties"], "inputs", {{"description", "Of eval --protocol: what was read, and how."}});
  add_member(json["properties"], "notes", {{"type", "array"}, {"items", {{"type", "string"}}}});
  add_member(json["properties"], "file", {{"type", "string"}});
  for (const char* const key : {"schema_version", "records"}) json["required"].push_back(key);
  return indented_json(json) + '\n';
}

Results results_from_json(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  if (const std::int64_t version = root.at("schema_version").integer(); version != kResultsSchemaVersion)
    throw not_comparable_error("{}: schema_version: {}; this program reads {}", source, version,
                               kResultsSchemaVersion);
  Results results;
  read_members(root, results, {}, [](const auto& row) { Results::members(row); },
               {"schema_version", "records", "file", "inputs", "notes", "protocols"});  // of eval --protocol
  for (const JsonPlace& record : root.at("records").elements())
    results.records.push_back(record_from_json(record));
  check_records_together(results, source);
  return results;
}

Results results_from_text(std::string_view text, const std::string& source) {
  return results_from_json(parse_strict_json(text, source, kResultsJson), source);
}

void require_sweep(const Results& results, const std::filesystem::path& file) {
  if (results.is_comparison())
    throw input_error("{}: is a comparison of `aqbench ab`; a sweep is needed", file.string());
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

std::string record_text(const Record& record) { return compact_json(to_json(record)); }

std::string root_digest(const Results& results) {
  Sha256 hash;
  for (const Record* record : sorted_records(results)) hash.add(record_text(*record) + '\n');
  return hash.hex();
}

bool has_own_times(const Results& results) {
  return numbers_source(*results.run.requested).empty() &&
         std::ranges::any_of(results.records,
                             [](const Record& record) { return record.timing.cold_ms.has_value(); });
}

std::string metrics_digest(const Results& results) {
  Sha256 hash;
  for (const Record* record : sorted_records(results)) {
    const Json part = {{"case", record->case_name},
                       {"status", to_string(record->status)},
                       {"options", JsonOf<NamedValues>::write(record->options, 0, {})},
                       {"metrics", to_json(record->metrics)},
                       {"output_sha256", text_json(record->output_sha256)}};
    hash.add(compact_json(part) + '\n');
  }
  return hash.hex();
}

std::string users_commit(const Results& results) {
  return only_text(results, "several commits", commit_text);
}

std::string full_users_commit(const Results& results) {
  return only_text(results, "", [](const Guest& guest) { return guest.commit; });
}

}  // namespace aqbench
