#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <system_error>

#include "core/json.h"
#include "core/parameters.h"
#include "core/quantiles.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/ab/benchmark_file.h"
#include "harness/ab/samples.h"
#include "harness/measuring/environment.h"
#include "harness/records/one_case.h"

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

// The benchmarks of a report, in its order.
struct ReportedTimes {
  std::vector<GbenchTimes> all;
  std::map<std::string, std::size_t> places;

  GbenchTimes& of(const std::string& name) {
    const auto [place, is_new] = places.emplace(name, all.size());
    return is_new ? all.emplace_back(GbenchTimes{name, {}, {}}) : all[place->second];
  }
};

// Returns the CPU time of an entry in its unit; 0 where it is missing or does not cover what was measured.
double one_threads_cpu_time(const JsonPlace& entry) {
  const auto cpu = entry.find("cpu_time"), threads = entry.find("threads");
  if (!cpu || !cpu->value().is_number() || !std::isfinite(cpu->number())) return 0;
  if (threads && threads->value() != 1) return 0;
  return entry.at("name").text().find("/manual_time") == std::string::npos ? cpu->number() : 0;
}

void read_entry(const JsonPlace& entry, ReportedTimes& reported) {
  const bool failed = says(entry, "error_occurred") || says(entry, "skipped");
  if (!failed && text_or(entry, "run_type", "iteration") != "iteration") return;
  GbenchTimes& times = reported.of(text_or(entry, "run_name", entry.at("name").text()));
  if (failed) {
    times.error =
        one_line(text_or(entry, "error_message", text_or(entry, "skip_message", "failed without a message")));
    return;
  }
  if (entry.at("real_time").is_null()) {
    times.error = "real_time is null or not a finite number";
    return;
  }
  const double unit_ms = entry.find("time_unit") ? milliseconds_in(entry.at("time_unit")) : 1e-6;
  const double real_ms = entry.at("real_time").number() * unit_ms;
  if (!(std::isfinite(real_ms) && real_ms > 0)) entry.at("real_time").fail("must be finite and above 0");
  times.real_ms.push_back(real_ms);
  if (const double cpu_ms = unit_ms * one_threads_cpu_time(entry); cpu_ms > 0) times.cpu_ms.push_back(cpu_ms);
  if (const auto counter = entry.find(kInstructionCounter); counter && counter->value().is_number())
    if (counter->number() > 0) times.instructions.push_back(counter->number());
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

// Returns when the file was changed last, in seconds since 1970.
std::int64_t changed_s(const std::filesystem::path& path) {
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(path, error);
  if (error) return 0;
  const auto since_1970 = std::chrono::file_clock::to_sys(changed).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since_1970).count();
}

// The runs of one case, in the order of their size, and which of them lie in a window.
class WindowOfRuns {
 public:
  explicit WindowOfRuns(const std::vector<double>& runs)
      : order_(runs.size()), ranks_(runs.size()), size_(std::bit_ceil(runs.size())), counts_(size_ + 1, 0) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return runs[i]; });
    for (std::size_t rank = 0; rank < order_.size(); ++rank) ranks_[order_[rank]] = rank;
  }

  // Puts a run into the window, or takes it out.
  void add(std::size_t run, bool inside) {
    for (std::size_t i = ranks_[run] + 1; i <= size_; i += i & (~i + 1)) inside ? ++counts_[i] : --counts_[i];
  }

  // Returns the run that is the k-th smallest of those inside or of those outside.
  std::size_t smallest(std::size_t k, bool inside) const {
    std::size_t rank = 0;
    for (std::size_t step = size_; step > 0; step /= 2) {
      if (rank + step > size_) continue;
      const std::size_t here = inside ? counts_[rank + step] : step - counts_[rank + step];
      if (here > k) continue;
      rank += step;
      k -= here;
    }
    return order_[rank];
  }

 private:
  std::vector<std::size_t> order_, ranks_;
  std::size_t size_;
  std::vector<std::size_t> counts_;  // a Fenwick tree over the ranks
};

Json this_machine() {
  const auto bytes = memory_total_bytes();
  return {{"architecture", architecture()},
          {"cpu_model", cpu_model().value_or("unknown")},
          {"cores", affinity_processors().size()},
          {"memory", bytes ? memory_class(*bytes) : "unknown"}};
}

