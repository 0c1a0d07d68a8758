#include "reports/text/verdict_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/text/tables.h"

namespace aqbench {
namespace {

// Listed cases and reasons; others are counted.
constexpr std::size_t kMaxRows = 40;

// New cases by name; new metrics of known cases are counted, since a new metric is new in every case. Counts
// and extremes that changed are information.
Lines information_lines(const Verdicts& verdicts, const ShortNames& names, bool all) {
  Lines lines{{}, all ? SIZE_MAX : kMaxRows + 2};
  std::size_t metrics = 0, moved = 0;
  for (const VerdictRow& row : verdicts.rows) {
    if (row.verdict == Verdict::added && !row.metric.empty()) ++metrics;
    if (row.verdict == Verdict::added && row.metric.empty())
      lines.items.push_back(fmt::format("{:<14}  {}: {}", "new", names.of.at(row.case_name), row.reason));
    if (row.verdict == Verdict::pass && !row.reason.empty()) ++moved;
  }
  const auto count = [&](const char* what, std::size_t values, const char* kind, const char* text) {
    if (values > 0)
      lines.items.insert(lines.items.begin(),
                         fmt::format("{:<14}  {} {}", what, counted(values, kind), text));
  };
  if (!all) count("information", moved, "informational value", "changed: not gated (--all)");
  count("new", metrics, "metric", "of known cases not in the baseline: not gated");
  return lines;
}

}  // namespace

VerdictView terminal_view(bool all) {
  return {.rows = all ? VerdictView::Rows::all : VerdictView::Rows::worst,
          .reasons_apart = true,
          .most = all ? SIZE_MAX : kMaxRows};
}

std::string verdicts_text(const Verdicts& verdicts, const ShortNames& names, VerdictView view,
                          const Screen& screen) {
  std::string text;
  bool sizes = true;
  for (ReportBlock& block : verdict_blocks(verdicts, names, view)) {
    if (Table* const table = std::get_if<Table>(&block)) {
      *table = fitted(std::move(*table), screen.width, {"more", "allowed", "size"});
      sizes = std::ranges::find(table->columns, "size", &TableColumn::header) != table->columns.end();
    }
    const Paragraph* const words = std::get_if<Paragraph>(&block);
    if (words != nullptr && words->text == kSizeNote && !sizes) continue;
    text += terminal_of(block, screen);
  }
  return text.empty() ? "" : text + "\n";
}

std::string render_verdicts(const Verdicts& verdicts, bool all, const Screen& screen) {
  std::string text;
  for (const std::string& note : verdicts.notes) text += terminal_of(Paragraph{"note: " + note}, screen);
  if (verdicts.refusal.empty()) {
    const ShortNames names = short_names_of(verdicts);
    text += verdicts_text(verdicts, names, terminal_view(all), screen) +
            terminal_of(information_lines(verdicts, names, all), screen);
  }
  return text + terminal_of(banner_of(verdicts), screen);
}

}  // namespace aqbench
