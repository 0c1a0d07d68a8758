#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/text.h"
#include "harness/gating/gate.h"
#include "metrics/value_change.h"
#include "reports/content/metrics_table.h"
#include "reports/content/verdict_blocks.h"
#include "reports/content/verdict_text.h"
#include "reports/history/trend.h"

namespace aqbench {
namespace {

VerdictRow verdict_on(const TrendSeries& series, const LevelChange& level) {
  return shown_verdict(series.case_name, series.metric, series.unit, series.better, level.mean_before,
                       level.mean_after);
}

ShortNames names_of(const std::vector<TrendSeries>& series) {
  std::set<std::string> names;
  for (const TrendSeries& one : series) names.insert(one.case_name);
  return shorten_names({names.begin(), names.end()});
}

// The commit that was measured, shortened; "" where it is unknown.
std::string commit_of(const TrendRun& run) {
  return (run.folder_commit.empty() ? run.commit : run.folder_commit).substr(0, 8);
}

// The p of a step; nothing of too few runs for any.
std::string p_text(double p) { return p == 0 ? ", exact" : p == 1 ? "" : fmt::format(", p {:.1e}", p); }

// The changes of each run, by its place in the history, with the p of their steps.
std::map<std::size_t, Verdicts, std::greater<>> changes_of_runs(const std::vector<TrendSeries>& series) {
  std::map<std::size_t, Verdicts, std::greater<>> changes;
  for (const TrendSeries& one : series)
    for (const ChangePoint& change : one.changes) {
      VerdictRow row = verdict_on(one, change.level);
      row.change = verdict_cells(row).change + p_text(change.level.p);
      changes[one.runs[change.index]].rows.push_back(std::move(row));
    }
  for (auto& [run, verdicts] : changes) sort_worst_first(verdicts.rows);
  return changes;
}

// The newest level of each value that changed against the pinned run.
Table pinned_table(const std::vector<TrendSeries>& series, const ShortNames& names) {
  Verdicts verdicts;
  for (const TrendSeries& one : series)
    if (one.pinned && one.pinned->changed) verdicts.rows.push_back(verdict_on(one, one.pinned->level));
  sort_worst_first(verdicts.rows);
  return verdict_table(by_case(verdicts), names,
                       {.rows = VerdictView::Rows::all, .before = "pinned", .after = "newest"});
}

// The newest change of each value, which decides nothing.
Verdicts verdicts_of(const TrendHistory& history, const std::vector<TrendSeries>& series) {
  Verdicts verdicts;
  std::set<std::string_view> cases;
  for (const TrendSeries& one : series) {
    cases.insert(one.case_name);
    if (one.changes.empty()) continue;
    const ChangePoint& change = one.changes.back();
    VerdictRow row = verdict_on(one, change.level);
    row.change = verdict_cells(row).change + " since run " + run_name(history.runs[one.runs[change.index]]);
    verdicts.rows.push_back(std::move(row));
  }
  verdicts.cases = cases.size();
  sort_worst_first(verdicts.rows);
  return verdicts;
}

// Says since which run cases have other options than before, the newest of such runs; "" where none has.
std::string other_options(const TrendHistory& history) {
  std::map<std::string_view, const Record*> last;
  std::string since;
  for (const TrendRun& run : history.runs) {
    std::vector<std::string> changed;
    std::string example;
    for (const Record& record : run.results.records) {
      const Record*& before = last[record.case_name];
      if (before != nullptr && before->options != record.options) {
        const auto differences =
            option_differences({before->options, before->defaults}, {record.options, record.defaults});
        if (!differences.empty()) changed.push_back(record.case_name);
        if (changed.size() == 1) example = differences.front();
      }
      before = &record;
    }
    if (!changed.empty())
      since = fmt::format("Since run {} {} other options: values before it are not compared ({}: {})",
                          run_name(run),
                          counted(changed.size(), "case") + (changed.size() == 1 ? " has" : " have"),
                          changed.front(), example);
  }
  return since;
}

constexpr double kChartWidth = 640, kChartHeight = 130, kLeft = 84, kRight = 16, kTop = 28, kBottom = 22;

// A value as its change since the first run, in percent; of a percentage in points; of what began with 0 in
// percent of the largest value.
double change_since_first(const TrendSeries& series, double value) {
  const double first = series.values.front(), change = value - first;
  if (series.unit == "%" || change == 0) return change;
  double unit = std::abs(first);
  for (const double other : series.values) unit = first == 0 ? std::max(unit, std::abs(other)) : unit;
  return 100 * change / unit;
}

// The ends of one scale for all charts: as far as the largest change goes, and 5 % at least.
std::pair<double, double> common_scale(std::span<const TrendSeries> all) {
  double low = -5, high = 5;
  for (const TrendSeries& series : all)
    for (const double value : series.values) {
      low = std::min(low, change_since_first(series, value));
      high = std::max(high, change_since_first(series, value));
    }
  return {low, high};
}

// One series: dots, the levels between changes, a line at each change.
void draw_trend(const TrendHistory& history, const TrendSeries& series,
                const std::pair<double, double>& scale, double top, std::vector<Shape>& shapes) {
  const auto& [low, high] = scale;
  const double pad = 0.08 * (high - low), y_min = low - pad, y_max = high + pad;
  const double width = kChartWidth - kLeft - kRight, height = kChartHeight - kTop - kBottom;
  const auto n = static_cast<double>(series.values.size());
  const auto x_of = [&](std::size_t i) {
    return kLeft + width * (n > 1 ? static_cast<double>(i) / (n - 1) : 0.5);
  };
  const auto y_at = [&](double change) { return top + kTop + height * (y_max - change) / (y_max - y_min); };
  const auto y_of = [&](double value) { return y_at(change_since_first(series, value)); };
  shapes.push_back(text_shape(kLeft, top + 16, "start",
                              fmt::format("{}  {}, first {} {}", series.case_name, series.metric,
                                          short_number(series.values.front()), series.unit),
                              "t"));
  for (const double change : {low, 0.0, high}) {
    const std::string number = fmt::format("{:+.3g}", change);
    const std::string text = change == 0 ? "first" : series.unit == "%" ? points_text(number) : number + " %";
    // No text lies over that of zero.
    const double y = change < 0   ? std::max(y_at(change), y_at(0) + 14)
                     : change > 0 ? std::min(y_at(change), y_at(0) - 14)
                                  : y_at(0);
    shapes.push_back(text_shape(kLeft - 6, y + 4, "end", text, "s"));
  }
  shapes.push_back(line_shape(kLeft, top + kTop + height, kLeft + width, top + kTop + height, "axis"));
  shapes.push_back(
      text_shape(kLeft, top + kChartHeight - 6, "start", history.runs[series.runs.front()].started_utc, "s"));
  shapes.push_back(text_shape(kLeft + width, top + kChartHeight - 6, "end",
                              history.runs[series.runs.back()].started_utc, "s"));
  std::vector<std::size_t> starts = {0};
  for (const ChangePoint& change : series.changes) {
    starts.push_back(change.index);
    const double x = (x_of(change.index) + x_of(change.index - 1)) / 2;
    const Verdict verdict = verdict_on(series, change.level).verdict;
    shapes.push_back(line_shape(x, top + kTop, x, top + kTop + height,
                                verdict == Verdict::regressed  ? "bad"
                                : verdict == Verdict::improved ? "good"
                                                               : "axis"));
  }
  starts.push_back(series.values.size());
  for (std::size_t level = 0; level + 1 < starts.size(); ++level) {
    double mean = 0;
    for (std::size_t i = starts[level]; i < starts[level + 1]; ++i)
      mean += series.values[i] / static_cast<double>(starts[level + 1] - starts[level]);
    shapes.push_back(
        line_shape(x_of(starts[level]), y_of(mean), x_of(starts[level + 1] - 1), y_of(mean), "level"));
  }
  for (std::size_t i = 0; i < series.values.size(); ++i)
    shapes.push_back(circle_shape(x_of(i), y_of(series.values[i]), 2.5, "dot",
                                  fmt::format("{}: {} {}", run_name(history.runs[series.runs[i]]),
                                              short_number(series.values[i]), series.unit)));
}

}  // namespace

std::string commit_text(const TrendRun& run) {
  std::string text = commit_of(run);
  if (!run.folder_commit.empty() && !run.commit.empty()) text += " aqbench " + run.commit.substr(0, 8);
  return text;
}

std::string run_name(const TrendRun& run) {
  const std::string commit = commit_text(run);
  return commit.empty() ? run.id : run.id + " " + commit;
}

Banner trend_banner(const TrendHistory& history, const std::vector<TrendSeries>& series) {
  Banner banner = shown_banner_of(verdicts_of(history, series));
  banner.caution = other_options(history);
  return banner;
}

std::vector<ReportBlock> trend_blocks(const TrendHistory& history, const std::vector<TrendSeries>& series,
                                      const TrendLink& link) {
  const auto changes = changes_of_runs(series);
  const ShortNames names = names_of(series);
  std::vector<CaseVerdicts> cases;
  std::vector<std::size_t> runs;  // of each
  for (const auto& [run, verdicts] : changes)
    for (CaseVerdicts& one : by_case(verdicts)) {
      if (is_unchanged(*one.worst)) continue;  // in the last digits alone
      cases.push_back(std::move(one));
      runs.push_back(run);
    }
  Table table = verdict_table(cases, names, {.passes = true, .most = kMaxTableRows});
  table.label = "changes over the runs";
  table.dispensable = {"more", "size", "verdict", "before"};
  table.columns.insert(table.columns.begin(), {"since"});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const TrendRun& since = history.runs[runs[i]];
    const std::string& name = cases[i].worst->case_name;
    if (link) table.rows[i].front().html = link(runs[i], name, names.of.at(name));
    // A run's name is never shortened: it is what the bundle is found by.
    table.rows[i].insert(table.rows[i].begin(), {commit_of(since).empty() ? since.id : commit_of(since)});
    table.subjects[i].opens = false;
  }
  std::vector<ReportBlock> blocks;
  if (!changes.empty()) blocks = {common_words(names.common), std::move(table)};
  if (Table pinned = pinned_table(series, names); !pinned.rows.empty())
    blocks.insert(blocks.end(), {Heading{"Against the pinned run"}, std::move(pinned)});
  return blocks;
}