Record record_of(const BenchmarkSeries& series, const std::optional<double>& load_1m) {
  Record record;
  record.case_name = record.workload = one_line(series.name);
  record.status = series.error.empty() && !series.seconds.empty() ? Status::ok : Status::failed;
  record.reason = record.status == Status::ok ? ""
                  : series.error.empty()      ? "the file has no time of it"
                                              : one_line(series.error);
  if (record.status != Status::ok) return record;
  for (const double seconds : series.seconds) record.timing.warm_ms.push_back(1e3 * seconds);
  for (const double seconds : series.cpu_seconds) record.timing.cpu_ms.push_back(1e3 * seconds);
  if (!series.instructions.empty())
    record.metrics.emplace_back(kInstructionsOutcome,
                                Metric{median_of(series.instructions), "", Better::lower, ""});
  if (load_1m) {
    TimedBlock& block = record.timing.blocks.emplace_back();
    block.count = series.seconds.size();
    block.load_1m = load_1m;
  }
  record.timing.note = series.note;
  return record;
}

}  // namespace

std::vector<GbenchTimes> read_gbench_report(const std::string& text, const std::string& source) {
  const Json json = parse_strict_json(with_nulls(text), source, kMessageJson);
  return read_gbench_report(JsonPlace(json, source));
}

std::vector<GbenchTimes> read_gbench_report(const JsonPlace& root) {
  ReportedTimes reported;
  for (const JsonPlace& entry : root.at("benchmarks").elements()) read_entry(entry, reported);
  for (GbenchTimes& times : reported.all)
    for (std::vector<double>* const values : {&times.cpu_ms, &times.instructions})
      if (values->size() != times.real_ms.size()) values->clear();
  return std::move(reported.all);
}

OneSidedBenchmarks one_sided_benchmarks(const std::vector<std::string>& a,
                                        const std::vector<std::string>& b) {
  std::vector<std::string> of_a = a, of_b = b;
  std::erase_if(of_a, [&](const std::string& name) { return std::ranges::count(b, name) > 0; });
  std::erase_if(of_b, [&](const std::string& name) { return std::ranges::count(a, name) > 0; });
  // The only name of the others that is like this one, or the only one left.
  const auto partner = [](const std::string& name, const std::vector<std::string>& others) {
    if (others.size() == 1) return others.front();
    const std::vector<std::string> near = near_names(name, others);
    return near.size() == 1 ? near.front() : std::string();
  };
  OneSidedBenchmarks found;
  for (const std::string& name : of_a) {
    const std::string other = partner(name, of_b);
    const bool unique = !other.empty() && partner(other, of_a) == name;
    if (!unique) found.lost.push_back(name);
    found.notes.push_back(fmt::format("A has the benchmark {}, which B lacks: not compared{}", one_line(name),
                                      unique ? fmt::format("; B may have it as {}", one_line(other)) : ""));
  }
  for (const std::string& name : of_b)
    found.notes.push_back(fmt::format("B has the benchmark {}, which A lacks: not compared", one_line(name)));
  return found;
}

std::string with_nulls(std::string_view text) {
  std::string result;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\' && i + 1 < text.size()) result += text[i++];  // what follows ends no text
    std::size_t literal = 0;
    if (!quoted && (c == 'N' || c == 'I' || c == '-'))
      for (const std::string_view word : {"NaN", "-NaN", "Infinity", "-Infinity"})
        if (text.substr(i).starts_with(word)) literal = word.size();
    if (literal == 0) {
      result += text[i];
      continue;
    }
    result += "null";
    i += literal - 1;
  }
  return result;
}

