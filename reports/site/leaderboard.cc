#include "reports/site/leaderboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "core/text.h"
#include "harness/records/case_name.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/summary.h"
#include "metrics/registry.h"
#include "metrics/value_change.h"
#include "reports/content/case_names.h"
#include "reports/html/page.h"

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
  const bool ranked = metric.better != Better::equal || metric_ideal(metric.name).has_value();
  return ranked ? best : nullptr;
}

}  // namespace

std::string leaderboard(std::span<const SiteRun* const> runs, std::size_t metric, const SiteReports& reports,
                        std::span<const SiteStep> steps) {
  const SiteRun& run = *runs.back();
  const SiteMetric& known = site_metrics()[metric];
  std::set<std::string> scenes;
  const std::vector<BoardRow> rows = rows_of(run, metric, scenes);
  if (scenes.empty()) return "";
  std::vector<std::string> names, titles = {"method"};
  for (const BoardRow& row : rows) names.push_back(row.method);
  const ShortNames shorter = shorten_names(names);
  std::map<std::string, const BySeed*> best;
  for (const std::string& scene : scenes) {
    titles.push_back(scene);
    best[scene] = best_of(rows, scene, known);
  }
  titles.insert(titles.end(), {"missing", "since when"});
  std::string text = common_html(shorter.common) + table_open(known.title + " of methods and scenes", titles);
  for (const BoardRow& row : rows) {
    std::vector<PageCell> cells = {{xml_escape(shorter.of.at(row.method))}};
    std::set<std::string> cases;
    for (const std::string& scene : scenes) {
      const auto found = row.scenes.find(scene);
      std::string cell = "n/a";
      if (found != row.scenes.end()) {
        const BySeed& values = found->second;
        for (const auto& [seed, value] : values) cases.insert(value.second);
        cell = case_link(run, values.begin()->second.second, reports, value_text(mean_of(values)));
        const bool own = has_own_poses(row.method);
        if (!own && best.at(scene) != nullptr && !differ(values, *best.at(scene)))
          cell = "<strong>" + cell + "</strong>";
      }
      cells.push_back({cell});
    }
    cells.push_back({fmt::format("{}", scenes.size() - row.scenes.size())});
    cells.push_back(since_cell(runs, steps, [&](const SiteStep& step) {
      return step.metric == metric && cases.contains(step.case_name);
    }));
    text += table_row(titles, cells, case_attributes(row.method, false));
  }
  return text + kTableEnd;
}

}  // namespace aqbench
