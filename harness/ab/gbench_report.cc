#include "harness/ab/gbench_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/text.h"

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

}  // namespace aqbench
