#include "harness/records/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "harness/records/json_values.h"
#include "harness/records/program_use.h"

namespace aqbench {
namespace {

template <class Integer>
Json integer_json(const std::optional<Integer>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json metric_json(const Metric& metric) {
  Json json = {
      {"value", finite_json(metric.value)}, {"unit", metric.unit}, {"better", to_string(metric.better)}};
  if (!json["value"].is_null()) return json;
  if (metric.value)
    json["reason"] = "the value was not finite";
  else
    json["reason"] = metric.reason.empty() ? "no reason given" : metric.reason;
  return json;
}

Json stage_json(const StageRecord& stage, const Record& record) {
  Json json = {{"name", stage.name},
               {"parent", text_json(stage.parent)},
               {"calls", stage.calls},
               {"wall_ms", samples_json(stage.wall_ms, record.case_name, stage.name)},
               {"self_ms", samples_json(stage.self_ms, record.case_name, stage.name)},
               {"net_bytes", integer_json(stage.net_bytes)},
               {"peak_bytes", integer_json(stage.peak_bytes)}};
  // Values measured only by profiles are written only if measured.
  if (!stage.cpu_ms.empty()) json["cpu_ms"] = samples_json(stage.cpu_ms, record.case_name, stage.name);
  if (!stage.device_ms.empty())
    json["device_ms"] = samples_json(stage.device_ms, record.case_name, stage.name);
  if (stage.resident_peak_bytes) json["resident_peak_bytes"] = *stage.resident_peak_bytes;
  if (stage.other_thread) json["other_thread"] = true;
  return json;
}

// ---- Reading ----

Better read_better(const JsonPlace& place) {
  if (const auto better = better_from_string(place.text())) return *better;
  place.fail("expected lower, higher or equal");
}

Metric read_metric(const JsonPlace& place) {
  place.allow_only({"value", "unit", "better", "reason"});
  Metric metric;
  metric.value = place.at("value").number_or_null();
  metric.unit = place.at("unit").text();
  metric.better = read_better(place.at("better"));
  if (!metric.value) metric.reason = place.at("reason").text();
  if (metric.value && place.find("reason")) place.at("reason").fail("is not allowed beside a value");
  return metric;
}

std::optional<std::int64_t> integer_or_null(const JsonPlace& place) {
  if (place.is_null()) return std::nullopt;
  return place.integer();
}

// A unit has only the times without nested stages.
StageRecord read_stage(const JsonPlace& place, bool of_unit) {
  place.allow_only({"name", "parent", "calls", "wall_ms", "self_ms", "cpu_ms", "device_ms", "net_bytes",
                    "peak_bytes", "resident_peak_bytes", "other_thread"});
  StageRecord stage;
  stage.name = place.at("name").text();
  stage.parent = place.at("parent").text_or_null();
  stage.calls = place.at("calls").count();
  stage.wall_ms = numbers_from_json(place.at("wall_ms"));
  stage.self_ms = numbers_from_json(place.at("self_ms"));
  if (!of_unit && stage.self_ms.size() != stage.wall_ms.size())
    place.at("self_ms").fail("must have the length of wall_ms");
  stage.net_bytes = integer_or_null(place.at("net_bytes"));
  stage.peak_bytes = integer_or_null(place.at("peak_bytes"));
  if (place.find("cpu_ms")) stage.cpu_ms = numbers_from_json(place.at("cpu_ms"));
  if (place.find("device_ms")) stage.device_ms = numbers_from_json(place.at("device_ms"));
  if (place.find("resident_peak_bytes"))
    stage.resident_peak_bytes = place.at("resident_peak_bytes").integer();
  if (place.find("other_thread")) stage.other_thread = place.at("other_thread").boolean();
  return stage;
}

InjectedFault read_injected(const JsonPlace& place) {
  place.allow_only({"stage", "effect", "times"});
  return {place.at("stage").text(), place.at("effect").text(), place.at("times").count()};
}

constexpr std::uint64_t kMaxLook = 100;

// Prefix of an invalid record's reason, in files and on screen.
constexpr std::string_view kInvalidStart = "invalid: ";

Json unit_json(const UnitOfRecord& unit) {
  Json json = {
      {"side", to_string(unit.side)}, {"look", static_cast<std::uint64_t>(unit.look)}, {"pair", unit.pair}};
  if (unit.scored) json["scored"] = true;
  if (unit.layout) json["layout"] = *unit.layout;
  for (const OutcomeSamples& outcome : unit.outcomes) json["outcomes"][outcome.name] = outcome.values;
  return json;
}

UnitOfRecord read_unit(const JsonPlace& place) {
  place.allow_only({"side", "look", "pair", "scored", "layout", "outcomes"});
  UnitOfRecord unit;
  const std::string side = place.at("side").text();
  if (side != "a" && side != "b") place.at("side").fail("expected a or b");
  unit.side = side == "a" ? AbSide::a : AbSide::b;
  const std::uint64_t look = place.at("look").count();
  if (look > kMaxLook) place.at("look").fail(fmt::format("is {}", look));
  unit.look = static_cast<int>(look);
  unit.pair = place.at("pair").count();
  if (const auto scored = place.find("scored")) unit.scored = scored->boolean();
  if (const auto layout = place.find("layout")) unit.layout = layout->count();
  if (const auto outcomes = place.find("outcomes"))
    for (const auto& [name, values] : outcomes->members()) {
      unit.outcomes.push_back({name, numbers_from_json(values)});
      if (unit.outcomes.back().values.empty()) values.fail("is empty");
    }
  return unit;
}

// ---- Empty members, which a unit's record leaves out: a file may hold 200 000 of them ----

// Removes the members that an empty record has as well.
void leave_out(Json& json, const Json& empty) {
  for (const auto& [name, value] : empty.items())
    if (const auto found = json.find(name); found != json.end() && *found == value) json.erase(name);
}

// Adds the members that leave_out() removed.
void fill_in(Json& json, const Json& empty) {
  if (!json.is_object()) return;  // the reader says so
  for (const auto& [name, value] : empty.items())
    if (!json.contains(name)) json[name] = value;
}

const Json& empty_stage() {
  static const Json empty = [] {
    Json json = stage_json({}, {});
    json.erase("name");
    return json;
  }();
  return empty;
}

const Json& empty_record() {
  static const Json empty = [] {
    Json json = to_json(Record{});
    json.erase("case");
    json.erase("status");
    return json;
  }();
  return empty;
}

Status read_status(const JsonPlace& place, std::string_view reason) {
  const auto status = status_from_string(place.text(), reason);
  if (!status) place.fail("expected ok, failed, crashed, timeout or skipped");
  return *status;
}

}  // namespace

std::string to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::failed:
    case Status::invalid:
      return "failed";
    case Status::crashed:
      return "crashed";
    case Status::timeout:
      return "timeout";
    case Status::skipped:
      break;
  }
  return "skipped";
}

