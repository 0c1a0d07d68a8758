// The pages of a scene, a method and a metric, over the newest run of every suite.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "harness/records/case_name.h"
#include "harness/statistics/summary.h"
#include "metrics/registry.h"
#include "metrics/value_change.h"
#include "reports/content/metrics_table.h"
#include "reports/site/site_pages.h"

namespace aqbench {
namespace {

using BySeed = std::map<std::string, std::pair<double, std::string>>;  // seed -> value and case

struct BoardRow {
  std::string method;
  std::map<std::string, BySeed> scenes;
  double mean = 0;  // over the scenes that it has
};

double mean_of(const BySeed& values) {
  double sum = 0;
  for (const auto& [seed, value] : values) sum += value.first;
  return sum / static_cast<double>(values.size());
}

// Whether two methods differ over the seeds that both have.
bool differ(const BySeed& a, const BySeed& b) {
  std::vector<double> changes;
  for (const auto& [seed, value] : a)
    if (const auto other = b.find(seed); other != b.end())
      changes.push_back(value.first - other->second.first);
  const SampleSummary change = summarize(changes);
  if (!change.mean || !change.sd || *change.sd == 0) return mean_of(a) != mean_of(b);
  const auto n = static_cast<double>(changes.size());
  return student_t_two_sided(*change.mean / (*change.sd / std::sqrt(n)), n - 1) <= 0.05;
}

// What stands in a case's name beside its scene and its seed.
std::string method_of(const SiteCase& one) {
  std::string name = name_without_seed(one.name);
  if (name.starts_with(one.scene + "/")) name.erase(0, one.scene.size() + 1);
  return name;
}

std::vector<BoardRow> rows_of(const SiteRun& run, std::size_t metric, std::set<std::string>& scenes) {
  std::map<std::string, BoardRow> rows;
  for (const SiteCase& one : run.cases) {
    if (one.scene.empty()) continue;
    BoardRow& row = rows[method_of(one)];
    row.method = method_of(one);
    const auto& value = one.values[metric];
    if (!value) continue;
    scenes.insert(one.scene);
    row.scenes[one.scene][seed_in_name(one.name)] = {*value, one.name};
  }
  std::vector<BoardRow> sorted;
  for (auto& [method, row] : rows) {
    for (const auto& [scene, values] : row.scenes)
      row.mean += mean_of(values) / static_cast<double>(row.scenes.size());
    sorted.push_back(std::move(row));
  }
  const SiteMetric& known = site_metrics()[metric];
  std::ranges::stable_sort(sorted, [&](const BoardRow& a, const BoardRow& b) {
    if (a.scenes.size() != b.scenes.size()) return a.scenes.size() > b.scenes.size();
    return worsening(known.name, known.better, b.mean, a.mean) < 0;
  });
  return sorted;
}

// The values of the best method of a scene; nullptr where the metric has no better side.
const BySeed* best_of(const std::vector<BoardRow>& rows, const std::string& scene, const SiteMetric& metric) {
  const BySeed* best = nullptr;
  for (const BoardRow& row : rows) {
    const auto found = row.scenes.find(scene);
    if (found == row.scenes.end() || has_own_poses(row.method)) continue;  // never ranked beside given poses
    if (best == nullptr || worsening(metric.name, metric.better, mean_of(*best), mean_of(found->second)) < 0)
      best = &found->second;
  }
  const bool has_side = metric.better != Better::equal || metric_ideal(metric.name).has_value();
  return has_side && is_ranked(metric.name) ? best : nullptr;
}

// Returns the steps of one metric over all suites.
std::string metric_steps(const std::string& metric, const SiteSuites& suites, const SiteReports& reports) {
  std::vector<SiteStepRow> rows;
  for (const auto& [name, suite] : suites)
    for (const SiteStep& step : suite.steps)
      if (site_metrics()[step.metric].name == metric)
        rows.push_back(site_step_row(step, suite, reports, suite_link(name)));
  std::ranges::stable_sort(rows, std::ranges::greater{}, &SiteStepRow::since_utc);
  return steps_section(rows, true);
}

// The tables of the newest runs: cases with given poses, and those whose method finds its poses itself.
std::string newest_tables(const SiteTableParts& parts, const std::vector<SiteTableCase>& cases,
                          const SiteSuites& suites, const SiteReports& reports) {
  std::vector<SiteTableCase> given, own;
  for (const SiteTableCase& at : cases) (has_own_poses(at.one->name) ? own : given).push_back(at);
  const auto blocks_of = [&](const std::vector<SiteTableCase>& some) {
    return site_cases(
        some, parts, [&](const SiteRun& run) -> const SiteSuite& { return suites.at(run.suite); }, reports);
  };
  const std::string title = "In the newest run of every suite";
  return html_of(Section{"newest", title, "", blocks_of(given)}) +
         html_of(Section{"newest_own", title + ", of methods with poses of their own", "", blocks_of(own)});
}

// The methods of the newest run of every suite against its scenes.
std::string leaderboards(std::size_t metric, const SiteSuites& suites, const SiteReports& reports) {
  std::string text;
  for (const auto& [name, suite] : suites)
    text +=
        html_of(Section{"board-" + site_file_name(name),
                        shown_suite(name),
                        "Means over seeds. Bold: the best of a scene, and those that a paired test over the "
                        "seeds cannot tell from it.",
                        {Picture{leaderboard(suite.runs, metric, reports, suite.steps)}}});
  return text;
}

}  // namespace

std::string leaderboard(std::span<const SiteRun* const> runs, std::size_t metric, const SiteReports& reports,
                        std::span<const SiteStep> steps) {
  const SiteRun& run = *runs.back();
  const SiteMetric& known = site_metrics()[metric];
  std::set<std::string> scenes;
  const std::vector<BoardRow> rows = rows_of(run, metric, scenes);
  if (scenes.empty()) return "";
  Table table = table_with({"method"});
  std::vector<std::string> names;
  for (const BoardRow& row : rows) names.push_back(row.method);
  const ShortNames shorter = shorten_names(names);
  std::map<std::string, const BySeed*> best;
  for (const std::string& scene : scenes) {
    table.columns.push_back({scene, Align::right});
    best[scene] = best_of(rows, scene, known);
  }
  table.columns.insert(table.columns.end(), {{"missing", Align::right}, {"since when"}});
  table.label = known.title + " of methods and scenes";
  for (const BoardRow& row : rows) {
    if (!has_room(table)) continue;
    std::vector<TableCell> cells = {{shorter.of.at(row.method)}};
    std::set<std::string> cases;
    for (const std::string& scene : scenes) {
      const auto found = row.scenes.find(scene);
      TableCell& cell = cells.emplace_back(TableCell{"n/a"});
      if (found != row.scenes.end()) {
        const BySeed& values = found->second;
        for (const auto& [seed, value] : values) cases.insert(value.second);
        cell.html =
            case_link(run, values.begin()->second.second, reports, table_number_or_na(mean_of(values)));
        const bool own = has_own_poses(row.method);
        if (!own && best.at(scene) != nullptr && !differ(values, *best.at(scene))) cell.place = 1;
      }
    }
    cells.push_back({fmt::format("{}", scenes.size() - row.scenes.size())});
    cells.push_back(since_cell(runs, steps, [&](const SiteStep& step) {
      return step.metric == metric && cases.contains(step.case_name);
    }));
    table.rows.push_back(std::move(cells));
    table.subjects.push_back({row.method});
  }
  return html_of(common_words(shorter.common)) + html_of(table);
}

std::vector<SiteFile> subject_pages(const SiteSuites& suites, const SiteReports& reports) {
  std::vector<const SiteRun*> newest;
  for (const auto& [name, suite] : suites) newest.push_back(suite.runs.back());
  const std::vector<std::size_t> metrics = filled_metrics(newest);
  std::map<std::pair<std::string, std::string>, std::vector<SiteTableCase>> subjects;  // kind and name
  for (const SiteRun* const run : newest)
    for (const SiteCase& one : run->cases) {
      for (const std::size_t i : metrics) subjects[{"metric", site_metrics()[i].name}].push_back({run, &one});
      if (!one.scene.empty()) subjects[{"scene", one.scene}].push_back({run, &one});
      subjects[{"method", one.method}].push_back({run, &one});
    }
  std::vector<SiteFile> pages;
  for (const auto& [subject, cases] : subjects) {
    const auto& [kind, name] = subject;
    std::string lead, title = kind + " " + name;
    std::vector<std::size_t> columns = metrics;
    if (kind == "metric") {
      const auto metric = std::ranges::find(site_metrics(), name, &SiteMetric::name);
      columns = {static_cast<std::size_t>(metric - site_metrics().begin())};
      title = metric->title;
      lead = fmt::format("<p>{}: {}</p>\n", xml_escape(name), xml_escape(metric->definition)) +
             leaderboards(columns.front(), suites, reports) + metric_steps(name, suites, reports);
    }
    pages.emplace_back(
        fmt::format("{}/{}.html", kind, site_file_name(name)),
        site_page(title, 1, lead + newest_tables({name, columns, true}, cases, suites, reports), ""));
  }
  return pages;
}

}  // namespace aqbench
