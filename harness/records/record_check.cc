#include "harness/records/record_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "harness/records/case.h"
#include "metrics/metric_range.h"

namespace aqbench {
namespace {

// Times are sums of nanoseconds in milliseconds: far below this the sums agree, however many there are.
constexpr double kSlackMs = 1e-3;

double slack_ms(double ms) { return kSlackMs + 1e-6 * std::abs(ms); }

// Returns how a record's cloud was scored: against a surface but for recordings without one, and by lengths
// of its own where its options say so; those of a recording stand in its truth, which no record repeats.
ScoredAs scored_as(const Record& record) {
  const auto option = [&](std::string_view name) {
    const auto found = std::ranges::find(record.options, name, [](const auto& one) { return one.first; });
    return found == record.options.end() ? std::string() : to_string(found->second);
  };
  const bool recording = record.scene.starts_with(kDatasetPrefix);
  const auto is_default = [&](std::string_view name, std::string_view value) {
    const std::string now = option(name);
    return !recording && (now.empty() || now == value);
  };
  const std::string truth = option("dataset.truth");
  return {.surface = !recording || truth.empty() || truth.find("surface") != std::string::npos,
          .default_tolerances = is_default("scoring.thresholds_mm", "0.5,1,2,5,10"),
          .default_tiles = is_default("scoring.tile_mm", "10"),
          .default_outliers = is_default("scoring.outlier_mm", "20")};
}

class RecordChecker {
 public:
  RecordChecker(const Record& record, RecordKind kind) : record_(record), kind_(kind) {}

  std::vector<std::string> run() {
    if (record_.status == Status::ok)
      check_ok();
    else
      check_not_ok();
    check_times();
    check_blocks();
    for (const StageRecord& stage : record_.stages) check_stage(stage);
    for (const bool other_thread : {false, true}) {
      check_tree(other_thread);
      check_sums(other_thread);
    }
    return std::move(problems_);
  }

 private:
  template <class... Values>
  void report(fmt::format_string<Values...> form, Values&&... values) {
    problems_.push_back(fmt::format(form, std::forward<Values>(values)...));
  }

  void check_ok() {
    if (!record_.reason.empty()) report("reason: stands beside status ok");
    if (kind_ == RecordKind::profile) return;
    if (record_.output_sha256.empty()) report("output_sha256: is missing beside status ok");
    if (!record_.timing.cold_ms) report("timing.cold_ms: is missing beside status ok");
    if (record_.metrics.empty()) report("metrics: are missing beside status ok");
    if (record_.method.empty()) return;
    for (const std::string& problem : metric_problems(record_.metrics, scored_as(record_)))
      report("metrics: {}", problem);
  }

  void check_not_ok() {
    const char* const status = record_.status == Status::skipped ? "skipped" : "failed";
    if (record_.reason.empty()) report("reason: is missing beside status {}", status);
    if (!record_.metrics.empty() && !record_.method.empty())
      report("metrics: stand beside status {}", status);
    if (record_.status != Status::skipped) return;
    if (!record_.stages.empty() || record_.timing.cold_ms || !record_.timing.warm_ms.empty() ||
        !record_.output_sha256.empty() || !record_.metrics.empty())
      report("status: is skipped, but the case has run");
    for (const InjectedFault& fault : record_.injected)
      if (fault.times > 0) report("injected: a fault struck {} times in a skipped case", fault.times);
  }

  void check_positive(const char* what, const std::vector<double>& values_ms) {
    for (const double ms : values_ms)
      if (!(ms >= 0)) return report("{}: {} ms is no time", what, ms);
  }

  void check_times() {
    const Timing& timing = record_.timing;
    check_positive("timing.cold_ms", {timing.cold_ms.value_or(0)});
    check_positive("timing.dataset_ms", {timing.dataset_ms.value_or(0)});
    check_positive("timing.warm_ms", timing.warm_ms);
    check_positive("timing.details.cpu_ms", timing.cpu_ms);
    for (const double ms : timing.more_cold_ms)
      if (std::isnan(ms))
        report("timing.details.more_cold_ms: is missing for a process");
      else
        check_positive("timing.details.more_cold_ms", {ms});
    if (timing.throughput && !(*timing.throughput >= 0))
      report("timing.throughput: {} is no rate", *timing.throughput);
    if (!timing.cpu_ms.empty() && timing.cpu_ms.size() != timing.warm_ms.size())
      report("timing.details.cpu_ms: {} values for {} of warm_ms", timing.cpu_ms.size(),
             timing.warm_ms.size());
  }

  // Blocks follow each other, and so do the processes that took them.
  void check_blocks() {
    const Timing& timing = record_.timing;
    std::uint64_t next = 0, process = 0;
    for (const TimedBlock& block : timing.blocks) {
      if (block.first != next) return report("timing.details.blocks: do not follow each other");
      next += block.count;
      if (block.process < process || block.process > timing.more_cold_ms.size())
        return report("timing.details.blocks: process {} has no cold call", block.process);
      process = block.process;
    }
    if (!timing.blocks.empty() && next != timing.warm_ms.size())
      report("timing.details.blocks: hold {} of {} samples", next, timing.warm_ms.size());
  }

