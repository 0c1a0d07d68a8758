#include "harness/ab/benchmark_results.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/quantiles.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/ab/benchmark_file.h"
#include "harness/measuring/environment.h"
#include "harness/measuring/machine.h"

namespace aqbench {
namespace {

// Returns when the file was changed last, "2026-11-25T17:09:24".
std::string changed_utc(const std::filesystem::path& path) {
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(path, error);
  if (error) return "1970-01-01T00:00:00";
  const auto system = std::chrono::file_clock::to_sys(changed);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(
                         std::chrono::time_point_cast<std::chrono::system_clock::duration>(system))));
}

Json this_machine() {
  const auto bytes = memory_total_bytes();
  return {{"architecture", architecture()},
          {"cpu_model", cpu_model().value_or("unknown")},
          {"cores", affinity_processors().size()},
          {"memory", bytes ? memory_class(*bytes) : "unknown"}};
}

Record record_of(const BenchmarkSeries& series) {
  Record record;
  record.case_name = record.workload = one_line(series.name);
  record.status = series.error.empty() && !series.seconds.empty() ? Status::ok : Status::failed;
  record.reason = record.status == Status::ok ? ""
                  : series.error.empty()      ? "the file has no time of it"
                                              : one_line(series.error);
  if (record.status != Status::ok) return record;
  for (const double seconds : series.seconds) record.timing.warm_ms.push_back(1e3 * seconds);
  record.timing.note = series.note;
  return record;
}

}  // namespace

Results results_of_benchmarks(const std::filesystem::path& path, bool measured_here) {
  BenchmarkFile file = read_benchmark_file(path);
  if (file.machine->empty() && measured_here) file.machine = this_machine();
  Results results;
  results.run.suite = lower_case(file.tool);
  std::ranges::replace(results.run.suite, ' ', '-');
  const std::string started = file.started_local.empty() ? changed_utc(path) : file.started_local;
  results.run.started_utc = results.run.finished_utc = started + "Z";
  std::string stamp = started + "Z";
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  results.run.id = stamp;
  results.run.complete = true;
  results.run.planned_cases = file.series.size();
  results.run.requested = Json{{"file", path.string()}};
  results.run.effective = Json::object();
  std::string names;
  for (const BenchmarkSeries& series : file.series) names += series.name + "\n";
  results.run.plan_sha256 = sha256_hex(names);
  Json environment = Json::object();
  if (!file.machine->empty()) {
    environment["comparability"] = *file.machine;
    environment["comparability"]["tool"] = file.tool;
  }
  results.environment = std::move(environment);
  for (const BenchmarkSeries& series : file.series) results.records.push_back(record_of(series));
  return results;
}

std::pair<double, std::size_t> false_alarms_of_halves(const Results& results, double factor) {
  constexpr std::size_t kFewestRuns = 10;
  std::size_t halves = 0, alarms = 0;
  for (const Record& record : results.records) {
    const std::vector<double>& runs = record.timing.warm_ms;
    if (record.status != Status::ok || runs.size() < kFewestRuns) continue;
    for (std::size_t start = 0; start < runs.size(); ++start) {
      std::vector<double> now, then;
      for (std::size_t i = 0; i < runs.size(); ++i)
        (i < runs.size() / 2 ? now : then).push_back(runs[(start + i) % runs.size()]);
      ++halves;
      alarms += median_of(now) > factor * median_of(then) ? 1 : 0;
    }
  }
  return {halves == 0 ? 0 : static_cast<double>(alarms) / static_cast<double>(halves), halves};
}

}  // namespace aqbench
