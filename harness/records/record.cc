#include "harness/records/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json_members.h"
#include "core/text.h"
#include "harness/records/bundle_path.h"

namespace aqbench {
namespace {

constexpr std::size_t kShownDigits = 12;

// Returns the hash of a name; "absent" where the guest has none of that name.
std::string hash_of(const Guest& guest, const std::string& name) {
  const auto found = std::ranges::find(guest.files, name, [](const auto& file) { return file.first; });
  return found == guest.files.end() ? "absent" : found->second;
}

std::string short_hash(const std::string& hash) {
  return hash.empty() ? "missing" : hash.substr(0, kShownDigits);
}

// Prefix of an invalid record's reason, in files and on screen.
constexpr std::string_view kInvalidStart = "invalid: ";

constexpr int kMaxLook = 100;

void require_finite(const std::vector<double>& samples, const std::string& case_name, std::string_view what) {
  if (!std::ranges::all_of(samples, [](double sample) { return std::isfinite(sample); }))
    throw method_error("{}: a sample of {} is not finite", case_name, what);
}

}  // namespace

std::vector<std::string> guest_differences(const Guest& before, const Guest& now) {
  std::set<std::string> names;
  for (const Guest* const guest : {&before, &now})
    for (const auto& [name, sha256] : guest->files) names.insert(name);
  std::vector<std::string> differences;
  for (const std::string& name : names)
    if (const std::string was = hash_of(before, name), is = hash_of(now, name); was != is)
      differences.push_back(fmt::format("{} is {}, was {}", name, short_hash(is), short_hash(was)));
  if (before.runs_in != now.runs_in)
    differences.push_back(fmt::format("runs_in is {}, was {}", now.runs_in.empty() ? "none" : now.runs_in,
                                      before.runs_in.empty() ? "none" : before.runs_in));
  return differences;
}

std::string commit_text(const Guest& guest) {
  if (guest.commit.empty()) return {};
  return guest.commit.substr(0, kShownDigits) + (guest.changed.value_or(false) ? ", changed" : "");
}

// An undefined value has a reason, and no other has one.
template <>
struct JsonOf<Metric> {
  using Members = JsonOfMembers<Metric>;

  static Json write(Metric metric, unsigned, JsonForm = {}) {
    if (metric.value && std::isfinite(*metric.value))
      metric.reason = {};
    else if (metric.value)
      metric.reason = "the value was not finite";
    else if (metric.reason.empty())
      metric.reason = "no reason given";
    return Members::write(metric);
  }
  static void read(const JsonPlace& place, Metric& metric, unsigned, JsonForm = {}) {
    Members::read(place, metric);
    if (metric.value && !metric.reason.empty()) place.at("reason").fail("is not allowed beside a value");
    // Of a file edited by hand: a gate fails it like any other undefined value.
    if (!metric.value && metric.reason.empty()) metric.reason = "null without a reason";
  }
  static Json schema(unsigned, JsonForm = {}) {
    Json json = Members::schema();
    json["if"] = {{"properties", {{"value", {{"type", "null"}}}}}};
    json["then"] = {{"required", {"reason"}}};
    return json;
  }
};

std::string to_string(Status status) {
  constexpr std::array kNames = {"ok",      "failed",  "crashed",
                                 "timeout", "skipped", "failed"};  // in their order
  return kNames.at(static_cast<std::size_t>(status));
}

std::optional<Status> status_from_string(std::string_view text, std::string_view reason) {
  if (text == "failed" && reason.starts_with(kInvalidStart)) return Status::invalid;
  for (const Status status : json_values(Status{}))
    if (to_string(status) == text) return status;
  return std::nullopt;
}

std::string to_string(AbSide side) { return side == AbSide::a ? "a" : "b"; }

std::string record_key(const Record& record) {
  if (!record.unit) return record.case_name;
  const UnitOfRecord& unit = *record.unit;
  return fmt::format("{} {} {}.{}", record.case_name, to_string(unit.side), unit.look, unit.pair);
}

std::string invalid_reason(std::string_view why) { return fmt::format("{}{}", kInvalidStart, why); }

Json to_json(const MetricSet& metrics) { return JsonOf<MetricSet>::write(metrics, 0, {}); }

MetricSet metrics_from_json(const Json& json, const std::string& source) {
  return from_json<MetricSet>(JsonPlace(json, source));
}

const StageRecord* find_stage(const std::vector<StageRecord>& stages, const StageRecord& like) {
  const auto found = std::ranges::find_if(stages, [&](const StageRecord& stage) {
    return stage.name == like.name && stage.parent == like.parent && stage.other_thread == like.other_thread;
  });
  return found == stages.end() ? nullptr : &*found;
}

void Timing::after_reading(const JsonPlace& place) const {
  for (const TimedBlock& block : blocks)
    if (block.first > warm_ms.size() || block.count > warm_ms.size() - block.first)
      place.at("details").at("blocks").fail("exceeds warm_ms");
}

void UnitOfRecord::after_reading(const JsonPlace& place) const {
  if (look > kMaxLook) place.at("look").fail("must be at most {}", kMaxLook);
}

void Record::after_reading(const JsonPlace& place) {
  status = *status_from_string(to_string(status), reason);
  for (const CaseFile& file : files)
    if (!is_case_file(file.path))
      place.at("files").fail("'{}' is not a file of a case in a bundle", printable(file.path));
  for (std::size_t i = 0; i < stages.size(); ++i)  // a unit has only the times without nested stages
    if (!unit && stages[i].self_ms.size() != stages[i].wall_ms.size())
      place.at("stages").elements()[i].at("self_ms").fail("must have the length of wall_ms");
}

Json to_json(const Record& record) {
  for (const StageRecord& stage : record.stages)
    for (const auto* samples : {&stage.wall_ms, &stage.self_ms, &stage.cpu_ms, &stage.device_ms})
      require_finite(*samples, record.case_name, stage.name);
  require_finite(record.timing.warm_ms, record.case_name, "warm_ms");
  return JsonOf<Record>::write(record, 0, record.unit ? JsonForm::brief : JsonForm::whole);
}

Record record_from_json(const JsonPlace& place) {
  return from_json<Record>(place, place.find("unit") ? JsonForm::brief : JsonForm::whole);
}

Record record_from_json(const Json& json, const std::string& source) {
  return record_from_json(JsonPlace(json, source));
}

Json record_schema(bool of_unit) {
  Json json = JsonOf<Record>::schema(0, of_unit ? JsonForm::brief : JsonForm::whole);
  if (of_unit) json["required"].push_back("unit");
  json["if"] = {{"properties", {{"status", {{"enum", {"failed", "crashed", "timeout", "skipped"}}}}}}};
  json["then"] = {{"required", {"reason"}}, {"properties", {{"reason", {{"type", "string"}}}}}};
  return json;
}

}  // namespace aqbench
