#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "cli/ab/sides.h"
#include "core/error.h"
#include "core/files.h"
#include "core/quantiles.h"
#include "core/text.h"
#include "harness/ab/benchmark_file.h"
#include "harness/ab/deciding_time.h"
#include "harness/ab/unit.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

// A file with its time: as the tool wrote it, else of its last change.
struct DatedFile {
  BenchmarkFile content;
  fs::file_time_type changed;
};

// The files of one side: the path itself, or those of a folder.
std::vector<fs::path> files_at(const fs::path& path) {
  if (!folder_exists(path) || !benchmark_tool(path).empty()) return {path};
  std::vector<fs::path> files = entries_of(path);
  std::erase_if(files, [](const fs::path& file) { return benchmark_tool(file).empty(); });
  return files;
}

// Whether all files have the tool's date.
bool are_dated(const std::vector<DatedFile>& files) {
  return std::ranges::all_of(files, [](const DatedFile& one) { return one.content.started_us.has_value(); });
}

// Some tools' dates have whole seconds: files of one second are ordered by their change.
bool is_earlier(const DatedFile& a, const DatedFile& b, bool dated) {
  if (dated && a.content.started_us != b.content.started_us)
    return a.content.started_us < b.content.started_us;
  return a.changed < b.changed;
}

// The files of one side in the order of time.
std::vector<DatedFile> read_files_of(const fs::path& path) {
  std::vector<DatedFile> files;
  std::error_code error;
  for (const fs::path& file : files_at(path))
    files.push_back({read_benchmark_file(file), fs::last_write_time(file, error)});
  std::ranges::stable_sort(files, [dated = are_dated(files)](const DatedFile& a, const DatedFile& b) {
    return is_earlier(a, b, dated);
  });
  return files;
}

// Returns why the files were not measured by turns, nothing if they were: those of each pair are neighbours
// in time, and each side was the first one in a quarter of the pairs or more, since the first run of a pair
// may pay for both.
std::string why_not_by_turns(const std::array<std::vector<DatedFile>, 2>& sides) {
  const bool dated = std::ranges::all_of(sides, are_dated);
  struct Turn {
    const DatedFile* file;
    std::size_t pair, side;
  };
  std::vector<Turn> order;
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < sides[side].size(); ++i) order.push_back({&sides[side][i], i, side});
  std::ranges::stable_sort(order,
                           [&](const Turn& a, const Turn& b) { return is_earlier(*a.file, *b.file, dated); });
  std::size_t a_first = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k].pair != k / 2) return "in the order of time the files of A and B do not alternate";
    a_first += k % 2 == 0 && order[k].side == 0 ? 1 : 0;
  }
  const std::size_t pairs = order.size() / 2;
  if (4 * a_first >= pairs && 4 * a_first <= 3 * pairs) return {};
  return fmt::format("A ran first in {} of {} pairs, and either side must in a quarter of them or more",
                     a_first, pairs);
}

const BenchmarkSeries* series_named(const BenchmarkFile& file, const std::string& name) {
  const auto found = std::ranges::find(file.series, name, &BenchmarkSeries::name);
  return found == file.series.end() || (found->seconds.empty() && found->error.empty()) ? nullptr : &*found;
}

std::vector<double> in_ms(const std::vector<double>& seconds) {
  std::vector<double> ms;
  for (const double one : seconds) ms.push_back(1e3 * one);
  return ms;
}

// The units of a benchmark on one side: a file each, or of a single file a repetition each. One that failed
// is the last.
std::vector<Record> units_of(const std::vector<DatedFile>& files, const std::string& name) {
  std::vector<Record> units;
  for (const DatedFile& file : files) {
    const BenchmarkSeries* const series = series_named(file.content, name);
    if (series == nullptr) return {};
    if (!series->error.empty()) {
      units.push_back(failed_unit(Status::failed, one_line(series->error)).record);
      return units;
    }
    const std::vector<double> wall_ms = in_ms(series->seconds), cpu_ms = in_ms(series->cpu_seconds);
    if (files.size() > 1) {
      units.push_back(unit_of_times(wall_ms, cpu_ms, series->instructions));
      continue;
    }
    const auto run = [](const std::vector<double>& all, std::size_t i) {
      return all.empty() ? all : std::vector<double>{all[i]};
    };
    for (std::size_t i = 0; i < wall_ms.size(); ++i)
      units.push_back(unit_of_times({wall_ms[i]}, run(cpu_ms, i), run(series->instructions, i)));
  }
  return units;
}

