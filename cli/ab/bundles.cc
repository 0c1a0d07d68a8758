#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/ab/sides.h"
#include "core/error.h"
#include "core/parameters.h"
#include "core/quantiles.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "harness/records/case_name.h"
#include "harness/records/numbers.h"
#include "metrics/registry.h"
#include "metrics/value_change.h"
#include "reports/bundle/verify.h"

namespace aqbench::cli {
namespace {

std::string method_of(const Record& record) {
  return record.preset.empty() ? record.method : record.method + ":" + record.preset;
}

std::vector<std::string> methods_of(const Results& results) {
  std::set<std::string> methods;
  for (const Record& record : results.records) methods.insert(method_of(record));
  return {methods.begin(), methods.end()};
}

std::vector<const Record*> records_of(const Results& results, const std::string& method) {
  std::vector<const Record*> records;
  for (const Record& record : results.records)
    if (method.empty() || method_of(record) == method || record.method == method) records.push_back(&record);
  return records;
}

void require_method(const Results& results, const std::string& method, const char* flag) {
  if (!method.empty() && records_of(results, method).empty())
    throw usage_error("{}: {}", flag, unknown_name_message("method", method, methods_of(results)));
}

const Record& partner_of(const Record& record, const std::vector<const Record*>& others) {
  const auto same = std::ranges::find(others, record.case_name, &Record::case_name);
  if (same != others.end()) return **same;
  const Record* found = nullptr;
  for (const Record* const candidate : others)
    if (name_without_method(candidate->case_name) == name_without_method(record.case_name)) {
      if (found != nullptr)
        throw not_comparable_error("--bundle-b: both '{}' and '{}' could be '{}' of A", found->case_name,
                                   candidate->case_name, record.case_name);
      found = candidate;
    }
  if (found == nullptr)
    throw not_comparable_error("--bundle-b: has no case '{}'{}", record.case_name,
                               others.empty() ? "" : " of " + method_of(*others.front()));
  return *found;
}

// The method's options may be what is compared; what it is given must be the same.
void require_same_input(const Record& a, const Record& b) {
  const auto given = [](const Record& record, NamedValues values) {
    const std::string owner = (record.workload.empty() ? record.method : record.workload) + ".";
    std::erase_if(values, [&](const auto& option) { return option.first.starts_with(owner); });
    return values;
  };
  if (const auto differences = option_differences({given(a, a.options), given(a, a.defaults)},
                                                  {given(b, b.options), given(b, b.defaults)});
      !differences.empty())
    throw not_comparable_error("--bundle-b: case '{}': {} (the baseline being that of --bundle-a)",
                               b.case_name, differences.front());
}

// Throws Error(input) for a case that has no value to compare.
Record unit_of_record(const Record& record, const char* side, const std::vector<AbOutcome>& outcomes) {
  if (record.status != Status::ok)
    throw input_error("{}: {} {}", record.case_name, side,
                      one_line(to_string(record.status) + ": " + record.reason));
  Record unit = unit_record();
  unit.output_sha256 = record.output_sha256;
  unit.metrics = record.metrics;
  take_metrics(outcomes, unit);
  return unit;
}

AbSideInfo bundle_side(const std::string& bundle, const Results& results, const std::string& method) {
  const std::string numbers = numbers_source(*results.run.requested);
  AbSideInfo side;
  side.label = fmt::format("{} ({}{})", bundle, numbers.empty() ? results.run.id : numbers,
                           method.empty() ? "" : ", " + method);
  return side;
}

// Takes unit and direction of metrics that the registry does not know from the records.
void complete_outcomes(const Results& results, std::vector<AbOutcome>& outcomes) {
  for (AbOutcome& outcome : outcomes) {
    if (!outcome.unit.empty()) continue;
    std::set<std::string> known;
    const Metric* found = nullptr;
    for (const Record& record : results.records)
      for (const auto& [name, metric] : record.metrics) {
        known.insert(name.text());
        if (name == outcome.name) found = &metric;
      }
    if (found == nullptr)
      throw usage_error("--metric: {}",
                        unknown_name_message("metric", outcome.name, {known.begin(), known.end()}));
    if (found->better == Better::equal)
      throw usage_error("--metric '{}': no value of it is better than another; gate it (aqbench gate)",
                        outcome.name);
    outcome.unit = found->unit;
    outcome.better = found->better;
  }
}

// Two records of one scene and seed.
struct RecordPair {
  std::string name;  // of the case that it is a pair of
  std::string scene;
  Record a, b;
};

// The value of an outcome in a unit; nullptr where it is undefined.
double* value_in(Record& unit, const std::string& outcome) {
  const auto found = std::ranges::find(unit.unit->outcomes, outcome, &OutcomeSamples::name);
  return found == unit.unit->outcomes.end() ? nullptr : &found->values.front();
}

std::vector<double> values_of(std::vector<RecordPair*>& pairs, const std::string& outcome) {
  std::vector<double> values;
  for (RecordPair* const pair : pairs)
    for (Record* const unit : {&pair->a, &pair->b})
      if (const double* const value = value_in(*unit, outcome)) values.push_back(*value);
  return values;
}

// Says of how many scenes the mean of B is worse, and of which.
std::string scenes_note(const AbOutcome& outcome, const std::string& name,
                        std::map<std::string, std::vector<RecordPair*>>& scenes) {
  std::string worse;
  std::size_t count = 0;
  for (auto& [scene, pairs] : scenes) {
    double a = 0, b = 0;
    for (RecordPair* const pair : pairs)
      if (const double* x = value_in(pair->a, outcome.name), *y = value_in(pair->b, outcome.name); x && y) {
        a += *x / static_cast<double>(pairs.size());
        b += *y / static_cast<double>(pairs.size());
      }
    if (worsening(outcome.name, outcome.better, a, b) <= 0) continue;
    ++count;
    worse += (worse.empty() ? ": " : ", ") + scene;
  }
  return one_line(fmt::format("{}: the mean {} of B is worse in {} of {}{}", name, outcome.name, count,
                              counted(scenes.size(), "scene"), worse));
}

// Brings the scenes of one case to the typical value of all: ratios, or differences where the margin is
// absolute, stay as they are within each pair, and a value is bad for its own scene.
void level_scenes(const std::vector<AbOutcome>& outcomes, std::vector<RecordPair>& pairs,
                  std::vector<std::string>& notes) {
  std::map<std::string, std::map<std::string, std::vector<RecordPair*>>> cases;
  for (RecordPair& pair : pairs) cases[pair.name][pair.scene].push_back(&pair);
  for (auto& [name, scenes] : cases)
    for (const AbOutcome& outcome : outcomes) {
      notes.push_back(scenes_note(outcome, name, scenes));
      if (outcome.better == Better::equal) continue;
      std::map<std::string, double> typical;
      std::vector<double> all;
      for (auto& [scene, of_scene] : scenes)
        if (std::vector<double> values = values_of(of_scene, outcome.name); !values.empty())
          all.push_back(typical[scene] = median_of(std::move(values)));
      if (all.empty() || (!outcome.margin_absolute && !(*std::ranges::min_element(all) > 0))) continue;
      const double level = median_of(all);
      for (auto& [scene, of_scene] : scenes)
        for (RecordPair* const pair : of_scene)
          for (Record* const unit : {&pair->a, &pair->b})
            if (double* const value = value_in(*unit, outcome.name))
              *value = outcome.margin_absolute ? *value + (level - typical[scene])
                                               : *value * (level / typical[scene]);
    }
}

// The pairs of A's records, each with its partner among B's.
class PairFinder {
 public:
  PairFinder(const AbRequest& request, const std::vector<AbOutcome>& outcomes, const Results& a,
             const Results& b)
      : over_scenes_(request.metrics.paired_over == "scenes"), outcomes_(outcomes), a_(a), b_(b) {}