std::optional<std::int64_t> utc_microseconds(const std::string& date) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, used = 0;
  if (std::sscanf(date.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute,
                  &second, &used) != 6 ||
      used != 19)
    return std::nullopt;
  std::size_t at = 19;
  std::int64_t fraction = 0;
  if (at < date.size() && date[at] == '.')
    for (std::int64_t unit = 100'000; ++at < date.size() && date[at] >= '0' && date[at] <= '9'; unit /= 10)
      fraction += unit * (date[at] - '0');
  const std::string zone = date.substr(at);
  char sign = '+';
  int zone_hours = 0, zone_minutes = 0;
  used = 0;
  if (!zone.empty() && zone != "Z" &&
      ((std::sscanf(zone.c_str(), "%c%2d:%2d%n", &sign, &zone_hours, &zone_minutes, &used) != 3 &&
        std::sscanf(zone.c_str(), "%c%2d%2d%n", &sign, &zone_hours, &zone_minutes, &used) != 3) ||
       static_cast<std::size_t>(used) != zone.size() || (sign != '+' && sign != '-')))
    return std::nullopt;
  const std::chrono::year_month_day on{std::chrono::year(year),
                                       std::chrono::month(static_cast<unsigned>(month)),
                                       std::chrono::day(static_cast<unsigned>(day))};
  if (!on.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::int64_t offset_s = (sign == '-' ? -60 : 60) * (60 * zone_hours + zone_minutes);
  const std::int64_t seconds = std::chrono::sys_days(on).time_since_epoch().count() * std::int64_t{86'400} +
                               3600 * hour + 60 * minute + second - offset_s;
  return 1'000'000 * seconds + fraction;
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

std::string gbench_line(const std::string& line, const std::string& benchmark, const std::string& file,
                        const AbCommandRules& rules) {
  std::string whole = line;
  if (rules.instructions && line.find("--benchmark_perf_counters") == std::string::npos)
    whole += fmt::format(" --benchmark_perf_counters={}", kInstructionCounter);
  if (rules.quick && line.find("--benchmark_min_time") == std::string::npos)
    whole += " --benchmark_min_time=0.05";
  if (!benchmark.empty()) whole += " --benchmark_filter=" + quoted(exactly(benchmark));
  if (line.find("--benchmark_format") != std::string::npos ||
      line.find("--benchmark_out") != std::string::npos)
    return whole;
  return whole + " --benchmark_format=json --benchmark_out_format=json --benchmark_out=" + quoted(file);
}

Results results_of_benchmarks(const std::filesystem::path& path, bool measured_here) {
  BenchmarkFile file = read_benchmark_file(path);
  if (file.machine->empty() && measured_here) file.machine = this_machine();
  Json environment = Json::object();
  if (!file.machine->empty()) {
    environment["comparability"] = *file.machine;
    environment["comparability"]["tool"] = file.tool;
  }
  if (!file.commit.empty()) environment["working_directory_git"]["commit"] = file.commit;
  std::string names;
  std::vector<Record> records;
  for (const BenchmarkSeries& series : file.series) {
    names += series.name + "\n";
    records.push_back(record_of(series, file.load_1m));
  }
  const std::time_t started = file.started_us ? *file.started_us / 1'000'000 : changed_s(path);
  Results results = results_of_records(
      std::move(records), {.started_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(started)),
                           .requested = Json{{"file", path.string()}},
                           .effective = Json::object(),
                           .environment = std::move(environment)});
  results.run.finished_utc = results.run.started_utc;
  results.run.plan_sha256 = sha256_hex(names);
  results.run.suite = lower_case(file.tool);
  std::ranges::replace(results.run.suite, ' ', '-');
  return results;
}

std::pair<double, std::size_t> false_alarms_of_halves(const Results& results, double factor) {
  constexpr std::size_t kFewestRuns = 10;
  std::size_t halves = 0, alarms = 0;
  for (const Record& record : results.records) {
    const std::vector<double>& runs = record.timing.warm_ms;
    if (record.status != Status::ok || runs.size() < kFewestRuns) continue;
    const std::size_t half = runs.size() / 2;
    WindowOfRuns window(runs);
    const auto median = [&](std::size_t count, bool inside) {
      return std::midpoint(runs[window.smallest((count - 1) / 2, inside)],
                           runs[window.smallest(count / 2, inside)]);
    };
    for (std::size_t run = 0; run < half; ++run) window.add(run, true);
    for (std::size_t start = 0; start < runs.size(); ++start) {
      ++halves;
      alarms += median(half, true) > factor * median(runs.size() - half, false) ? 1 : 0;
      window.add(start, false);
      window.add((start + half) % runs.size(), true);
    }
  }
  return {halves == 0 ? 0 : static_cast<double>(alarms) / static_cast<double>(halves), halves};
}

}  // namespace aqbench
