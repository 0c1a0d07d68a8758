#include "reports/html/rivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/text.h"
#include "reports/content/case_groups.h"
#include "reports/content/commands.h"
#include "reports/content/verdict_text.h"
#include "reports/html/page.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxRivals = 40;

// The stages that a cause of holes points to (metrics/diagnosis.h).
struct HoleStage {
  const char *metric, *stage, *text;
};
constexpr HoleStage kHoleStages[] = {
    {"holes_no_depth_pct", "depth_estimation", "no camera has a depth there"},
    {"holes_wrong_depth_pct", "depth_estimation or depth_refinement", "no depth there is right"},
    {"holes_filtered_pct", "filtering", "it dropped the right depths"},
    {"holes_fused_pct", "fusion", "it lost or moved the right depths"},
    {"holes_not_visible_pct", "no stage", "fewer than two cameras see it"}};

// Two records of one scene; `best` has the smaller mean error, or covers more of the surface.
struct Rivals {
  const Record *worse, *best;
};

std::optional<double> value_of(const Record& record, const std::string& metric) {
  const Metric* const found = find_metric(record.metrics, metric);
  return found == nullptr ? std::nullopt : found->value;
}

std::optional<ParameterValue> seed_of(const Record& record) {
  const ParameterValue* const found = find_value(record.axes, "seed");
  return found == nullptr ? std::nullopt : std::optional(*found);
}

const Record* of_same_seed(const CaseGroup& group, const Record& other) {
  for (const Record* const record : group.records)
    if (record->status == Status::ok && seed_of(*record) == seed_of(other)) return record;
  return nullptr;
}

// Adds the first records of both groups that have the same seed.
void add_rivals(const CaseGroup& worse, const CaseGroup& best, std::vector<Rivals>& found) {
  for (const Record* const record : worse.records)
    if (const Record* const other = of_same_seed(best, *record);
        other != nullptr && record->status == Status::ok) {
      found.push_back({record, other});
      return;
    }
}

// Returns the group that covers most of the surface; nullptr where none covers more than the first one.
const CaseGroup* most_complete(const std::vector<std::pair<double, CaseGroup>>& groups) {
  const auto covered = [](const CaseGroup& group) {
    const auto spread = metric_spread(group, "completeness_2mm_pct");
    return spread ? spread->mean : -1.0;
  };
  const auto most =
      std::ranges::max_element(groups, {}, [&](const auto& one) { return covered(one.second); });
  return covered(most->second) > covered(groups[0].second) ? &most->second : nullptr;
}

std::vector<Rivals> rivals_of(const Results& results) {
  std::map<std::string, std::vector<std::pair<double, CaseGroup>>> scenes;
  for (CaseGroup& group : group_cases(results))
    if (const auto spread = metric_spread(group, "accuracy_mean_mm"); spread && !group.scene.empty())
      scenes[ranking_of(*group.records.front())].emplace_back(spread->mean, std::move(group));
  std::vector<Rivals> found;
  for (auto& [scene, groups] : scenes) {
    std::ranges::stable_sort(groups, {}, [](const auto& one) { return one.first; });
    for (std::size_t i = 1; i < groups.size(); ++i) add_rivals(groups[i].second, groups[0].second, found);
    if (const CaseGroup* const whole = most_complete(groups)) add_rivals(groups[0].second, *whole, found);
  }
  return found;
}

// Returns "0.451 against 0.379", with more digits where these are the same for numbers that differ.
std::string two_numbers(double worse, double best) {
  const std::string a = table_number(worse), b = table_number(best);
  if (a == b && worse != best) return fmt::format("{:.6g} against {:.6g}", worse, best);
  return fmt::format("{} against {}", a, b);
}

std::string against(const Rivals& pair, const std::string& metric, const char* unit) {
  const auto worse = value_of(*pair.worse, metric), best = value_of(*pair.best, metric);
  if (!worse || !best) return "n/a";
  return fmt::format("{}\u00a0{}", two_numbers(*worse, *best), unit);
}

std::string tile_text(const ReportTile& tile) {
  return fmt::format("x {:.10g}, y {:.10g} mm", (tile.x_min_mm + tile.x_max_mm) / 2,
                     (tile.y_min_mm + tile.y_max_mm) / 2);
}