  // `method_in_name`: the case is named after B's method, too.
  void add(const std::string& method_a, const std::string& method_b, bool two_methods, bool method_in_name) {
    const std::vector<const Record*> others = records_of(b_, method_b);
    for (const Record* const record : records_of(a_, method_a)) {
      const Record& partner = partner_of(*record, others);
      require_same_input(*record, partner);
      const std::string whole = two_methods ? name_without_method(record->case_name) : record->case_name;
      std::string name = name_without_seed(whole);
      if (over_scenes_) name = two_methods ? "all scenes" : method_of(*record) + ", all scenes";
      if (method_in_name) name = over_scenes_ ? method_b + ", all scenes" : name + "/" + method_b;
      pairs.push_back({name, record->scene, unit_of_record(*record, "A", outcomes_),
                       unit_of_record(partner, "B", outcomes_)});
    }
  }

  std::vector<RecordPair> pairs;

 private:
  bool over_scenes_;
  const std::vector<AbOutcome>& outcomes_;
  const Results &a_, &b_;
};

void append_pairs(std::vector<RecordPair> pairs, AbSamples& samples) {
  std::map<std::string, std::size_t> indices, counts;
  for (RecordPair& pair : pairs) {
    const auto [place, is_new] = indices.emplace(pair.name, samples.cases.size());
    if (is_new) samples.cases.push_back({pair.name, std::nullopt});
    append_pair(samples, place->second, 1, counts[pair.name]++, std::move(pair.a), std::move(pair.b));
  }
}

// The methods of B that are compared: the one that is given, or all others than A's.
std::vector<std::string> methods_of_b(const AbMetricRequest& request, const Results& b) {
  if (request.methods[0].empty() || !request.methods[1].empty()) return {request.methods[1]};
  std::vector<std::string> methods = methods_of(b);
  std::erase(methods, request.methods[0]);
  if (methods.empty()) throw usage_error("--method-a: {} is the only method", request.methods[0]);
  return methods;
}

}  // namespace

AbDocument document_of_bundles(const AbRequest& request) {
  const auto& [bundle_a, given_b] = request.metrics.bundles;
  const std::string bundle_b = given_b.empty() ? bundle_a : given_b;
  const Results a = read_gate_input(bundle_a).results;
  const Results b = bundle_b == bundle_a ? a : read_gate_input(bundle_b).results;
  const auto& [method_a, method_b] = request.metrics.methods;
  require_method(a, method_a, "--method-a");
  require_method(b, method_b, "--method-b");
  if (root_digest(a) == root_digest(b) && (method_a.empty() || method_a == method_b))
    throw usage_error("--bundle-b: holds the same records as --bundle-a: a run compared with itself");
  AbDocument document;
  document.settings = request.settings;
  document.settings.wall_time = false;
  document.settings.confirm = false;  // there are no fresh pairs
  complete_outcomes(a, document.settings.outcomes);
  // Where each side has one method, and not the same, the sides name them and the cases do not.
  const std::vector<std::string> of_b = methods_of_b(request.metrics, b), all_a = methods_of(a),
                                 all_b = methods_of(b);
  const std::string only_a = !method_a.empty() ? method_a : all_a.size() == 1 ? all_a.front() : "";
  const std::string only_b = of_b.size() > 1         ? ""
                             : !of_b.front().empty() ? of_b.front()
                             : all_b.size() == 1     ? all_b.front()
                                                     : "";
  const bool several = of_b.size() > 1,
             two_methods = several || (!only_a.empty() && !only_b.empty() && only_a != only_b);
  document.a = bundle_side(bundle_a, a, two_methods ? only_a : "");
  document.b = bundle_side(bundle_b, b, several ? counted(of_b.size(), "method") : two_methods ? only_b : "");
  document.run.samples_file = bundle_a + " and " + bundle_b;
  document.run.paired_over = request.metrics.paired_over == "scenes" ? "scenes and seeds" : "seeds";
  PairFinder finder(request, document.settings.outcomes, a, b);
  for (const std::string& method : of_b) finder.add(method_a, method, two_methods, several);
  if (request.metrics.paired_over == "scenes")
    level_scenes(document.settings.outcomes, finder.pairs, document.notes);
  document.samples.order_seed = request.policy.order_seed;
  append_pairs(std::move(finder.pairs), document.samples);
  return document;
}

}  // namespace aqbench::cli
