#include "reports/history/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json.h"
#include "harness/measuring/timing.h"
#include "harness/records/numbers.h"
#include "harness/statistics/summary.h"
#include "reports/content/environment_text.h"
#include "reports/content/narrative.h"

namespace aqbench {
namespace {

std::optional<double> quotient(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b || !(*a > 0)) return std::nullopt;
  return *b / *a;
}

std::string side_name(const Results& results) {
  const std::string& name = results.run.id;
  if (const std::string numbers = numbers_source(*results.run.requested); !numbers.empty())
    return name + ", " + numbers;
  const std::string version = environment_value(*results.environment, "build.version");
  std::string program = environment_value(*results.environment, "build.commit").substr(0, 12);
  if (!program.empty()) program = " commit " + program;
  if (const std::string commit = users_commit(results); !commit.empty())
    return fmt::format("{}, commit {} (aqbench {}{})", name, commit, version, program);
  return program.empty() ? name : name + "," + program;
}

std::string value_text(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) return "absent";
  return found->is_string() ? found->get<std::string>()
                            : found->dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> compare_keys(const Results& a, const Results& b) {
  const auto key_of = [](const Results& results) {
    const Json& environment = *results.environment;
    return environment.is_object() ? environment.value("comparability", Json::object()) : Json::object();
  };
  const Json left = key_of(a), right = key_of(b);
  if (!left.is_object() || !right.is_object() || left.empty() || right.empty())
    return {"comparability: not recorded"};
  std::vector<std::string> differences;
  const auto compare = [&](const std::string& key) {
    const std::string x = value_text(left, key), y = value_text(right, key);
    if (x != y) differences.push_back(fmt::format("{}: {}, {}", key, x, y));
  };
  for (const auto& item : left.items()) compare(item.key());
  for (const auto& item : right.items())
    if (!left.contains(item.key())) compare(item.key());
  return differences;
}

void compare_metrics(const Record& a, const Record& b, CompareReport& report) {
  const bool has_accuracy = find_metric(a.metrics, kAccuracyMetric) != nullptr;
  const auto add = [&](const std::string& name, const Metric* x, const Metric* y) {
    const Metric& known = x != nullptr ? *x : *y;
    const bool judged = is_judged(a.case_name, name, has_accuracy);
    ComparedMetric row{a.case_name, name, known.unit, judged ? known.better : Better::equal, {}, {}, ""};
    if (x != nullptr) row.a = x->value;
    if (y != nullptr) row.b = y->value;
    if (x == nullptr)
      row.note = "new in B";
    else if (y == nullptr)
      row.note = "not in B";
    else if (!row.a)
      row.note = "A: " + x->reason;
    else if (!row.b)
      row.note = "B: " + y->reason;
    report.metrics.push_back(std::move(row));
  };
  for (const auto& [name, metric] : a.metrics) add(name, &metric, find_metric(b.metrics, name));
  for (const auto& [name, metric] : b.metrics)
    if (find_metric(a.metrics, name) == nullptr) add(name, nullptr, &metric);
}

StageSide side_of(const StageRecord* stage) {
  if (stage == nullptr) return {};
  // The record's calls are those of all repetitions, its times those of each.
  const double calls = stage->self_ms.empty()
                           ? 0
                           : static_cast<double>(stage->calls) / static_cast<double>(stage->self_ms.size());
  return {calls, summarize(stage->self_ms).median, stage->net_bytes, stage->peak_bytes};
}

void compare_stages(const Record& a, const Record& b, CompareReport& report) {
  const auto find = [](const Record& record, const StageRecord& stage) -> const StageRecord* {
    const auto found = std::ranges::find_if(record.stages, [&](const StageRecord& other) {
      return other.name == stage.name && other.parent == stage.parent;
    });
    return found == record.stages.end() ? nullptr : &*found;
  };
  const auto add = [&](const StageRecord* x, const StageRecord* y) {
    const StageRecord& known = x != nullptr ? *x : *y;
    report.stages.push_back({a.case_name, known.name, known.parent, side_of(x), side_of(y)});
  };
  for (const StageRecord& stage : a.stages) add(&stage, find(b, stage));
  for (const StageRecord& stage : b.stages)
    if (find(a, stage) == nullptr) add(nullptr, &stage);
}

std::string batch_of(const Record& record) {
  for (const auto& [name, value] : record.axes)
    if (name == "batch" || name.ends_with(".batch")) return to_string(value);
  return "";
}

// Returns false and adds a note where the two records cannot be compared.
bool comparable(const Record& a, const Record& b, CompareReport& report) {
  const auto differences = option_differences({a.options, a.defaults}, {b.options, b.defaults});
  if (!differences.empty()) {
    report.notes.push_back(fmt::format(
        "{}: not compared: {} (A is the baseline here){}", a.case_name, differences[0],
        differences.size() > 1 ? fmt::format(" and {} more", differences.size() - 1) : std::string()));
    return false;
  }
  if (a.status == Status::ok && b.status == Status::ok) return true;
  report.notes.push_back(fmt::format("{}: not compared: A is {}, B is {}", a.case_name, to_string(a.status),
                                     to_string(b.status)));
  return false;
}

}  // namespace