// The tiles where errors grow most and where most of the surface is lost.
std::string places_text(const Rivals& pair, const ReportPictures& pictures) {
  const auto tiles_of = [&](const Record& record) {
    const auto found = pictures.tiles.find(record.case_name);
    return found == pictures.tiles.end() ? std::span<const ReportTile>{} : found->second;
  };
  const std::map<TilePlace, ReportTile> best = tiles_by_place(tiles_of(*pair.best));
  struct Worst {
    double loss = 0;
    ReportTile here, there;
  } error, surface;
  const auto take = [](Worst& worst, double loss, const ReportTile& here, const ReportTile& there) {
    if (loss > worst.loss) worst = {loss, here, there};  // false for NaN
  };
  for (const ReportTile& here : tiles_of(*pair.worse)) {
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

// The stage that lost the most of the surface beyond what the other lost in it.
std::string stage_text(const Rivals& pair) {
  const HoleStage* worst = nullptr;
  double most = 0;
  bool known = false;
  for (const HoleStage& one : kHoleStages) {
    const auto worse = value_of(*pair.worse, one.metric), best = value_of(*pair.best, one.metric);
    if (!worse) continue;
    known = true;
    if (*worse - best.value_or(0) > most) {
      most = *worse - best.value_or(0);
      worst = &one;
    }
  }
  if (!known) return "not known: it gives no depth maps";
  if (worst == nullptr) return "none lost more";
  const double lost = *value_of(*pair.worse, worst->metric);
  const auto best = value_of(*pair.best, worst->metric);
  return fmt::format("{}: {}, {} % of the surface", worst->stage, worst->text,
                     best ? two_numbers(lost, *best) : table_number(lost) + " against n/a");
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

std::string cell(const char* label, const std::string& text) {
  return fmt::format("<td data-label=\"{}\">{}</td>", label, xml_escape(text));
}

std::string lead(const BundleContent& content) {
  std::string text =
      "Each against the most accurate of its scene, and that one against the most complete. A case opens its "
      "values and the command that runs it "
      "again and compares bit for bit (<code class=\"whole\">aqbench replay . --case NAME</code>, in the "
      "folder of this bundle). Since when: <code class=\"whole\">aqbench trend ..</code> names the run and "
      "the commit where a value changed, over all bundles beside this one, and <code "
      "class=\"whole\">aqbench site .. --out SITE</code> draws it";
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
  const std::vector<Rivals> all = rivals_of(results);
  for (std::size_t i = 0; i < std::min(all.size(), kMaxRivals); ++i) {
    names.push_back(all[i].worse->case_name);
    names.push_back(all[i].best->case_name);
  }
  return names;
}

std::string rivals_section(const BundleContent& content, const ReportPictures& pictures) {
  const std::vector<Rivals> all = rivals_of(content.results);
  if (all.empty()) return "";
  const CaseLabels labels = label_cases(group_cases(content.results));
  std::vector<std::string> titles = {
      "case", "worse than", "mean error", "completeness at 2 mm", "worst places", "stage that lost most"};
  if (content.baseline) titles.emplace_back("since the baseline");
  std::string text = table_open("methods against each other", titles, "cards");
  for (std::size_t i = 0; i < std::min(all.size(), kMaxRivals); ++i) {
    const Rivals& pair = all[i];
    text +=
        fmt::format("<tr data-case=\"{}\" data-against=\"{}\"><td>{}</td>", xml_escape(pair.worse->case_name),
                    xml_escape(pair.best->case_name), xml_escape(labels.of.at(pair.worse->case_name)));
    text += cell("worse than", labels.of.at(pair.best->case_name));
    text += cell("mean error", against(pair, "accuracy_mean_mm", "mm"));
    text += cell("completeness at 2 mm", against(pair, "completeness_2mm_pct", "%"));
    text += cell("worst places", places_text(pair, pictures));
    text += cell("stage that lost most", stage_text(pair));
    if (content.baseline) text += cell("since the baseline", since_text(pair, content));
    text += "</tr>\n";
  }
  text += kTableEnd;
  if (all.size() > kMaxRivals)
    text += fmt::format("<p class=\"dim\">and {} more</p>\n", all.size() - kMaxRivals);
  return page_section("rivals", "Where one is worse than another", text, lead(content));
}

}  // namespace aqbench
