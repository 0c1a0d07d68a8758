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

// What is counted beside the values that moved.
Lines equal_lines(const CompareReport& report, bool all) {
  std::size_t equal = 0, added = 0, other = 0;
  for (const ComparedMetric& row : report.metrics) {
    equal += row.a == row.b ? 1 : 0;
    added += !row.a && row.b ? 1 : 0;
    other += row.a && row.b && *row.a != *row.b && worsening(row.metric, row.better, *row.a, *row.b) == 0;
  }
  Lines lines;
  if (added > 0) lines.items.push_back(counted(added, "value") + " in B alone");
  if (other > 0 && !all)
    lines.items.push_back(counted(other, "value") + " changed and neither better nor worse (--all)");
  if (equal > 0) lines.items.push_back(counted(equal, "value") + " the same in both");
  return lines;
}

bool same_memory(const ComparedStage& stage) {
  return stage.a.net_bytes == stage.b.net_bytes && stage.a.peak_bytes == stage.b.peak_bytes;
}

Section memory_section(const CompareReport& report, const ShortNames& names, bool all) {
  Table table = table_with({"case", "stage", ">net A\nMiB", ">net B\nMiB", ">peak A\nMiB", ">peak B\nMiB"});
  table.label = "tensor memory";
  std::size_t equal = 0;
  for (const ComparedStage& stage : report.stages) {
    if (!stage.a.net_bytes && !stage.b.net_bytes && !stage.a.peak_bytes && !stage.b.peak_bytes) continue;
    const TensorMemoryText a = tensor_memory_text(stage.a.net_bytes, stage.a.peak_bytes),
                           b = tensor_memory_text(stage.b.net_bytes, stage.b.peak_bytes);
    if (!all && same_memory(stage))
      ++equal;
    else
      table.rows.push_back(
          plain_row({names.of.at(stage.case_name), stage.stage, a.net, b.net, a.peak, b.peak}));
  }
  Section section{"memory", "Tensor memory", "", {std::move(table)}};
  if (equal > 0) section.blocks.emplace_back(Paragraph{counted(equal, "stage") + " the same in both"});
  return section;
}

// The stages that became slower most first.
Section stages_section(const CompareReport& report, const ShortNames& names, const std::string& kind) {
  Table table = table_with({"case", "stage", ">self A\nms", ">self B\nms", ">time", ">calls", ">per call"});
  table.label = "stages";
  std::vector<const ComparedStage*> stages;
  for (const ComparedStage& stage : report.stages) stages.push_back(&stage);
  std::ranges::stable_sort(stages, std::ranges::greater{},
                           [](const ComparedStage* row) { return row->time_factor().value_or(0); });
  for (const ComparedStage* const stage : stages)
    table.rows.push_back(
        plain_row({names.of.at(stage->case_name), stage->stage, table_number_or_na(stage->a.self_ms),
                   table_number_or_na(stage->b.self_ms), factor_text(stage->time_factor()),
                   factor_text(stage->work_factor()), factor_text(stage->cost_factor())}));
  Section section{
      "stages", "Stages", kind + "; self times, B / A: time = calls x time per call", {std::move(table)}};
  if (const std::string moved = moved_stage_line(report); !moved.empty())
    section.blocks.emplace_back(Paragraph{"moved most: " + moved});
  return section;
}

Section times_section(const CompareReport& report, const ShortNames& names, const std::string& kind) {
  Table table = table_with({"case", ">batch", ">A\nms", ">B\nms", ">B / A"});
  table.label = "times";
  for (const ComparedTime& time : report.times)
    if (time.a_ms || time.b_ms)
      table.rows.push_back(plain_row({names.of.at(time.case_name), time.batch, table_number_or_na(time.a_ms),
                                      table_number_or_na(time.b_ms), factor_text(time.factor())}));
  drop_columns(table, "");
  return {"times", "Times", kind, {std::move(table)}};
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

std::vector<Section> compare_sections(const CompareReport& report, const ShortNames& names, bool all) {
  const std::string kind = report.key_differences.empty()
                               ? "same machine key, other moments: a trend, no verdict"
                               : "a trend only";
  return {memory_section(report, names, all), stages_section(report, names, kind),
          times_section(report, names, kind)};
}

std::string render_compare(const CompareReport& report, bool all, const Screen& screen) {
  std::string text =
      terminal_of(Paragraph{"A: " + report.a}, screen) + terminal_of(Paragraph{"B: " + report.b}, screen);
  if (!report.refusal.empty())
    return text + terminal_of(Paragraph{"not comparable: " + report.refusal}, screen);
  for (const std::string& note : report.notes) text += terminal_of(Paragraph{"note: " + note}, screen);
  ShortNames names = compared_names(report);
  if (!names.common.empty()) text += terminal_of(Paragraph{"all: " + names.common}, screen);
  names.common.clear();
  VerdictView view = terminal_view(all);
  view.before = "A";
  view.after = "B";
  text += "\naccuracy\n" + verdicts_text(verdicts_of(report, all), names, view, screen) +
          terminal_of(equal_lines(report, all), screen);
  for (const Section& section : compare_sections(report, names, all)) text += terminal_of(section, screen);
  text += "\n";
  for (const std::string& difference : report.key_differences)
    text += terminal_of(Paragraph{"times are a trend only: " + difference}, screen);
  const bool timed =
      std::ranges::any_of(report.times, [](const ComparedTime& row) { return row.factor().has_value(); });
  text += fmt::format("{} compared{}\n", counted(report.cases, "case"),
                      timed ? "; for a verdict on time run both now, in pairs: aqbench ab" : "");
  return text + terminal_of(shown_banner_of(verdicts_of(report)), screen);
}

}  // namespace aqbench