std::optional<double> ComparedStage::time_factor() const { return quotient(a.self_ms, b.self_ms); }

std::optional<double> ComparedTime::factor() const { return quotient(a_ms, b_ms); }

std::optional<double> ComparedStage::work_factor() const {
  if (a.calls == 0 || b.calls == 0) return std::nullopt;
  return b.calls / a.calls;
}

std::optional<double> ComparedStage::cost_factor() const {
  const auto time = time_factor(), work = work_factor();
  if (!time || !work) return std::nullopt;
  return *time / *work;
}

CompareReport compare_results(const Results& a, const Results& b) {
  CompareReport report;
  report.a = side_name(a);
  report.b = side_name(b);
  // Every time sample is in the root digest: no second run has the same. Imported numbers have no times.
  const bool ran = numbers_source(*a.run.requested).empty();
  if (ran ? root_digest(a) == root_digest(b) : results_sha256(a) == results_sha256(b)) {
    report.refusal = "self comparison: both bundles hold the same records; run the sweep again";
    return report;
  }
  if (ran)
    report.key_differences = compare_keys(a, b);
  else if (!a.records.empty() && !a.records.front().metrics.empty())
    report.notes.push_back(fmt::format(
        "each case alone; for a verdict over all seeds: aqbench ab --bundle-a A --bundle-b B --metric {}",
        a.records.front().metrics.front().first.text()));
  for (const auto& [side, results] : {std::pair{"A", &a}, {"B", &b}})
    if (has_injected_faults(*results))
      report.notes.push_back(
          fmt::format("{} has faults that were put in with --inject: it is no evidence of quality", side));
  std::map<std::string, const Record*> others;
  for (const Record& record : b.records) others[record.case_name] = &record;
  for (const Record& record : a.records) {
    const auto other = others.find(record.case_name);
    if (other == others.end()) {
      report.notes.push_back(record.case_name + ": in A alone");
      continue;
    }
    const Record& now = *other->second;
    others.erase(other);
    if (!comparable(record, now, report)) continue;
    ++report.cases;
    compare_metrics(record, now, report);
    compare_stages(record, now, report);
    report.times.push_back(
        {record.case_name, batch_of(record), typical_ms(record.timing), typical_ms(now.timing)});
  }
  for (const auto& [name, record] : others) report.notes.push_back(name + ": in B alone");
  return report;
}

ShortNames compared_names(const CompareReport& report) {
  std::set<std::string> names;
  for (const ComparedMetric& row : report.metrics) names.insert(row.case_name);
  for (const ComparedStage& row : report.stages) names.insert(row.case_name);
  for (const ComparedTime& row : report.times) names.insert(row.case_name);
  return shorten_names({names.begin(), names.end()});
}

Verdicts verdicts_of(const CompareReport& report, bool all) {
  Verdicts verdicts;
  verdicts.cases = report.cases;
  for (const ComparedMetric& compared : report.metrics)
    if (all || compared.a != compared.b) {
      verdicts.rows.push_back(shown_verdict(compared.case_name, compared.metric, compared.unit,
                                            compared.better, compared.a, compared.b));
      verdicts.rows.back().reason = compared.note;
    }
  sort_worst_first(verdicts.rows);
  return verdicts;
}

}  // namespace aqbench
