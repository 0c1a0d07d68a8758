#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "harness/records/profile_details.h"
#include "metrics/value_change.h"
#include "reports/history/compare.h"
#include "reports/text/tables.h"
#include "reports/text/verdict_table.h"

namespace aqbench {
namespace {

constexpr double kMovedShare = 0.05;  // of a stage's time: less is not worth a name

// The values that moved, by case; with `all` every value.
std::string metrics_text(const CompareReport& report, const ShortNames& names, const VerdictView& view) {
  std::size_t equal = 0, added = 0, other = 0;
  for (const ComparedMetric& row : report.metrics) {
    equal += row.a == row.b ? 1 : 0;
    added += !row.a && row.b ? 1 : 0;
    other += row.a && row.b && *row.a != *row.b && worsening(row.metric, row.better, *row.a, *row.b) == 0;
  }
  std::string text = "accuracy\n" + verdict_tables(verdicts_of(report, view.all), names, view);
  if (added > 0) text += fmt::format("{} in B alone\n", counted(added, "value"));
  if (other > 0 && !view.all)
    text += fmt::format("{} changed and neither better nor worse (--all)\n", counted(other, "value"));
  if (equal > 0) text += fmt::format("{} the same in both\n", counted(equal, "value"));
  return text;
}

bool same_memory(const ComparedStage& stage) {
  return stage.a.net_bytes == stage.b.net_bytes && stage.a.peak_bytes == stage.b.peak_bytes;
}

std::string memory_table(const CompareReport& report, bool all) {
  Table table = table_with({"case", "stage", ">net A\nMiB", ">net B\nMiB", ">peak A\nMiB", ">peak B\nMiB"});
  std::size_t equal = 0;
  for (const ComparedStage& stage : report.stages) {
    if (!stage.a.net_bytes && !stage.b.net_bytes && !stage.a.peak_bytes && !stage.b.peak_bytes) continue;
    const TensorMemoryText a = tensor_memory_text(stage.a.net_bytes, stage.a.peak_bytes),
                           b = tensor_memory_text(stage.b.net_bytes, stage.b.peak_bytes);
    if (!all && same_memory(stage))
      ++equal;
    else
      table.rows.push_back({{stage.case_name}, {stage.stage}, {a.net}, {b.net}, {a.peak}, {b.peak}});
  }
  if (table.rows.empty() && equal == 0) return "";
  std::string text = "\ntensor memory\n";
  if (!table.rows.empty()) text += render_table(table, false, table_width(table));
  if (equal > 0) text += fmt::format("{} the same in both\n", counted(equal, "stage"));
  return text;
}

std::string stages_table(const CompareReport& report, const std::string& kind, std::size_t width) {
  Table table = table_with({"case", "stage", ">self A\nms", ">self B\nms", ">time", ">calls", ">per call"});
  for (const ComparedStage& stage : report.stages)
    table.rows.push_back(plain_row({stage.case_name, stage.stage, table_number_or_na(stage.a.self_ms),
                                    table_number_or_na(stage.b.self_ms), factor_text(stage.time_factor()),
                                    factor_text(stage.work_factor()), factor_text(stage.cost_factor())}));
  if (table.rows.empty()) return "";
  std::string text = fmt::format("\nstages ({}; B / A: time = calls x time per call)\n", kind) +
                     render_table(table, false, table_width(table));
  if (const std::string moved = moved_stage_line(report); !moved.empty())
    text += wrap_text("moved most: " + moved, width, 4);
  return text;
}

std::string times_table_of(const CompareReport& report, const std::string& kind) {
  const bool batched =
      std::ranges::any_of(report.times, [](const ComparedTime& time) { return !time.batch.empty(); });
  Table table = table_with({"case", batched ? ">batch" : ">", ">A\nms", ">B\nms", ">B / A"});
  for (const ComparedTime& time : report.times) {
    if (time.a_ms || time.b_ms)
      table.rows.push_back(plain_row({time.case_name, time.batch, table_number_or_na(time.a_ms),
                                      table_number_or_na(time.b_ms), factor_text(time.factor())}));
  }
  return table.rows.empty() ? ""
                            : fmt::format("\ntimes{} ({})\n", batched ? " and batching" : "", kind) +
                                  render_table(table, false, table_width(table));
}

}  // namespace

std::string factor_text(const std::optional<double>& factor) {
  return factor ? fmt::format("{:.3g} x", *factor) : std::string("n/a");
}

std::string moved_stage_line(const CompareReport& report) {
  const ComparedStage* most = nullptr;
  double most_ms = 0;
  for (const ComparedStage& stage : report.stages) {
    const auto factor = stage.time_factor();
    if (!factor || std::abs(*factor - 1) < kMovedShare) continue;
    const double change = std::abs(*stage.b.self_ms - *stage.a.self_ms);
    if (most == nullptr || change > most_ms) {
      most = &stage;
      most_ms = change;
    }
  }
  if (most == nullptr) return "";
  std::string line =
      fmt::format("{} of {}: {}", most->stage, most->case_name, factor_text(most->time_factor()));
  const auto work = most->work_factor(), cost = most->cost_factor();
  if (!work || !cost) return line;
  const bool work_moved = std::abs(*work - 1) >= kMovedShare, cost_moved = std::abs(*cost - 1) >= kMovedShare;
  return line + fmt::format(": {}: {} the calls, {} the time per call",
                            work_moved && cost_moved ? "work and cost moved"
                            : work_moved             ? "the work moved"
                                                     : "the cost per call moved",
                            factor_text(work), factor_text(cost));
}

namespace {

void shorten_case_names(const ShortNames& names, CompareReport& report) {
  for (ComparedStage& row : report.stages) row.case_name = names.of.at(row.case_name);
  for (ComparedTime& row : report.times) row.case_name = names.of.at(row.case_name);
}

}  // namespace

std::string render_compare(const CompareReport& full, bool colours, bool all, std::size_t width) {
  CompareReport report = full;
  std::string text =
      wrap_text(printable("A: " + report.a), width, 3) + wrap_text(printable("B: " + report.b), width, 3);
  if (!report.refusal.empty()) return text + wrap_text("not comparable: " + report.refusal, width, 16);
  for (const std::string& note : report.notes) text += wrap_text("note: " + printable(note), width, 6);
  const bool same_key = report.key_differences.empty();
  const std::string kind = same_key ? "same machine key, other moments: a trend, no verdict" : "a trend only";
  ShortNames names = compared_names(full);
  if (!names.common.empty()) text += wrap_text(printable("all: " + names.common), width, 5);
  names.common.clear();
  text += "\n" + metrics_text(full, names, {colours, all, width, "A", "B"});
  shorten_case_names(names, report);
  text += memory_table(report, all) + stages_table(report, kind, width) + times_table_of(report, kind) + "\n";
  for (const std::string& difference : report.key_differences)
    text += wrap_text(printable("times are a trend only: " + difference), width, 4);
  const bool timed =
      std::ranges::any_of(report.times, [](const ComparedTime& row) { return row.factor().has_value(); });
  text += fmt::format("{} compared{}\n", counted(report.cases, "case"),
                      timed ? "; for a verdict on time run both now, in pairs: aqbench ab" : "");
  return text + render_banner(shown_banner_of(verdicts_of(full)), colours, width);
}

}  // namespace aqbench