  void check_stage(const StageRecord& stage) {
    const std::string where = "stages." + stage.name;
    check_positive((where + ".wall_ms").c_str(), stage.wall_ms);
    check_positive((where + ".cpu_ms").c_str(), stage.cpu_ms);
    check_positive((where + ".device_ms").c_str(), stage.device_ms);
    const auto ran = std::ranges::count_if(stage.wall_ms, [](double ms) { return ms > 0; });
    if (stage.calls < static_cast<std::uint64_t>(ran))
      report("{}.calls: {} in {} runs", where, stage.calls, ran);
    for (std::size_t i = 0; i < stage.wall_ms.size() && i < stage.self_ms.size(); ++i)
      if (!(stage.self_ms[i] >= -kSlackMs) ||
          stage.self_ms[i] > stage.wall_ms[i] + slack_ms(stage.wall_ms[i]))
        return report("{}.self_ms: {} of a whole of {} ms", where, stage.self_ms[i], stage.wall_ms[i]);
    // A peak is that of one call, what is kept that of all.
    const bool once = stage.calls <= static_cast<std::uint64_t>(ran);
    if (once && stage.peak_bytes && stage.net_bytes && *stage.peak_bytes < *stage.net_bytes)
      report("{}.peak_bytes: {} is below what was kept, {}", where, *stage.peak_bytes, *stage.net_bytes);
    if (stage.peak_bytes && *stage.peak_bytes < 0) report("{}.peak_bytes: is negative", where);
    if (!stage.parent.empty()) check_within_parent(stage, where);
  }

  // A stage is no longer than all stages of its parent's name together.
  void check_within_parent(const StageRecord& stage, const std::string& where) {
    std::vector<double> whole_ms(stage.wall_ms.size());
    bool known = false;
    for (const StageRecord& parent : record_.stages) {
      if (parent.name != stage.parent || parent.other_thread != stage.other_thread) continue;
      if (parent.wall_ms.size() != whole_ms.size()) return;
      known = true;
      for (std::size_t i = 0; i < whole_ms.size(); ++i) whole_ms[i] += parent.wall_ms[i];
    }
    if (!known) return report("{}.parent: there is no stage {}", where, stage.parent);
    for (std::size_t i = 0; i < whole_ms.size(); ++i)
      if (stage.wall_ms[i] > whole_ms[i] + slack_ms(whole_ms[i]))
        return report("{}.wall_ms: {} of the {} ms of {}", where, stage.wall_ms[i], whole_ms[i],
                      stage.parent);
  }

  // Every stage is within an outermost one, through whichever others. One that calls itself is so, too.
  void check_tree(bool other_thread) {
    std::set<std::string_view> within = {""};
    for (std::size_t before = 0; before != within.size();) {
      before = within.size();
      for (const StageRecord& stage : record_.stages)
        if (stage.other_thread == other_thread && within.contains(stage.parent)) within.insert(stage.name);
    }
    for (const StageRecord& stage : record_.stages)
      if (stage.other_thread == other_thread && !within.contains(stage.parent))
        report("stages.{}.parent: {} is in no outermost stage", stage.name, stage.parent);
  }

  // What stages took by themselves sums up to the outermost ones, and these to no more than the run.
  void check_sums(bool other_thread) {
    std::size_t runs = 0;
    for (const StageRecord& stage : record_.stages)
      if (stage.other_thread == other_thread) runs = std::max(runs, stage.wall_ms.size());
    std::vector<double> self_ms(runs), outermost_ms(runs);
    for (const StageRecord& stage : record_.stages) {
      if (stage.other_thread != other_thread) continue;
      if (stage.wall_ms.size() != runs || stage.self_ms.size() != runs) return;  // of blocks that differ
      for (std::size_t i = 0; i < runs; ++i) {
        self_ms[i] += stage.self_ms[i];
        if (stage.parent.empty()) outermost_ms[i] += stage.wall_ms[i];
      }
    }
    for (std::size_t i = 0; i < runs; ++i)
      if (std::abs(self_ms[i] - outermost_ms[i]) > slack_ms(outermost_ms[i]))
        return report("stages: take {} ms by themselves, the outermost ones {} ms", self_ms[i],
                      outermost_ms[i]);
    if (!other_thread && kind_ == RecordKind::sweep) check_within_run(outermost_ms);
  }

  void check_within_run(const std::vector<double>& outermost_ms) {
    const Timing& timing = record_.timing;
    std::vector<double> runs_ms = timing.warm_ms;
    if (runs_ms.empty() && timing.cold_ms) runs_ms = {*timing.cold_ms};
    if (runs_ms.size() != outermost_ms.size()) return;
    for (std::size_t i = 0; i < runs_ms.size(); ++i)
      if (outermost_ms[i] > runs_ms[i] + slack_ms(runs_ms[i]))
        return report("stages: take {} ms of a run of {} ms", outermost_ms[i], runs_ms[i]);
  }

  const Record& record_;
  RecordKind kind_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> record_problems(const Record& record, RecordKind kind) {
  return RecordChecker(record, kind).run();
}

}  // namespace aqbench
