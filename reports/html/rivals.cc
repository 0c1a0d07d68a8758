#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/quantiles.h"
#include "core/text.h"
#include "harness/statistics/summary.h"
#include "reports/content/verdict_text.h"
#include "reports/html/sections.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxRivals = 40;

// The stages that a cause of holes points to (metrics/diagnosis.h).
struct HoleStage {
  const char *metric, *text;
};
constexpr HoleStage kHoleStages[] = {
    {"holes_no_depth_pct", "depth_estimation gave no depth over"},
    {"holes_wrong_depth_pct", "depth_estimation or depth_refinement gave wrong depths over"},
    {"holes_filtered_pct", "filtering dropped correct depths over"},
    {"holes_fused_pct", "fusion dropped correct depths over"},
    {"holes_not_visible_pct", "fewer than two cameras see"}};

// Two records of one scene; `best` has the smaller mean error, or covers more of the surface.
struct Rivals {
  const Record *worse, *best;
};

// Those that differ by more than noise, and how many do not.
struct RivalList {
  std::vector<Rivals> pairs;
  std::size_t alike = 0;
};

// The records of a group that are ok, by their seeds; of several of one seed the first.
using RecordsBySeed = std::unordered_map<std::string, const Record*>;

RecordsBySeed by_seed(const CaseGroup& group) {
  RecordsBySeed records;
  for (const Record* const record : group.records)
    if (record->status == Status::ok) records.emplace(seed_axis(*record), record);
  return records;
}

const Record* of_same_seed(const RecordsBySeed& records, const Record& other) {
  const auto found = records.find(seed_axis(other));
  return found == records.end() ? nullptr : found->second;
}

// Whether the records of two groups with the same seeds differ in a metric by more than noise: by two
// standard errors of the difference, or where there is one seed by `least` of the mean.
bool differs(const CaseGroup& a, const RecordsBySeed& b, const std::string& metric, double least) {
  std::vector<double> changes;
  double size = 0;
  for (const Record* const record : a.records) {
    const Record* const other = of_same_seed(b, *record);
    if (other == nullptr || record->status != Status::ok) continue;
    const auto value = value_of(record->metrics, metric), against = value_of(other->metrics, metric);
    if (!value || !against) continue;
    changes.push_back(*value - *against);
    size = std::max({size, std::abs(*value), std::abs(*against)});
  }
  const SampleSummary change = summarize(changes);
  if (!change.mean) return false;
  if (!change.sd) return std::abs(*change.mean) >= least * size;
  return std::abs(*change.mean) > 2 * *change.sd / std::sqrt(static_cast<double>(changes.size()));
}

// Adds the first records of both groups that have the same seed.
void add_rivals(const CaseGroup& worse, const RecordsBySeed& best, const std::string& completeness,
                RivalList& found) {
  for (const Record* const record : worse.records)
    if (const Record* const other = of_same_seed(best, *record);
        other != nullptr && record->status == Status::ok) {
      if (differs(worse, best, "accuracy_mean_mm", 0.02) || differs(worse, best, completeness, 0.01))
        found.pairs.push_back({record, other});
      else
        ++found.alike;
      return;
    }
}

// Returns the group that covers most of the surface; nullptr where none covers more than the first one.
const CaseGroup* most_complete(const std::vector<std::pair<double, CaseGroup>>& groups,
                               const std::string& completeness) {
  const auto covered = [&](const CaseGroup& group) {
    const auto spread = metric_spread(group, completeness);
    return spread ? spread->mean : -1.0;
  };
  const auto most =
      std::ranges::max_element(groups, {}, [&](const auto& one) { return covered(one.second); });
  return covered(most->second) > covered(groups[0].second) ? &most->second : nullptr;
}

// The column of completeness at the tolerance that the tables show.
MetricColumn completeness_column(const Results& results) {
  const std::vector<MetricColumn> columns = metric_columns(results);
  const MetricColumn* const found = find_column(columns, "completeness_");
  return found == nullptr ? MetricColumn{} : *found;
}

RivalList rivals_of(const Results& results) {
  const std::string completeness = completeness_column(results).metric;
  std::map<std::string, std::vector<std::pair<double, CaseGroup>>> scenes;
  for (CaseGroup& group : group_cases(results))
    if (const auto spread = metric_spread(group, "accuracy_mean_mm"); spread && !group.scene.empty())
      scenes[ranking_of(*group.records.front())].emplace_back(spread->mean, std::move(group));
  RivalList found;
  for (auto& [scene, groups] : scenes) {
    std::ranges::stable_sort(groups, {}, [](const auto& one) { return one.first; });
    const RecordsBySeed best = by_seed(groups[0].second);
    for (std::size_t i = 1; i < groups.size(); ++i) add_rivals(groups[i].second, best, completeness, found);
    if (const CaseGroup* const whole = most_complete(groups, completeness))
      add_rivals(groups[0].second, by_seed(*whole), completeness, found);
  }
  return found;
}