std::optional<Status> status_from_string(std::string_view text, std::string_view reason) {
  if (text == "failed") return reason.starts_with(kInvalidStart) ? Status::invalid : Status::failed;
  for (const Status status : {Status::ok, Status::crashed, Status::timeout, Status::skipped})
    if (to_string(status) == text) return status;
  return std::nullopt;
}

std::string to_string(AbSide side) { return side == AbSide::a ? "a" : "b"; }

std::string record_key(const Record& record) {
  if (!record.unit) return record.case_name;
  const UnitOfRecord& unit = *record.unit;
  return fmt::format("{} {} {}.{}", record.case_name, to_string(unit.side), unit.look, unit.pair);
}

Json whole_record(Json record) {
  if (!record.is_object() || !record.contains("unit")) return record;
  fill_in(record, empty_record());
  fill_in(record["timing"], empty_record().at("timing"));
  if (record["stages"].is_array())
    for (Json& stage : record["stages"]) fill_in(stage, empty_stage());
  return record;
}

std::string invalid_reason(std::string_view why) { return fmt::format("{}{}", kInvalidStart, why); }

Json to_json(const MetricSet& metrics) {
  Json json = Json::object();
  for (const auto& [name, metric] : metrics) json[name] = metric_json(metric);
  return json;
}

MetricSet metrics_from_json(const Json& json, const std::string& source) {
  MetricSet metrics;
  metrics.reserve(json.size());
  for (const auto& [name, place] : JsonPlace(json, source).members())
    metrics.emplace_back(name, read_metric(place));
  return metrics;
}

const StageRecord* find_stage(const std::vector<StageRecord>& stages, const StageRecord& like) {
  const auto found = std::ranges::find_if(stages, [&](const StageRecord& stage) {
    return stage.name == like.name && stage.parent == like.parent && stage.other_thread == like.other_thread;
  });
  return found == stages.end() ? nullptr : &*found;
}