std::vector<TrendSeries> leading_trends(const std::vector<TrendSeries>& series, std::size_t most) {
  std::vector<VerdictRow> rows;
  for (const TrendSeries& one : series)
    if (!one.changes.empty()) rows.push_back(verdict_on(one, one.changes.back().level));
  sort_worst_first(rows);
  std::vector<TrendSeries> leading;
  std::set<std::string> cases;
  for (const VerdictRow& row : rows)
    if (leading.size() < most && cases.insert(row.case_name).second)
      leading.push_back(*std::ranges::find_if(series, [&](const TrendSeries& one) {
        return one.case_name == row.case_name && one.metric == row.metric && !one.changes.empty();
      }));
  return leading;
}

std::string render_trends(const TrendHistory& history, const std::vector<TrendSeries>& series,
                          const Screen& screen) {
  std::string text = terminal_of(Lines{history.problems}, screen) + terminal_of(Lines{history.notes}, screen);
  if (history.runs.empty()) return text + "no verified bundle there\n";
  text += fmt::format("{}, {} to {}\n", counted(history.runs.size(), "run"),
                      printable(history.runs.front().id), printable(history.runs.back().id));
  if (const auto blocks = trend_blocks(history, series); !blocks.empty())
    text += "\n" + terminal_of(blocks, screen) + "\n";
  for (const auto& [run, verdicts] : changes_of_runs(series)) {
    const TrendRun& since = history.runs[run];
    text += terminal_of(
        Lines{{fmt::format("  {}{}{}", run_name(since), since.file.empty() ? "" : ": ", since.file)}},
        screen);
  }
  if (series.empty()) return text + "\nno value occurs in two runs with the same options\n";
  const auto still =
      std::ranges::count_if(series, [](const TrendSeries& one) { return one.changes.empty(); });
  text += "\n" + terminal_of(
                     Paragraph{counted(static_cast<std::size_t>(still), "value") +
                               " without a change of level; a trend shows where to look, gate and ab decide"},
                     screen);
  return text + terminal_of(trend_banner(history, series), screen);
}

Drawing trends_drawing(const TrendHistory& history, const std::vector<TrendSeries>& series) {
  constexpr std::size_t kMaxCharts = 24;
  const std::size_t shown = std::min(kMaxCharts, series.size());
  std::vector<Shape> shapes;
  const auto scale = common_scale(std::span(series).first(shown));
  for (std::size_t i = 0; i < shown; ++i)
    draw_trend(history, series[i], scale, static_cast<double>(i) * kChartHeight, shapes);
  double height = static_cast<double>(shown) * kChartHeight;
  if (series.size() > shown || shown == 0) {
    height += 24;
    shapes.push_back(text_shape(
        kLeft, height - 8, "start",
        shown == 0 ? "no value occurs in two runs" : fmt::format("and {} more", series.size() - shown), "s"));
  }
  return {kChartWidth, height, std::move(shapes), "values over the runs"};
}

std::string trends_svg(const TrendHistory& history, const std::vector<TrendSeries>& series) {
  return svg_document(trends_drawing(history, series));
}

}  // namespace aqbench
