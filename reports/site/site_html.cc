#include "reports/site/site_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/json.h"
#include "core/parallel.h"
#include "core/sha256.h"
#include "core/text.h"
#include "metrics/value_change.h"
#include "reports/content/case_columns.h"
#include "reports/content/commands.h"
#include "reports/content/metrics_table.h"
#include "reports/content/verdict_text.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxStepRows = 200;

constexpr const char* kStepsNote =
    "Steps as `aqbench trend` finds them: every change of a value that does not vary by itself "
    "(exact), else change points with their p, and of two or three runs what a gate with its default "
    "tolerance would not pass. They show where to look; gate and ab decide.";

// What can be compared: a case with the same options over the runs. Times need the same machine and build,
// too.
struct SiteSeries {
  std::string case_name, comparable;
  bool times = false;
  std::vector<std::pair<std::size_t, const SiteCase*>> runs;
};

std::vector<SiteSeries> series_of(std::span<const SiteRun* const> runs) {
  std::vector<SiteSeries> all;
  std::unordered_map<std::string, std::size_t> places;
  const auto add = [&](const SiteCase& one, const std::string& comparable, bool times, std::size_t run) {
    const auto [place, is_new] =
        places.emplace(fmt::format("{}\n{}\n{}\n{}", one.name, one.options, comparable, times), all.size());
    if (is_new) all.push_back({one.name, comparable, times, {}});
    all[place->second].runs.emplace_back(run, &one);
  };
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (const SiteCase& one : runs[run]->cases) {
      if (one.status != "ok") continue;
      add(one, "", false, run);
      // Times of a machine that was not recorded cannot be compared.
      if (!runs[run]->comparable.empty()) add(one, runs[run]->comparable, true, run);
    }
  return all;
}

// The times whose steps are shown, as a trend shows them.
std::vector<std::size_t> deciding_times(const SiteSeries& series, DecideBy decide_by) {
  const std::size_t wall = site_time_place(), cpu = site_cpu_place();
  const auto runs = [&](auto has) { return std::ranges::count_if(series.runs, has); };
  const auto with = [&](auto at) { return runs([=](auto& run) { return !!run.second->values[at]; }); };
  const auto loaded = runs([](const auto& run) { return run.second->loaded; });
  if (decide_by == DecideBy::both) return {wall, cpu};
  return {cpu_time_decides(decide_by, loaded, with(cpu), with(wall)) ? cpu : wall};
}

void add_steps(const SiteSeries& series, std::size_t metric, std::vector<SiteStep>& steps) {
  std::vector<double> values;
  std::vector<std::size_t> runs;
  for (const auto& [run, one] : series.runs)
    if (const auto& value = one->values[metric]) {
      values.push_back(*value);
      runs.push_back(run);
    }
  if (values.size() < 2) return;
  const SiteMetric& kind = site_metrics()[metric];
  for (const ChangePoint& change :
       series.times ? detect_steps(values) : metric_steps(kind.name, kind.unit, kind.better, values))
    steps.push_back({metric, series.case_name, runs[change.index - 1], runs[change.index], change.level,
                     change_size(shown_verdict(series.case_name, kind.name, kind.unit, kind.better,
                                               change.level.mean_before, change.level.mean_after))});
}

std::string change_of(const SiteStep& step) {
  const SiteMetric& metric = site_metrics()[step.metric];
  return change_text(metric.unit, metric.better, step.level.mean_before, step.level.mean_after);
}

}  // namespace

std::string site_file_name(std::string_view name) {
  std::string file;
  for (const char c : name)
    file += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ? c : '.';
  return file == name && !name.empty() ? file : fmt::format("{}-{}", file, sha256_hex(name).substr(0, 8));
}

std::string SiteHealth::text() const {
  std::string text = fmt::format("{} of {} ok", ok, all);
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  if (injected > 0) text += ", injected faults";
  text += gate ? ", " + gate->text : good() ? ", not gated" : "";
  return text;
}

