#include "aqbench/ab.h"

#include <algorithm>
#include <filesystem>

#include "aqbench/hidden.h"
#include "harness/records/results.h"
#include "harness/statistics/paired.h"

namespace aqbench::v1 {
namespace {

BundleCase case_of(const Record& record) {
  return {.name = record.case_name,
          .scene = record.scene,
          .method = record.method,
          .workload = record.workload,
          .status = to_string(record.status),
          .reason = record.reason,
          .metrics = metrics_of(record.metrics),
          .warm_ms = record.timing.warm_ms};
}

}  // namespace

Comparison compare(std::span<const double> a, std::span<const double> b, bool higher_is_better,
                   const std::string& policy) {
  return with_failures([&] {
    PairedSeries series;
    series.name = "samples";
    series.u_a.assign(a.begin(), a.end());
    series.u_b.assign(b.begin(), b.end());
    series.higher_is_better = higher_is_better;
    const PairedComparison found = compare_pairs({&series, 1}, paired_policy(policy)).front();
    const EstimatedShift shown = shown_shift(found);
    const double one_end = change_of(found.scale, shown.interval.lower);
    const double other_end = change_of(found.scale, shown.interval.upper);
    return Comparison{.verdict = to_string(found.verdict),
                      .reason = found.reason,
                      .change = change_of(found.scale, shown.shift),
                      .change_low = std::min(one_end, other_end),
                      .change_high = std::max(one_end, other_end),
                      .p_worse = found.p_worse,
                      .p_better = found.p_better,
                      .pairs = found.measured_pairs,
                      .kept = found.kept.size()};
  });
}

Bundle open_bundle(const std::string& path) {
  return with_failures([&] {
    const std::filesystem::path given(path);
    const std::filesystem::path file = std::filesystem::is_directory(given) ? given / "results.json" : given;
    const Results results = read_results(file);
    Bundle bundle{.run = results.run.id,
                  .suite = results.run.suite,
                  .started_utc = results.run.started_utc,
                  .complete = results.run.complete,
                  .cases = {}};
    for (const Record& record : results.records) bundle.cases.push_back(case_of(record));
    std::ranges::sort(bundle.cases, {}, &BundleCase::name);
    return bundle;
  });
}

}  // namespace aqbench::v1
