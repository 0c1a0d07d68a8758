#include "cli/ab/benchmark_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "harness/ab/benchmark_file.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

// A file with its time: as the tool wrote it, else of its last change.
struct DatedFile {
  BenchmarkFile content;
  fs::file_time_type changed;
};

// The files of one side: the path itself, or those of a folder, by name.
std::vector<fs::path> files_at(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error) || !benchmark_tool(path).empty()) return {path};
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
    if (!benchmark_tool(entry->path()).empty()) files.push_back(entry->path());
  std::ranges::sort(files);
  return files;
}

std::vector<DatedFile> read_files_of(const fs::path& path) {
  std::vector<DatedFile> files;
  std::error_code error;
  for (const fs::path& file : files_at(path))
    files.push_back({read_benchmark_file(file), fs::last_write_time(file, error)});
  return files;
}

// Whether the files were measured by turns: those of each pair are neighbours in time, and each side was the
// first one in a quarter of the pairs or more, since the first run of a pair may pay for both.
bool were_by_turns(const std::array<std::vector<DatedFile>, 2>& sides) {
  const bool dated = std::ranges::all_of(sides, [](const auto& files) {
    return std::ranges::none_of(files,
                                [](const DatedFile& one) { return one.content.started_local.empty(); });
  });
  struct Turn {
    const DatedFile* file;
    std::size_t pair, side;
  };
  std::vector<Turn> order;
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < sides[side].size(); ++i) order.push_back({&sides[side][i], i, side});
  // The tools' dates have whole seconds: files of one second are ordered by their change.
  std::ranges::stable_sort(order, [&](const Turn& a, const Turn& b) {
    if (dated && a.file->content.started_local != b.file->content.started_local)
      return a.file->content.started_local < b.file->content.started_local;
    return a.file->changed < b.file->changed;
  });
  std::size_t a_first = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k].pair != k / 2) return false;
    a_first += k % 2 == 0 && order[k].side == 0 ? 1 : 0;
  }
  const std::size_t pairs = order.size() / 2;
  return 4 * a_first >= pairs && 4 * a_first <= 3 * pairs;
}

const BenchmarkSeries* series_named(const BenchmarkFile& file, const std::string& name) {
  const auto found = std::ranges::find(file.series, name, &BenchmarkSeries::name);
  return found == file.series.end() || found->seconds.empty() ? nullptr : &*found;
}

std::vector<double> in_ms(const std::vector<double>& seconds) {
  std::vector<double> ms;
  for (const double one : seconds) ms.push_back(1e3 * one);
  return ms;
}

// The units of a benchmark on one side: a file each, or of a single file a repetition each.
std::vector<std::vector<double>> units_of(const std::vector<DatedFile>& files, const std::string& name) {
  std::vector<std::vector<double>> units;
  for (const DatedFile& file : files) {
    const BenchmarkSeries* const series = series_named(file.content, name);
    if (series == nullptr) return {};
    if (files.size() > 1)
      units.push_back(in_ms(series->seconds));
    else
      for (const double one : in_ms(series->seconds)) units.push_back({one});
  }
  return units;
}

void add_case(const std::string& name, const std::array<std::vector<std::vector<double>>, 2>& units,
              AbSamples& samples) {
  samples.cases.push_back({one_line(name), std::nullopt});
  for (std::size_t pair = 0; pair < std::min(units[0].size(), units[1].size()); ++pair)
    append_pair(samples, samples.cases.size() - 1, 1, pair, unit_of_times(units[0][pair]),
                unit_of_times(units[1][pair]));
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

void add_benchmarks(const std::array<std::vector<DatedFile>, 2>& sides, AbDocument& document) {
  for (const BenchmarkSeries& series : sides[0][0].content.series) {
    const std::array units = {units_of(sides[0], series.name), units_of(sides[1], series.name)};
    if (units[0].empty() || units[1].empty())
      document.notes.push_back(fmt::format("{} is not compared: {} has no time of it", one_line(series.name),
                                           units[0].empty() ? "A" : "B"));
    else
      add_case(series.name, units, document.samples);
  }
  for (const BenchmarkSeries& series : sides[1][0].content.series)
    if (std::ranges::find(sides[0][0].content.series, series.name, &BenchmarkSeries::name) ==
        sides[0][0].content.series.end())
      document.notes.push_back(fmt::format("B alone has the benchmark {}", one_line(series.name)));
  if (document.samples.cases.empty())
    throw Error(ErrorKind::not_comparable, "--samples-b: has no benchmark of --samples");
}

}  // namespace

bool has_benchmark_samples(const AbRequest& request) {
  std::error_code error;
  return request.samples && (request.samples_b || fs::is_directory(*request.samples, error) ||
                             !benchmark_tool(*request.samples).empty());
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
  document.run.unpaired = files_a == 1 || !were_by_turns(sides);
  if (document.run.unpaired)
    document.notes.emplace_back(
        "A and B were not measured in pairs: what the machine did meanwhile may look like a change, or hide "
        "one; no verdict but REGRESSED counts");
  return document;
}

}  // namespace aqbench::cli