SiteHealth health_of(const SiteRun& run) {
  const auto with = [&](const char* status) {
    return static_cast<std::size_t>(std::ranges::count(run.cases, status, &SiteCase::status));
  };
  return {with("ok"), with("skipped"), std::max(run.planned, run.cases.size()), run.injected, run.gate};
}

std::string health_text(const SiteHealth& health) {
  return fmt::format("<span class=\"badge {}\">{}</span>", health.look(), health.text());
}

std::string site_page(const std::string& title, int depth, const std::string& body,
                      const std::string& data_script) {
  const std::string root = depth == 0 ? "" : "../";
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src 'self' file: data:; style-src 'self' file: 'unsafe-inline'; "
      "script-src 'self' file:; base-uri 'none'\">\n<title>{0}</title>\n<link rel=\"stylesheet\" "
      "href=\"{1}assets/site.css\">\n</head>\n<body>\n<header><nav aria-label=\"site\"><a "
      "href=\"{1}index.html\">all suites</a></nav>\n<h1>{0}</h1></header>\n<main>\n{2}</main>\n<script "
      "src=\"{1}assets/report.js\"></script>\n",
      xml_escape(title), root, body);
  if (!data_script.empty())
    page += fmt::format(
        "<script src=\"{0}assets/uplot.js\"></script>\n<script src=\"{0}{1}\"></script>\n<script "
        "src=\"{0}assets/site.js\"></script>\n",
        root, data_script);
  return page + "</body>\n</html>\n";
}

std::string shown_suite(const std::string& suite) { return suite.empty() ? "(chosen by hand)" : suite; }

std::vector<std::size_t> filled_metrics(const std::vector<const SiteRun*>& runs) {
  const std::vector<SiteMetric>& all = site_metrics();
  std::vector<MetricSet> sets;
  std::vector<bool> filled(all.size(), false);
  for (const SiteRun* const run : runs)
    for (const SiteCase& one : run->cases) {
      MetricSet& set = sets.emplace_back();
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!one.values[i]) continue;
        filled[i] = true;
        set.emplace_back(all[i].name, Metric{one.values[i], "", all[i].better, ""});
      }
    }
  std::vector<const MetricSet*> cases;
  for (const MetricSet& set : sets) cases.push_back(&set);
  std::set<std::string> chosen;
  for (const MetricColumn& column : metric_columns(cases)) chosen.insert(column.metric);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (filled[i] && (i >= site_columns() || chosen.contains(all[i].name))) shown.push_back(i);
  return shown;
}

std::string case_link(const SiteRun& run, const std::string& case_name, const SiteReports& reports,
                      const std::string& text, const char* root) {
  const auto report = reports.find(run.key);
  if (report == reports.end()) return text;
  std::string escaped;
  for (const char c : case_name)
    escaped +=
        is_plain(c, "/_.=:+-") ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return fmt::format("<a href=\"{}{}#case={}\">{}</a>", root, report->second, escaped, text);
}

std::string suite_link(const std::string& suite, const char* root) {
  return fmt::format("<a href=\"{}suite/{}.html\">{}</a>", root, site_file_name(suite),
                     xml_escape(shown_suite(suite)));
}

std::string steps_link(const std::string& suite, const std::string& text, const char* root) {
  return fmt::format("<a href=\"{}suite/{}.html#steps\">{}</a>", root, site_file_name(suite), text);
}

ShortNames site_short_names(std::span<const SiteRun* const> runs) {
  std::unordered_set<std::string_view> known;
  std::vector<std::string> names;
  for (const SiteRun* const run : runs)
    for (const SiteCase& one : run->cases)
      if (known.insert(one.name).second) names.push_back(one.name);
  std::ranges::sort(names);
  return shorten_names(names);
}

std::string commit_of_run(const SiteRun& run) {
  const std::string program = run.commit.substr(0, 12), folder = run.folder_commit.substr(0, 12);
  if (folder.empty() || run.folder_commit == run.commit) return program.empty() ? "not known" : program;
  return program.empty() ? folder : fmt::format("{} (aqbench {})", folder, program);
}