Json to_json(const Record& record) {
  Json stages = Json::array();
  for (const StageRecord& stage : record.stages) stages.push_back(stage_json(stage, record));
  Json injected = Json::array();
  for (const InjectedFault& fault : record.injected)
    injected.push_back({{"stage", fault.stage}, {"effect", fault.effect}, {"times", fault.times}});
  Json json = {{"case", record.case_name},
               {"scene", text_json(record.scene)},
               {"method", text_json(record.method)},
               {"preset", text_json(record.preset)},
               {"workload", text_json(record.workload)},
               {"axes", named_values_json(record.axes)},
               {"status", to_string(record.status)},
               {"reason", text_json(record.reason)},
               {"metrics", to_json(record.metrics)},
               {"stages", std::move(stages)},
               {"timing", timing_json(record.timing, record.case_name)},
               {"peak_rss_bytes", integer_json(record.peak_rss_bytes)},
               {"output_sha256", text_json(record.output_sha256)},
               {"options", named_values_json(record.options)},
               {"simulated", record.simulated},
               {"injected", std::move(injected)}};
  if (!record.defaults.empty()) json["defaults"] = named_values_json(record.defaults);
  if (record.guest) json["guest"] = to_json(*record.guest);
  if (record.program) json["program"] = to_json(*record.program);
  if (!record.isolation.empty()) json["isolation"] = record.isolation;
  if (!record.dataset_sha256.empty()) json["dataset_sha256"] = record.dataset_sha256;
  for (const auto& [name, value] : record.effective) json["effective"][name] = value;
  if (record.files) json["files"] = Json::object();
  if (record.files)
    for (const CaseFile& file : *record.files) json["files"][file.path] = file.sha256;
  if (!record.unit) return json;
  json["unit"] = unit_json(*record.unit);
  for (Json& stage : json["stages"]) leave_out(stage, empty_stage());
  const Json& empty = empty_record();
  if (json["timing"] != empty.at("timing")) leave_out(json["timing"], empty.at("timing"));
  leave_out(json, empty);
  return json;
}

Record record_from_json(const Json& given, const std::string& source) {
  Json filled;
  if (given.contains("unit")) filled = whole_record(given);
  const JsonPlace root(filled.is_null() ? given : filled, source);
  root.allow_only({"case",           "scene",          "method",    "preset",    "workload", "axes",
                   "defaults",       "status",         "reason",    "metrics",   "stages",   "timing",
                   "peak_rss_bytes", "output_sha256",  "options",   "simulated", "injected", "program",
                   "isolation",      "dataset_sha256", "effective", "files",     "guest",    "unit"});
  Record record;
  record.case_name = root.at("case").text();
  if (record.case_name.empty()) root.at("case").fail("is empty");
  if (const auto unit = root.find("unit")) record.unit = read_unit(*unit);
  record.scene = root.at("scene").text_or_null();
  record.method = root.at("method").text_or_null();
  record.preset = root.at("preset").text_or_null();
  record.workload = root.at("workload").text_or_null();
  record.axes = named_values_from_json(root.at("axes"));
  record.reason = root.at("reason").text_or_null();
  record.status = read_status(root.at("status"), record.reason);
  // Releases spare capacity: a sweep may hold very many records.
  record.metrics.reserve(root.at("metrics").value().size());
  record.stages.reserve(root.at("stages").value().size());
  for (const auto& [name, place] : root.at("metrics").members())
    record.metrics.emplace_back(name, read_metric(place));
  for (const JsonPlace& place : root.at("stages").elements())
    record.stages.push_back(read_stage(place, record.unit.has_value()));
  record.timing = timing_from_json(root.at("timing"));
  if (const JsonPlace peak = root.at("peak_rss_bytes"); !peak.is_null()) record.peak_rss_bytes = peak.count();
  record.output_sha256 = root.at("output_sha256").text_or_null();
  record.options = named_values_from_json(root.at("options"));
  if (const auto defaults = root.find("defaults")) record.defaults = named_values_from_json(*defaults);
  record.simulated = root.at("simulated").boolean();
  for (const JsonPlace& place : root.at("injected").elements())
    record.injected.push_back(read_injected(place));
  if (const auto guest = root.find("guest")) record.guest = guest_from_json(*guest);
  if (const auto program = root.find("program")) record.program = program_use_from_json(*program);
  if (root.find("isolation")) record.isolation = root.at("isolation").text();
  if (root.find("dataset_sha256")) record.dataset_sha256 = root.at("dataset_sha256").text();
  if (const auto effective = root.find("effective")) {
    record.effective.reserve(effective->value().size());
    for (const auto& [name, place] : effective->members())
      record.effective.emplace_back(name, place.number());
  }
  record.files.reset();
  if (const auto files = root.find("files")) {
    record.files.emplace();
    record.files->reserve(files->value().size());
    for (const auto& [path, place] : files->members()) record.files->push_back({path, place.text()});
  }
  return record;
}

}  // namespace aqbench