void add_case(const std::string& name, std::array<std::vector<Record>, 2> units, AbSamples& samples) {
  samples.cases.push_back({one_line(name), std::nullopt});
  for (std::size_t pair = 0; pair < std::min(units[0].size(), units[1].size()); ++pair)
    append_pair(samples, samples.cases.size() - 1, 1, pair, std::move(units[0][pair]),
                std::move(units[1][pair]));
}

// Two commands of one file as two sides with one benchmark.
void split_commands(const fs::path& path, std::array<std::vector<DatedFile>, 2>& sides) {
  if (sides[0].size() != 1 || sides[0][0].content.tool != "hyperfine" ||
      sides[0][0].content.series.size() != 2)
    throw usage_error("--samples {}: holds one side; give the other with --samples-b", path.string());
  sides[1] = sides[0];
  sides[0][0].content.series.pop_back();
  sides[1][0].content.series.erase(sides[1][0].content.series.begin());
  for (auto& side : sides) side[0].content.series[0].name = "command";
}

// The benchmarks of all files of a side, in their order.
std::vector<std::string> names_of(const std::vector<DatedFile>& files) {
  std::vector<std::string> names;
  for (const DatedFile& file : files)
    for (const BenchmarkSeries& series : file.content.series)
      if (std::ranges::count(names, series.name) == 0) names.push_back(series.name);
  return names;
}

void add_benchmarks(const std::array<std::vector<DatedFile>, 2>& sides, AbDocument& document) {
  const std::array names = {names_of(sides[0]), names_of(sides[1])};
  OneSidedBenchmarks one_sided = one_sided_benchmarks(names[0], names[1]);
  document.notes = std::move(one_sided.notes);
  const auto is_in = [](const std::vector<std::string>& list) {
    return [&list](const std::string& name) { return std::ranges::count(list, name) > 0; };
  };
  const bool any_common = std::ranges::any_of(names[0], is_in(names[1]));
  for (const std::string& name : names[0]) {
    const bool is_lost = any_common && is_in(one_sided.lost)(name);
    if (!is_lost && !is_in(names[1])(name)) continue;
    std::array units = {
        units_of(sides[0], name),
        is_lost ? std::vector{failed_unit(Status::failed, "did not measure " + one_line(name)).record}
                : units_of(sides[1], name)};
    if (units[0].empty() || units[1].empty())
      document.notes.push_back(fmt::format("{} is not compared: a file of {} has no time of it",
                                           one_line(name), units[0].empty() ? "A" : "B"));
    else
      add_case(name, std::move(units), document.samples);
  }
  if (document.samples.cases.empty())
    throw not_comparable_error("--samples-b: has no benchmark of --samples{}",
                               document.notes.empty() ? "" : ": " + document.notes.front());
}

// The load of the machine while files were measured: the median of those that say so.
std::optional<MachineLoad> load_of_files(const std::array<std::vector<DatedFile>, 2>& sides) {
  std::vector<double> loads;
  std::size_t processors = 0;
  for (const auto& side : sides)
    for (const DatedFile& file : side)
      if (file.content.load_1m && file.content.processors) {
        loads.push_back(*file.content.load_1m);
        processors = std::max<std::size_t>(processors, *file.content.processors);
      }
  if (loads.empty()) return std::nullopt;
  return MachineLoad{median_of(std::move(loads)), processors};
}