int SiteStep::worsening() const {
  const SiteMetric& known = site_metrics()[metric];
  return aqbench::worsening(known.name, known.better, level.mean_before, level.mean_after);
}

std::vector<SiteStep> site_steps(std::span<const SiteRun* const> runs, DecideBy decide_by) {
  const std::vector<SiteSeries> all = series_of(runs);
  std::vector<std::size_t> metrics = filled_metrics({runs.begin(), runs.end()});
  std::erase_if(metrics, [](std::size_t metric) { return metric >= site_cpu_place(); });  // times are last
  std::vector<std::vector<SiteStep>> found(all.size());
  parallel_for(all.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const std::size_t metric : all[i].times ? deciding_times(all[i], decide_by) : metrics)
        add_steps(all[i], metric, found[i]);
    }
  });
  std::vector<SiteStep> steps;
  for (std::vector<SiteStep>& some : found) std::ranges::move(some, std::back_inserter(steps));
  std::ranges::stable_sort(steps, [](const SiteStep& a, const SiteStep& b) {
    return std::tie(b.since, b.size, a.case_name, a.metric) <
           std::tie(a.since, a.size, b.case_name, b.metric);
  });
  if (steps.size() > kMaxSiteSteps) steps.erase(steps.begin() + kMaxSiteSteps, steps.end());
  return steps;
}

SiteStepRow site_step_row(const SiteStep& step, const SiteSuite& suite, const SiteReports& reports,
                          const std::string& suite_link) {
  const SiteRun &before = *suite.runs[step.before], &since = *suite.runs[step.since];
  const std::string from = commit_of_run(before), to = commit_of_run(since);
  const int worse = step.worsening();
  const auto linked = [&](const SiteRun& run, const std::string& text) {
    return html_cell(case_link(run, step.case_name, reports, xml_escape(text)));
  };
  const auto [low, high] = number_pair(step.level.mean_before, step.level.mean_after);
  std::vector<TableCell> cells = {{site_metrics()[step.metric].title},
                                  linked(since, suite.names.of.at(step.case_name)),
                                  linked(before, low),
                                  linked(since, high),
                                  {change_of(step)},
                                  {change_word(worse), worse > 0 ? Colour::red : Colour::none},
                                  {since.id},
                                  {from == to ? from + ", the same" : from + " to " + to},
                                  {step_p_text(step.level.p)}};
  if (!suite_link.empty()) cells.insert(cells.begin() + 1, html_cell(suite_link));
  return {since.started_utc, std::move(cells), step.case_name};
}

TableCell since_cell(std::span<const SiteRun* const> runs, std::span<const SiteStep> steps,
                     const std::function<bool(const SiteStep&)>& is_meant) {
  const auto step = std::ranges::find_if(steps, is_meant);  // the newest first
  if (step == steps.end()) return {"first run"};
  const SiteRun& since = *runs[step->since];
  const std::string& text = since.folder_commit.empty() ? since.id : since.folder_commit;
  return html_cell(steps_link(runs.front()->suite, xml_escape(text.substr(0, 16))),
                   step->worsening() > 0 ? Colour::red : Colour::none);
}

