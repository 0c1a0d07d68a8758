#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/ab/sides.h"
#include "core/error.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "harness/records/case_name.h"
#include "reports/bundle/gate_input.h"

namespace aqbench::cli {
namespace {

const Record* partner_of(const Record& record, const Results& other) {
  const auto same = std::ranges::find(other.records, record.case_name, &Record::case_name);
  if (same != other.records.end()) return &*same;
  const Record* found = nullptr;
  for (const Record& candidate : other.records)
    if (name_without_method(candidate.case_name) == name_without_method(record.case_name)) {
      if (found != nullptr)
        throw not_comparable_error("--bundle-b: both '{}' and '{}' could be '{}' of A", found->case_name,
                                   candidate.case_name, record.case_name);
      found = &candidate;
    }
  if (found == nullptr) throw not_comparable_error("--bundle-b: has no case '{}'", record.case_name);
  return found;
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

// The method that all records share; empty if there are several.
std::string only_method(const Results& results) {
  const std::string& first = results.records.empty() ? std::string() : results.records.front().method;
  return std::ranges::all_of(results.records, [&](const Record& r) { return r.method == first; }) ? first
                                                                                                  : "";
}

AbSideInfo bundle_side(const std::string& bundle, const Results& results, const std::string& method) {
  AbSideInfo side;
  side.label = fmt::format("{} ({}{})", bundle, results.run.id, method.empty() ? "" : ", " + method);
  return side;
}

}  // namespace

void take_metrics(const std::vector<AbOutcome>& outcomes, Record& unit) {
  if (unit.status == Status::ok)
    for (const AbOutcome& outcome : outcomes)
      if (const Metric* metric = find_metric(unit.metrics, outcome.name);
          metric != nullptr && metric->value && std::isfinite(*metric->value))
        unit.unit->outcomes.push_back({outcome.name, {*metric->value}});
  unit.metrics.clear();
  unit.unit->scored = false;
}

AbDocument document_of_bundles(const AbRequest& request) {
  const auto& bundles = request.metrics.bundles;
  const Results a = read_gate_input(bundles[0]).results, b = read_gate_input(bundles[1]).results;
  if (root_digest(a) == root_digest(b))
    throw Error(ErrorKind::usage,
                "--bundle-b: holds the same records as --bundle-a: a run compared with itself");
  AbDocument document;
  document.settings = request.settings;
  document.settings.wall_time = false;
  document.settings.confirm = false;  // there are no fresh pairs
  // Where each bundle has one method, and not the same, the sides name them and the cases do not.
  const std::string method_a = only_method(a), method_b = only_method(b);
  const bool two_methods = !method_a.empty() && !method_b.empty() && method_a != method_b;
  document.a = bundle_side(bundles[0], a, two_methods ? method_a : "");
  document.b = bundle_side(bundles[1], b, two_methods ? method_b : "");
  document.run.samples_file = bundles[0] + " and " + bundles[1];
  document.run.paired_over = "seeds";
  std::map<std::string, std::size_t> indices, pairs;
  AbSamples& samples = document.samples;
  samples.order_seed = request.policy.order_seed;
  for (const Record& record : a.records) {
    const Record* const partner = partner_of(record, b);
    require_same_input(record, *partner);
    const std::string whole = two_methods ? name_without_method(record.case_name) : record.case_name;
    const std::string name = name_without_seed(whole), seed = seed_in_name(whole);
    const auto [place, is_new] = indices.emplace(name, samples.cases.size());
    if (is_new) samples.cases.push_back({name, std::nullopt});
    append_pair(samples, place->second, 1, pairs[name]++,
                unit_of_record(record, "A", document.settings.outcomes),
                unit_of_record(*partner, "B", document.settings.outcomes));
  }
  return document;
}

}  // namespace aqbench::cli
