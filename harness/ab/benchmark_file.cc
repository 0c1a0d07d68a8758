#include "harness/ab/benchmark_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{256} << 20;
constexpr const char *kGbench = "Google Benchmark", *kHyperfine = "hyperfine", *kPytest = "pytest-benchmark",
                     *kCriterion = "Criterion";

double checked_seconds(const JsonPlace& place, double seconds_per_unit) {
  const double seconds = place.number() * seconds_per_unit;
  if (!(std::isfinite(seconds) && seconds > 0)) place.fail("must be finite and above 0");
  return seconds;
}

double seconds_in(const JsonPlace& unit) {
  constexpr std::pair<const char*, double> kUnits[] = {{"ps", 1e-12},       {"ns", 1e-9}, {"us", 1e-6},
                                                       {"\xC2\xB5s", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  for (const auto& [name, seconds] : kUnits)
    if (unit.text() == name) return seconds;
  unit.fail("expected ps, ns, us, ms or s");
}

std::vector<double> seconds_of(const JsonPlace& list, double seconds_per_unit = 1) {
  std::vector<double> seconds;
  for (const JsonPlace& value : list.elements()) seconds.push_back(checked_seconds(value, seconds_per_unit));
  return seconds;
}

constexpr const char* kNoNumber = "the time of a run is null or not a finite number";

// Takes the times of runs; one without a number is the benchmark's error.
void take_runs(const JsonPlace& list, BenchmarkSeries& one) {
  for (const JsonPlace& value : list.elements())
    if (value.is_null())
      one.error = kNoNumber;
    else
      one.seconds.push_back(checked_seconds(value, 1));
}

// Takes a median in place of runs.
void take_median(const JsonPlace& value, double seconds_per_unit, std::string note, BenchmarkSeries& one) {
  one.note = std::move(note);
  if (value.is_null())
    one.error = kNoNumber;
  else
    one.seconds = {checked_seconds(value, seconds_per_unit)};
}

std::string kept_alone(const char* what, std::uint64_t runs) {
  return fmt::format("the {} of {} runs alone was kept", what, runs);
}

// The members that are text, numbers or true and false, so that they can be compared.
Json plain_of(const JsonPlace& object, std::initializer_list<const char*> keys) {
  Json machine = Json::object();
  for (const char* const key : keys)
    if (const auto member = object.find(key); member && member->value().is_primitive() && !member->is_null())
      machine[key] = member->value();
  return machine;
}

// ---- Google Benchmark ----

// Adds the medians of benchmarks whose repetitions were left out (--benchmark_report_aggregates_only).
void add_medians(const JsonPlace& root, std::vector<BenchmarkSeries>& series) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < series.size(); ++i) places.emplace(series[i].name, i);
  for (const JsonPlace& entry : root.at("benchmarks").elements()) {
    const auto kind = entry.find("aggregate_name");
    if (!kind || kind->text() != "median") continue;
    const std::string name = entry.at("run_name").text();
    const auto [place, is_new] = places.emplace(name, series.size());
    if (is_new) series.push_back({name, {}});
    BenchmarkSeries& one = series[place->second];
    if (!one.seconds.empty() || !one.error.empty()) continue;
    const auto runs = entry.find("repetitions");
    take_median(entry.at("real_time"), seconds_in(entry.at("time_unit")),
                kept_alone("median", runs ? runs->count() : 0), one);
  }
}

// "Data 1: 32768, Unified 3: 33554432": what a report says of the model of the processor.
std::string caches_text(const JsonPlace& context) {
  std::vector<std::string> caches;
  if (const auto list = context.find("caches"))
    for (const JsonPlace& cache : list->elements())
      caches.push_back(fmt::format("{} {}: {}", cache.at("type").text(), cache.at("level").count(),
                                   cache.at("size").count()));
  return fmt::format("{}", fmt::join(caches, ", "));
}