std::vector<ReportBlock> site_cases(const std::vector<SiteTableCase>& cases, const SiteTableParts& parts,
                                    const std::function<const SiteSuite&(const SiteRun&)>& suite_of,
                                    const SiteReports& reports) {
  if (cases.empty()) return {};
  std::vector<std::string> all;
  for (const SiteTableCase& at : cases) all.push_back(at.one->name);
  const ShortNames names = shorten_names(all);
  const std::size_t shown = std::min(cases.size(), kMaxTableRows);
  std::vector<MetricColumn> columns;
  for (const std::size_t i : parts.metrics)
    columns.push_back({site_metrics()[i].name, site_metrics()[i].title, site_metrics()[i].title});
  std::vector<Record> records(shown);
  std::vector<MetricsRow> rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [run, one, before] = cases[i];
    for (const std::size_t k : parts.metrics)
      records[i].metrics.emplace_back(site_metrics()[k].name, Metric{one->values[k], "", Better::lower, ""});
    rows.push_back(
        {{html_cell(case_link(*run, one->name, reports, xml_escape(names.of.at(one->name)))),
          parts.with_suites ? html_cell(suite_link(run->suite))
                            : TableCell{one->status, one->status == "ok" ? Colour::none : Colour::red}},
         {&records[i]}});
  }
  Table table = metrics_table({{"case"}, {parts.with_suites ? "suite" : "status"}}, rows, columns);
  table.columns.push_back({"since when"});
  table.label = parts.label;
  table.left_out = cases.size() - shown;
  for (std::size_t i = 0; i < shown; ++i) {
    const SiteTableCase& at = cases[i];
    const SiteSuite& suite = suite_of(*at.run);
    for (std::size_t k = 0; k < parts.metrics.size(); ++k) {
      const std::size_t metric = parts.metrics[k];
      TableCell& cell = table.rows[i][2 + k];
      const bool moved = at.before != nullptr && at.one->values[metric] != at.before->values[metric];
      cell.html = case_link(*at.run, at.one->name, reports, xml_escape(cell.text)) + (moved ? " *" : "");
      if (moved)
        cell.hint = fmt::format("{} in the run before", table_number_or_na(at.before->values[metric]));
    }
    table.rows[i].push_back(since_cell(suite.runs, suite.steps, [&](const SiteStep& step) {
      return step.case_name == at.one->name && std::ranges::count(parts.metrics, step.metric) > 0;
    }));
    table.subjects.push_back({at.one->name});
  }
  return {common_words(names.common), std::move(table)};
}

std::string steps_section(const std::vector<SiteStepRow>& rows, bool with_suites, const std::string& lead) {
  if (rows.empty()) return "";
  Table table =
      table_with({"metric", "case", ">before", ">after", ">change", "it is", "since run", "commits", ">p"});
  if (with_suites) table.columns.insert(table.columns.begin() + 1, {"suite"});
  table.label = "changes of level";
  table.rest_in = "older runs";
  for (const SiteStepRow& row : rows) {
    if (!has_room(table, kMaxStepRows)) continue;
    table.rows.push_back(row.cells);
    table.subjects.push_back({row.case_name});
  }
  return html_of(Section{"steps", "Where a level changed", kStepsNote, {Picture{lead}, std::move(table)}});
}

std::string site_steps_lead(const SiteSuite& suite) {
  const auto& [runs, names, steps] = suite;
  constexpr std::size_t kMaxRuns = 5;
  Lines lines;
  for (std::size_t i = 0; i < steps.size() && lines.items.size() < kMaxRuns;) {
    const std::size_t since = steps[i].since;
    std::array<std::size_t, 3> counts{};  // better, neither, worse
    std::string before = commit_of_run(*runs[steps[i].before]);
    for (; i < steps.size() && steps[i].since == since; ++i) {
      ++counts[static_cast<std::size_t>(steps[i].worsening() + 1)];
      // Where a case was missing in between, the last run before is another one.
      if (commit_of_run(*runs[steps[i].before]) != before) before = "an earlier one";
    }
    lines.items.push_back(fmt::format("since run {}, commit {} after {}: {} worse, {} better{}",
                                      runs[since]->id, commit_of_run(*runs[since]), before,
                                      counted(counts[2], "value"), counts[0],
                                      counts[1] > 0 ? fmt::format(", {} neither", counts[1]) : ""));
  }
  return html_of(lines);
}

std::string site_steps_json(std::span<const SiteStep> steps,
                            const std::map<std::string, std::size_t>& places) {
  Json all = Json::array();
  for (const SiteStep& step : steps)
    all.push_back(
        {site_metrics()[step.metric].name, places.at(step.case_name), step.since, step.worsening()});
  return all.dump();
}

}  // namespace aqbench