void choose_time_of_files(DecideBy wanted, const std::array<std::vector<DatedFile>, 2>& sides,
                          AbDocument& document) {
  std::set<std::string> unknown;  // cases with a unit without CPU time
  std::string not_counted;        // the first case with one without instructions
  for (const Record& unit : document.samples.units) {
    if (unit.status != Status::ok) continue;
    if (find_outcome(unit, kCpuOutcome) == nullptr) unknown.insert(unit.case_name);
    if (not_counted.empty() && find_outcome(unit, kInstructionsOutcome) == nullptr)
      not_counted = why_not_counted_of_benchmark(unit.case_name);
  }
  const auto why_not = [&](const AbCase& one) {
    return why_not_cpu_of_benchmark(one.name, !unknown.contains(one.name), wanted);
  };
  choose_deciding_time(wanted, load_of_files(sides), why_not, document, not_counted);
}

AbDocument benchmark_samples(const AbRequest& request) {
  std::array<std::vector<DatedFile>, 2> sides = {read_files_of(*request.samples), {}};
  if (request.samples_b)
    sides[1] = read_files_of(*request.samples_b);
  else
    split_commands(*request.samples, sides);
  const std::size_t files_a = sides[0].size(), files_b = sides[1].size();
  if (files_a == 0 || files_a != files_b)
    throw input_error("--samples, --samples-b: {} of A and {} of B: pairs need as many of each",
                      counted(files_a, "file"), files_b);
  AbDocument document;
  document.settings = request.settings;
  document.settings.confirm = false;  // nothing fresh could confirm a flag
  document.samples.order_seed = request.policy.order_seed;
  document.a.label = request.samples->string();
  document.b.label = request.samples_b ? request.samples_b->string() : document.a.label + ", second command";
  document.run.samples_file =
      request.samples_b ? document.a.label + " and " + document.b.label : document.a.label;
  add_benchmarks(sides, document);
  choose_time_of_files(request.decide_by, sides, document);
  const std::string why_not = files_a == 1 ? "each side is one file" : why_not_by_turns(sides);
  document.run.unpaired = !why_not.empty();
  if (document.run.unpaired)
    document.notes.push_back(
        fmt::format("A and B were not measured in pairs ({}): what the machine did meanwhile may look like a "
                    "change, or hide one; no verdict but REGRESSED counts",
                    why_not));
  return document;
}

// Leaves out the fresh pairs of cases that were not flagged: there is nothing that they could confirm.
void leave_out_needless_confirmations(const AbSettings& settings, Json& json, const std::string& file,
                                      std::vector<std::string>& notes) {
  Json looks = json;
  for (Json& one : looks["cases"])
    for (const char* const list : {"confirmation_a", "confirmation_b"}) one.erase(list);
  const AbSamples samples = ab_samples_from_lists(looks, file);
  const std::vector<AbCaseDecision> decisions = decide_cases(samples, without_extras(settings));
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    Json& one = json["cases"][i];
    if (one == looks["cases"][i] ||
        (decisions[i].time->comparison && needs_confirmation(*decisions[i].time->comparison)))
      continue;
    one = std::move(looks["cases"][i]);
    notes.push_back(fmt::format("{}: its confirmation is ignored, as there is no flag to confirm",
                                one_line(samples.cases[i].name)));
  }
}

AbDocument document_of_samples(const AbRequest& request) {
  AbDocument document;
  const std::string file = request.samples->string();
  Json json = read_strict_json(*request.samples);
  ab_samples_from_lists(json, file);  // all of the file is checked, also what is then ignored
  leave_out_needless_confirmations(request.settings, json, file, document.notes);
  document.samples = ab_samples_from_lists(json, file);
  document.settings = request.settings;
  // Without fresh pairs in the file there is nothing that could confirm a flag.
  const bool has_fresh =
      std::ranges::any_of(document.samples.units, [](const Record& unit) { return unit.unit->confirms(); });
  document.settings.confirm = request.settings.confirm && has_fresh;
  document.a.label = "a";
  document.b.label = "b";
  document.run.samples_file = file;
  return document;
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

AbDocument recorded_document(const AbRequest& request) {
  if (!request.samples) return document_of_bundles(request);
  const bool of_tool =
      request.samples_b || folder_exists(*request.samples) || !benchmark_tool(*request.samples).empty();
  return of_tool ? benchmark_samples(request) : document_of_samples(request);
}

}  // namespace aqbench::cli
