#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/json.h"
#include "core/quantiles.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/ab/benchmark_file.h"
#include "harness/measuring/environment.h"

namespace aqbench {
namespace {

double milliseconds_in(const JsonPlace& unit) {
  constexpr std::pair<const char*, double> kUnits[] = {{"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}};
  for (const auto& [name, ms] : kUnits)
    if (unit.text() == name) return ms;
  unit.fail("expected ns, us, ms or s");
}

std::string text_or(const JsonPlace& place, const char* field, const std::string& otherwise) {
  const auto found = place.find(field);
  return found ? found->text() : otherwise;
}

bool says(const JsonPlace& place, const char* field) {
  const auto found = place.find(field);
  return found && found->boolean();
}

GbenchTimes& times_of(std::vector<GbenchTimes>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &GbenchTimes::name);
  return found != all.end() ? *found : all.emplace_back(GbenchTimes{name, {}, {}});
}

void read_entry(const JsonPlace& entry, std::vector<GbenchTimes>& all) {
  if (text_or(entry, "run_type", "iteration") != "iteration") return;
  GbenchTimes& times = times_of(all, text_or(entry, "run_name", entry.at("name").text()));
  if (says(entry, "error_occurred") || says(entry, "skipped")) {
    times.error =
        one_line(text_or(entry, "error_message", text_or(entry, "skip_message", "failed without a message")));
    return;
  }
  const double real_ms = entry.at("real_time").number() *
                         (entry.find("time_unit") ? milliseconds_in(entry.at("time_unit")) : 1e-6);
  if (!(std::isfinite(real_ms) && real_ms > 0)) entry.at("real_time").fail("must be finite and above 0");
  times.real_ms.push_back(real_ms);
}

// A regular expression that the name alone matches.
std::string exactly(const std::string& name) {
  std::string pattern = "^";
  for (const char letter : name) {
    if (std::string_view(".[]{}()\\*+?|^$").find(letter) != std::string_view::npos) pattern += '\\';
    pattern += letter;
  }
  return pattern + "$";
}

// A word for /bin/sh.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word) letter == '\'' ? text += "'\\''" : text += letter;
  return text + "'";
}

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

std::vector<GbenchTimes> read_gbench_report(const std::string& text, const std::string& source) {
  const Json json = parse_strict_json(text, source, kMessageJson);
  const JsonPlace root(json, source);
  std::vector<GbenchTimes> all;
  for (const JsonPlace& entry : root.at("benchmarks").elements()) read_entry(entry, all);
  return all;
}

bool is_gbench_report(std::string_view output) {
  const auto has = [&](std::string_view words) { return output.find(words) != std::string_view::npos; };
  if (has("\"benchmarks\"") && has("\"real_time\"")) return true;
  for (const std::string_view line : split_at(output, '\n')) {
    if (line.starts_with("name,iterations,real_time,cpu_time")) return true;
    if (!line.starts_with("Benchmark ")) continue;
    const std::size_t time = line.find(" Time "), cpu = line.find(" CPU "),
                      iterations = line.find(" Iterations");
    if (time != std::string_view::npos && cpu != std::string_view::npos && time < cpu && cpu < iterations &&
        iterations != std::string_view::npos)
      return true;
  }
  return false;
}

std::string gbench_line(const std::string& line, const std::string& benchmark, const std::string& file) {
  std::string whole = line;
  if (!benchmark.empty()) whole += " --benchmark_filter=" + quoted(exactly(benchmark));
  if (line.find("--benchmark_format") != std::string::npos ||
      line.find("--benchmark_out") != std::string::npos)
    return whole;
  return whole + " --benchmark_format=json --benchmark_out_format=json --benchmark_out=" + quoted(file);
}

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