std::string tile_text(const ReportTile& tile) {
  return fmt::format("x {:.10g}, y {:.10g} mm", (tile.x_min_mm + tile.x_max_mm) / 2,
                     (tile.y_min_mm + tile.y_max_mm) / 2);
}

// The tiles where errors grow most and where most of the surface is lost.
std::string places_text(const Rivals& pair, const ReportPictures& pictures) {
  const std::map<TilePlace, ReportTile> best = tiles_by_place(tiles_in(pictures, pair.best->case_name));
  struct Worst {
    double loss = 0;
    ReportTile here, there;
  } error, surface;
  const auto take = [](Worst& worst, double loss, const ReportTile& here, const ReportTile& there) {
    if (loss > worst.loss) worst = {loss, here, there};  // false for NaN
  };
  for (const ReportTile& here : tiles_in(pictures, pair.worse->case_name)) {
    const auto there = best.find(place_of(here));
    if (there == best.end()) continue;
    take(error, std::abs(here.signed_mean_mm) - std::abs(there->second.signed_mean_mm), here, there->second);
    take(surface, there->second.completeness_pct - here.completeness_pct, here, there->second);
  }
  std::string text;
  if (error.loss > 0)
    text = fmt::format("error at {}: {} against {} mm", tile_text(error.here),
                       table_number(error.here.signed_mean_mm), table_number(error.there.signed_mean_mm));
  if (surface.loss > 0)
    text += fmt::format("{}surface at {}: {} against {} % covered", text.empty() ? "" : "; ",
                        tile_text(surface.here), table_number(surface.here.completeness_pct),
                        table_number(surface.there.completeness_pct));
  return text.empty() ? "nowhere by tiles" : text;
}

// What all cameras of a case are off by, to one side: -2 mm is too deep.
struct CommonBias {
  double typical_mm = 0;  // the median
  std::size_t cameras = 0;
};

std::optional<CommonBias> common_bias(const Record& record, const ReportPictures& pictures) {
  const auto found = pictures.biases_mm.find(record.case_name);
  if (found == pictures.biases_mm.end() || found->second.size() < 2) return std::nullopt;
  std::vector<double> biases_mm = found->second;
  std::ranges::sort(biases_mm);
  if (biases_mm.front() <= 0 && biases_mm.back() >= 0) return std::nullopt;
  return CommonBias{median_of(biases_mm), biases_mm.size()};
}

// A bias of all cameras that explains at least half of the larger error. Filtering and fusion then lose
// surface that the depths had already missed: naming them would blame the wrong one. "" where there is none.
std::string bias_text(const Rivals& pair, const ReportPictures& pictures) {
  const auto here = common_bias(*pair.worse, pictures);
  const auto there = pictures.biases_mm.find(pair.best->case_name);
  const auto error = value_of(pair.worse->metrics, kAccuracyMetric),
             best_error = value_of(pair.best->metrics, kAccuracyMetric);
  if (!here || !error || !best_error) return "";
  std::optional<double> best_mm;
  if (there != pictures.biases_mm.end() && !there->second.empty())
    best_mm = std::abs(median_of(there->second));
  const double grown_mm = std::abs(here->typical_mm) - best_mm.value_or(0);
  if (grown_mm < std::max((*error - *best_error) / 2, 0.02 * *error)) return "";
  return fmt::format("a common bias: all {} cameras are {} mm too {} (best: {}), as with a wrong calibration",
                     here->cameras, table_number(std::abs(here->typical_mm)),
                     here->typical_mm < 0 ? "deep" : "near", table_number_or_na(best_mm));
}

// The stage that lost the most of the surface beyond what the other lost in it.
std::string stage_text(const Rivals& pair) {
  const HoleStage* worst = nullptr;
  double most = 0;
  bool known = false;
  for (const HoleStage& one : kHoleStages) {
    const auto worse = value_of(pair.worse->metrics, one.metric),
               best = value_of(pair.best->metrics, one.metric);
    if (!worse) continue;
    known = true;
    if (*worse - best.value_or(0) > most) {
      most = *worse - best.value_or(0);
      worst = &one;
    }
  }
  if (!known) return "unknown (no depth maps)";
  if (worst == nullptr) return "no stage lost more";
  const double lost = *value_of(pair.worse->metrics, worst->metric);
  const auto best = value_of(pair.best->metrics, worst->metric);
  const auto [shown, of_best] = number_pair(lost, best.value_or(lost));
  return fmt::format("{} {} % of the surface (best: {})", worst->text, shown, best ? of_best + " %" : "n/a");
}