BenchmarkFile read_gbench(const Json& json, const std::string& source) {
  BenchmarkFile file{kGbench, {}, {}, {}};
  const JsonPlace root(json, source);
  for (GbenchTimes& times : read_gbench_report(root)) {
    file.series.push_back({times.name, {}, "", times.error});
    for (const double ms : times.real_ms) file.series.back().seconds.push_back(ms * 1e-3);
    for (const double ms : times.cpu_ms) file.series.back().cpu_seconds.push_back(ms * 1e-3);
    file.series.back().instructions = times.instructions;
  }
  add_medians(root, file.series);
  const auto context = root.find("context");
  if (!context) return file;
  Json machine = plain_of(*context, {"num_cpus", "cpu_scaling_enabled", "library_build_type"});
  if (const std::string caches = caches_text(*context); !caches.empty()) machine["caches"] = caches;
  file.machine = std::move(machine);
  if (const auto date = context->find("date")) file.started_us = utc_microseconds(date->text());
  if (const auto commit = context->find("commit"); commit && commit->value().is_string())
    file.commit = one_line(commit->text());
  if (const auto count = context->find("num_cpus"); count && count->value().is_number_unsigned())
    file.processors = count->count();
  if (const auto load = context->find("load_avg");
      load && load->value().is_array() && !load->value().empty() && load->value()[0].is_number())
    file.load_1m = load->value()[0].get<double>();
  return file;
}

// ---- hyperfine ----

BenchmarkFile read_hyperfine(const Json& json, const std::string& source) {
  BenchmarkFile file{kHyperfine, {}, {}, {}};
  for (const JsonPlace& result : JsonPlace(json, source).at("results").elements()) {
    BenchmarkSeries& one = file.series.emplace_back(BenchmarkSeries{result.at("command").text(), {}});
    if (const auto times = result.find("times"))
      take_runs(*times, one);
    else
      take_median(result.at("median"), 1, "the median alone was kept", one);
    const auto codes = result.find("exit_codes");
    for (const JsonPlace& code : codes ? codes->elements() : std::vector<JsonPlace>()) {
      if (code.is_null()) one.error = "a run was ended by a signal";
      if (!code.is_null() && code.integer() != 0)
        one.error = fmt::format("a run ended with exit code {}", code.integer());
    }
  }
  return file;
}

// ---- pytest-benchmark ----

BenchmarkFile read_pytest(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  BenchmarkFile file{kPytest, utc_microseconds(root.at("datetime").text()), {}, {}};
  Json machine =
      plain_of(root.at("machine_info"), {"machine", "system", "python_implementation", "python_version"});
  if (const auto cpu = root.at("machine_info").find("cpu"); cpu && cpu->value().is_object())
    machine.update(plain_of(*cpu, {"brand", "brand_raw", "count"}));
  file.machine = std::move(machine);
  for (const JsonPlace& benchmark : root.at("benchmarks").elements()) {
    const JsonPlace stats = benchmark.at("stats");
    BenchmarkSeries& one = file.series.emplace_back(BenchmarkSeries{benchmark.at("fullname").text(), {}});
    const auto data = stats.find("data");
    if (data && !data->elements().empty())
      take_runs(*data, one);
    else
      take_median(stats.at("median"), 1, kept_alone("median", stats.at("rounds").count()), one);
  }
  return file;
}

// ---- Criterion ----

// Times of one iteration from the number of iterations of each sample and its whole time.
std::vector<double> per_iteration(const JsonPlace& iterations, const JsonPlace& times,
                                  double seconds_per_unit) {
  const std::vector<double> counts = seconds_of(iterations);
  std::vector<double> seconds = seconds_of(times, seconds_per_unit);
  if (counts.size() != seconds.size()) times.fail("{} values for {}", seconds.size(), counts.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] /= counts[i];
  return seconds;
}

// Reads lines of `cargo criterion --message-format json`.
BenchmarkFile read_criterion_lines(const std::string& text, const std::string& source) {
  BenchmarkFile file{kCriterion, {}, {}, {}};
  std::size_t number = 0;
  for (const std::string_view line : split_at(text, '\n')) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string where = fmt::format("{}:{}", source, number);
    const Json json = parse_strict_json(line, where, kMessageJson);
    const JsonPlace root(json, where);
    if (root.at("reason").text() != "benchmark-complete") continue;
    file.series.push_back(
        {root.at("id").text(),
         per_iteration(root.at("iteration_count"), root.at("measured_values"), seconds_in(root.at("unit")))});
  }
  return file;
}

