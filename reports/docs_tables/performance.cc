#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/statistics/signed_rank.h"
#include "harness/statistics/summary.h"
#include "reports/content/case_groups.h"
#include "reports/docs_tables/fill_docs.h"

namespace aqbench {
namespace {

// The repetitions of one benchmark, by counter, and what the context says of it: its input, its peer, and
// what is unequal.
struct Stage {
  std::string name;
  std::uint64_t place = 0;  // among the benchmarks of the program
  std::array<std::string, 3> about = {};
  std::map<std::string, std::vector<double>> counters = {};

  std::optional<double> median(const std::string& counter) const {
    const auto found = counters.find(counter);
    return found == counters.end() ? std::nullopt : summarize(found->second).median;
  }
};

struct PerformanceRecord {
  Json json;
  std::string source;
  std::vector<Stage> stages;

  JsonPlace context() const { return JsonPlace(json, source).at("context"); }

  const Stage& stage(const std::string& name) const {
    const auto found = std::ranges::find(stages, name, &Stage::name);
    if (found == stages.end()) throw input_error("{}: no benchmark {}", source, name);
    return *found;
  }

  // Returns the median of a limit.
  double limit(const std::string& name, const std::string& counter) const {
    const auto median = stage(name).median(counter);
    if (!median || !(*median > 0)) throw input_error("{}: {} has no {}", source, name, counter);
    return *median;
  }
};

// The parts of "1 M points | Open3D ReadPointCloud | none", as Markdown.
std::array<std::string, 3> parts_of(std::string text) {
  constexpr std::string_view kSeparator = " | ";
  std::array<std::string, 3> parts;
  for (std::string& part : parts) {
    const std::size_t end =
        &part == &parts.back() ? text.size() : std::min(text.find(kSeparator), text.size());
    part = md_escape(text.substr(0, end));
    text.erase(0, end + kSeparator.size());
  }
  return parts;
}

PerformanceRecord read_record(const std::filesystem::path& path) {
  PerformanceRecord record{read_strict_json(path), path.string(), {}};
  for (const JsonPlace& run : JsonPlace(record.json, record.source).at("benchmarks").elements()) {
    if (run.at("run_type").text() != "iteration") continue;
    if (const auto error = run.find("error_message")) error->fail("the benchmark failed");
    const std::string whole = run.at("name").text(), name = whole.substr(0, whole.find('/'));
    auto stage = std::ranges::find(record.stages, name, &Stage::name);
    if (stage == record.stages.end())
      stage =
          record.stages.insert(stage, {name, run.find("family_index") ? run.at("family_index").count() : 0});
    for (const char* counter : {"ours_s", "peer_s", "flops", "bytes", "flops_per_s", "bytes_per_s"})
      if (const auto value = run.find(counter)) stage->counters[counter].push_back(value->number());
  }
  std::ranges::stable_sort(record.stages, {}, &Stage::place);
  for (Stage& stage : record.stages)
    if (const auto about = record.context().find(stage.name)) stage.about = parts_of(about->text());
  return record;
}

std::string readable(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string ms_text(double seconds) { return table_number(1e3 * seconds); }

// The limit that takes longer decides; the share is its time over the measured one.
std::vector<std::string> limit_cells(const PerformanceRecord& record, const Stage& stage, double seconds) {
  const double flops = stage.median("flops").value_or(0), bytes = stage.median("bytes").value_or(0);
  const double flops_s = flops / record.limit("limit_fma", "flops_per_s"),
               bytes_s = bytes / record.limit("limit_memory", "bytes_per_s");
  if (flops_s == 0 && bytes_s == 0) return {"not counted", "not counted", ""};
  const bool computes = flops_s > bytes_s;
  return {table_number(1e-9 * (computes ? flops : bytes) / seconds) + (computes ? " GFLOP/s" : " GB/s"),
          computes ? "multiply-adds" : "memory", table_number(100 * std::max(flops_s, bytes_s) / seconds)};
}

std::string stages_table(const PerformanceRecord& record) {
  std::string text =
      md_head({"stage", "input", "reached", "against", "share of the limit [%]", "time [ms]"}, 4);
  for (const Stage& stage : record.stages) {
    const auto seconds = stage.median("ours_s");
    if (!seconds) continue;
    std::vector<std::string> row{readable(stage.name), stage.about[0]};
    std::ranges::move(limit_cells(record, stage, *seconds), std::back_inserter(row));
    row.push_back(ms_text(*seconds));
    text += md_row(row);
  }
  return text;
}

// "2.31 (2.25 to 2.40)": the peer's time over ours, Hodges-Lehmann over the pairs with its interval.
std::string ratio_text(const Stage& stage) {
  const std::vector<double>&ours_s = stage.counters.at("ours_s"), &peer_s = stage.counters.at("peer_s");
  require_positive(stage.name + ": ours_s", ours_s);
  require_positive(stage.name + ": peer_s", peer_s);
  require_equal_lengths("ours_s", ours_s.size(), "peer_s", peer_s.size());
  std::vector<double> logarithms;
  for (std::size_t i = 0; i < ours_s.size(); ++i) logarithms.push_back(std::log(peer_s[i] / ours_s[i]));
  const HodgesLehmann ratio = hodges_lehmann(logarithms);
  if (!ratio.interval)
    throw input_error("{}: {} pairs are too few for an interval", stage.name, logarithms.size());
  return fmt::format("{} ({} to {})", table_number(std::exp(ratio.estimate)),
                     table_number(std::exp(ratio.interval->lower)),
                     table_number(std::exp(ratio.interval->upper)));
}

std::string peers_table(const PerformanceRecord& record) {
  std::string text = md_head(
      {"stage", "input", "peer", "unequal", "ours [ms]", "peer [ms]", "peer's time / ours (99 % interval)"},
      4);
  for (const Stage& stage : record.stages) {
    const auto ours_s = stage.median("ours_s"), peer_s = stage.median("peer_s");
    if (!ours_s || !peer_s) continue;
    const auto& [input, peer, unequal] = stage.about;
    text += md_row(
        {readable(stage.name), input, peer, unequal, ms_text(*ours_s), ms_text(*peer_s), ratio_text(stage)});
  }
  return text;
}

std::string machine_paragraph(const PerformanceRecord& record) {
  const JsonPlace context = record.context();
  const auto rate = [&](const char* name, const char* counter) {
    return table_number(1e-9 * record.limit(name, counter));
  };
  const std::string text = fmt::format(
      "Measured {} on {} ({} processors; load average over a minute {} at the start), commit {}, {} "
      "repetitions. One thread: {} GFLOP/s of multiply-adds, {} GB/s from and to memory; all threads "
      "together: {} GFLOP/s, {} GB/s.",
      context.at("date").text().substr(0, 10), context.at("cpu").text(), context.at("num_cpus").count(),
      table_number(context.at("load_avg").elements().at(0).number()), context.at("commit").text(),
      record.stage("limit_fma").counters.at("flops_per_s").size(), rate("limit_fma", "flops_per_s"),
      rate("limit_memory", "bytes_per_s"), rate("limit_fma_all_threads", "flops_per_s"),
      rate("limit_memory_all_threads", "bytes_per_s"));
  return wrap_text(md_escape(text), kDocumentColumns, 0);
}

using RecordSection = std::string (*)(const PerformanceRecord&);
constexpr std::pair<const char*, RecordSection> kRecordSections[] = {
    {"machine", machine_paragraph}, {"stages", stages_table}, {"peers", peers_table}};

}  // namespace

DocsSections performance_sections(const std::filesystem::path& folder) {
  DocsSections sections;
  for (const auto& [name, render] : kRecordSections)
    sections[name] = [folder, render = render](const std::vector<std::string>& arguments) {
      if (arguments.size() != 1) throw input_error("expected the file of a record");
      return render(read_record(folder / arguments[0]));
    };
  return sections;
}

}  // namespace aqbench