// What the baseline says of the case: worst row first.
std::string since_text(const Rivals& pair, const BundleContent& content) {
  for (const VerdictRow& row : content.gated->rows) {
    if (row.case_name != pair.worse->case_name || row.metric.empty()) continue;
    constexpr double kSeen = 0.005;  // of what is allowed: less is rounding
    if (!row.current || !row.baseline || std::abs(row.excess) < kSeen) continue;
    return verdict_row_text(row);
  }
  return "as it was accepted";
}

// This, best and their ratio.
void add_values(const Rivals& pair, const std::string& metric, bool with_ratio,
                std::vector<PageCell>& cells) {
  const auto worse = value_of(pair.worse->metrics, metric), best = value_of(pair.best->metrics, metric);
  cells.push_back({table_number_or_na(worse), "num"});
  cells.push_back({table_number_or_na(best), "num"});
  if (with_ratio)
    cells.push_back({worse && best && *best > 0 ? table_number(*worse / *best) + " x" : "n/a", "num"});
}

std::string lead(const BundleContent& content) {
  std::string text =
      "Each against the most accurate of its scene, and that one against the most complete. The map shows "
      "how much larger its distance to the true surface is: red where this case is worse. A case opens its "
      "values and the command that runs it again and compares bit for bit (<code class=\"whole\">aqbench "
      "replay . --case NAME</code>, in the folder of this bundle). Since when: <code class=\"whole\">aqbench "
      "trend ..</code> names the run and the commit where a value changed, over all bundles beside this one, "
      "and <code class=\"whole\">aqbench site .. --out SITE</code> draws it";
  if (content.baseline)
    text += fmt::format("; this page knows the accepted values alone, those of {}{}",
                        xml_escape(content.baseline->accepted_bundle),
                        content.baseline->accepted_commit.empty()
                            ? std::string()
                            : ", commit " + xml_escape(content.baseline->accepted_commit.substr(0, 12)));
  return text + ".";
}

}  // namespace

std::vector<std::string> rival_cases(const Results& results) {
  std::vector<std::string> names;
  const std::vector<Rivals> all = rivals_of(results).pairs;
  for (std::size_t i = 0; i < std::min(all.size(), kMaxRivals); ++i) {
    names.push_back(all[i].worse->case_name);
    names.push_back(all[i].best->case_name);
  }
  return names;
}

std::string rivals_section(const BundleContent& content, const ReportPictures& pictures) {
  const auto [all, alike] = rivals_of(content.results);
  const std::string rest =
      alike == 0 ? ""
                 : fmt::format(
                       "<p class=\"dim\">{} by no more than noise: two standard errors over the seeds, or "
                       "with one seed 2 % of the mean error and 1 % of the completeness.</p>\n",
                       alike == 1 ? "1 pair differs" : fmt::format("{} pairs differ", alike));
  if (all.empty()) return alike == 0 ? "" : page_section("rivals", "Compared with the best", rest);
  const CaseNames names = name_cases(content.results);
  const MetricColumn completeness = completeness_column(content.results);
  std::vector<std::string> titles = name_titles(names);
  for (const char* title : {"worse than", "mean error [mm]", "best", "ratio"}) titles.emplace_back(title);
  titles.insert(titles.end(), {completeness.title, "best", "likely cause", "map", "worst place"});
  if (content.baseline) titles.emplace_back("since the baseline");
  PageTable table(std::move(titles));
  for (std::size_t i = 0; i < std::min(all.size(), kMaxRivals); ++i) {
    const Rivals& pair = all[i];
    std::vector<PageCell> cells = name_page_cells(names, pair.worse->case_name);
    cells.push_back({xml_escape(names.of.at(pair.best->case_name).label()), "", " data-turn"});
    add_values(pair, "accuracy_mean_mm", true, cells);
    add_values(pair, completeness.metric, false, cells);
    const std::string bias = bias_text(pair, pictures);
    cells.push_back({xml_escape(bias.empty() ? stage_text(pair) : bias)});
    cells.push_back(
        {difference_map(tiles_in(pictures, pair.best->case_name), tiles_in(pictures, pair.worse->case_name)),
         "map"});
    cells.push_back({xml_escape(places_text(pair, pictures))});
    if (content.baseline) cells.push_back({xml_escape(since_text(pair, content))});
    table.add(cells, fmt::format(" data-case=\"{}\" data-against=\"{}\"", xml_escape(pair.worse->case_name),
                                 xml_escape(pair.best->case_name)));
  }
  std::string text = common_html(names.common) + table.html("methods against each other", "cards");
  if (all.size() > kMaxRivals)
    text += fmt::format("<p class=\"dim\">and {} more</p>\n", all.size() - kMaxRivals);
  return page_section("rivals", "Compared with the best", text + rest, lead(content));
}

}  // namespace aqbench