// Reads new/ of one benchmark: its samples, or the median of its estimates.
BenchmarkSeries read_criterion_folder(const fs::path& folder, const std::string& otherwise) {
  BenchmarkSeries one{otherwise, {}};
  if (is_file(folder / "benchmark.json")) {
    const Json json = read_strict_json(folder / "benchmark.json");
    const JsonPlace root(json, (folder / "benchmark.json").string());
    const auto whole = root.find("full_id");
    one.name = whole ? whole->text() : root.at("group_id").text();
  }
  if (const fs::path samples = folder / "sample.json"; is_file(samples)) {
    const Json json = read_strict_json(samples);
    const JsonPlace root(json, samples.string());
    one.seconds = per_iteration(root.at("iters"), root.at("times"), 1e-9);
    return one;
  }
  const Json json = read_strict_json(folder / "estimates.json");
  const JsonPlace root(json, (folder / "estimates.json").string());
  one.seconds = {checked_seconds(root.at("median").at("point_estimate"), 1e-9)};
  one.note = "the median alone was kept";
  return one;
}

// The folders new/ below a folder of Criterion, in the order of their paths.
std::vector<fs::path> criterion_folders(const fs::path& root) {
  constexpr int kMaxLevels = 6;
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry.depth() >= kMaxLevels) entry.disable_recursion_pending();
    const fs::path& path = entry->path();
    if (path.filename() == "new" &&
        (fs::exists(path / "sample.json", error) || fs::exists(path / "estimates.json", error)))
      found.push_back(path);
  }
  std::ranges::sort(found);
  return found;
}

BenchmarkFile read_criterion(const fs::path& root) {
  BenchmarkFile file{kCriterion, {}, {}, {}};
  for (const fs::path& folder : criterion_folders(root))
    file.series.push_back(
        read_criterion_folder(folder, folder.parent_path().lexically_relative(root).string()));
  return file;
}

// ---- Which tool ----

// A file's tool by the names at its beginning or of its members.
std::string tool_of(const Json& json) {
  if (!json.is_object()) return {};
  if (json.contains("benchmarks") && json.contains("machine_info")) return kPytest;
  if (json.contains("benchmarks")) return kGbench;
  if (json.contains("results") && json["results"].is_array()) return kHyperfine;
  return {};
}

bool is_criterion_lines(std::string_view text) {
  return text.starts_with("{\"reason\":") || text.starts_with("{\"reason\" :");
}

void check_series(const BenchmarkFile& file, const std::string& source) {
  if (file.series.empty()) throw Error(ErrorKind::input, source + ": has no benchmark");
  std::set<std::string_view> names;
  for (const BenchmarkSeries& one : file.series)
    if (!names.insert(one.name).second)
      throw input_error("{}: benchmark '{}' occurs twice", source, one_line(one.name));
}

}  // namespace

std::string benchmark_tool(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return criterion_folders(path).empty() ? "" : kCriterion;
  if (!is_file(path) || fs::file_size(path, error) > kMaxFileBytes) return {};
  const std::string text = read_file(path);
  if (is_criterion_lines(text)) return kCriterion;
  try {
    return tool_of(parse_strict_json(with_nulls(text), path.string(), kMessageJson));
  } catch (const Error&) {  // not JSON, so none of them
    return {};
  }
}

BenchmarkFile read_benchmark_file(const fs::path& path) {
  const std::string source = path.string();
  BenchmarkFile file;
  if (folder_exists(path)) {
    file = read_criterion(path);
  } else {
    const std::string text = read_text_file(path, kMaxFileBytes);
    if (is_criterion_lines(text)) {
      file = read_criterion_lines(text, source);
    } else {
      const Json json = parse_strict_json(with_nulls(text), source, kMessageJson);
      const std::string tool = tool_of(json);
      if (tool.empty())
        throw input_error("{}: is no file of Google Benchmark, hyperfine, pytest-benchmark or Criterion",
                          source);
      file = tool == kGbench      ? read_gbench(json, source)
             : tool == kHyperfine ? read_hyperfine(json, source)
                                  : read_pytest(json, source);
    }
  }
  check_series(file, source);
  return file;
}

}  // namespace aqbench
