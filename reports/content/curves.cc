#include "reports/content/curves.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/text.h"
#include "harness/records/record.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

constexpr const char *kCompleteness = "completeness_2mm_pct", *kBias = "bias_mean_mm";
constexpr double kCurveConfidence = 0.95;
constexpr std::size_t kFewestPoints = 3;

// What a seed gives along the axis.
using SeedCurve = std::vector<std::pair<double, double>>;  // place, completeness

// Where a seed falls: the place, and the points around it.
struct Fall {
  double at = 0, above = 0, below = 0;
};

std::optional<Fall> fall_of(const SeedCurve& curve) {
  const auto highest = std::ranges::max_element(curve, {}, &std::pair<double, double>::second);
  const double half = highest->second / 2;
  for (auto next = highest; half > 0 && ++next != curve.end();) {
    if (next->second >= half) continue;
    const auto& [above, value] = *(next - 1);
    return Fall{above + (value - half) / (value - next->second) * (next->first - above), above, next->first};
  }
  return std::nullopt;
}

void take_falls(const std::map<std::string, SeedCurve>& seeds, std::size_t points, FailureCurve& curve) {
  std::vector<double> places;
  ShiftInterval around{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0};
  for (const auto& [seed, of_seed] : seeds) {
    const auto fall = of_seed.size() == points ? fall_of(of_seed) : std::nullopt;
    if (!fall) return;
    places.push_back(fall->at);
    around.lower = std::min(around.lower, fall->above);
    around.upper = std::max(around.upper, fall->below);
  }
  const HodgesLehmann all = hodges_lehmann(places, kCurveConfidence);
  curve.halves_at = all.estimate;
  curve.interval = all.interval ? *all.interval : around;
}

FailureCurve curve_of(const std::map<double, const CaseGroup*>& groups) {
  FailureCurve curve;
  std::map<std::string, SeedCurve> seeds;
  for (const auto& [at, group] : groups) {
    std::vector<double> shares, biases;
    for (const Record* const record : group->records) {
      if (record->status == Status::skipped) continue;
      shares.push_back(value_of(record->metrics, kCompleteness).value_or(0));
      seeds[seed_axis(*record)].emplace_back(at, shares.back());
      if (const auto bias = value_of(record->metrics, kBias)) biases.push_back(*bias);
    }
    curve.points.push_back({at, summarize(shares).mean, summarize(biases).mean});
  }
  take_falls(seeds, groups.size(), curve);
  return curve;
}

// A curve in a cell: a block for each point, as high as its completeness at 2 mm.
std::string blocks_of(const FailureCurve& curve) {
  constexpr const char* kBlocks[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (const FailureCurve::Point& point : curve.points)
    text += point.completeness_pct ? kBlocks[std::lround(*point.completeness_pct / 100 * 8)] : " ";
  return text;
}

std::string numbers_text(const FailureCurve& curve, std::optional<double> FailureCurve::Point::*value,
                         int decimals) {
  std::vector<std::string> words;
  for (const FailureCurve::Point& point : curve.points)
    words.push_back(point.*value ? fmt::format("{:.{}f}", *(point.*value), decimals) : "n/a");
  return fmt::format("{}", fmt::join(words, " "));
}

Table table_of(const std::vector<FailureCurve>& curves) {
  Table table = table_with(
      {"scene", "method", "axis", "curve", ">completeness\n%", ">half at", ">interval", ">bias\nmm"});
  for (const FailureCurve& curve : curves) {
    const std::string ends = fmt::format("{:g} to {:g}", curve.points.front().at, curve.points.back().at);
    table.rows.push_back(plain_row(
        {curve.scene, curve.label, curve.axis + " " + ends, blocks_of(curve),
         numbers_text(curve, &FailureCurve::Point::completeness_pct, 0),
         curve.halves_at ? fmt::format("{:.3g}", *curve.halves_at) : "n/a",
         curve.interval ? fmt::format("{:.3g} .. {:.3g}", curve.interval->lower, curve.interval->upper)
                        : "n/a",
         numbers_text(curve, &FailureCurve::Point::bias_mm, 2)}));
  }
  return table;
}

}  // namespace

std::vector<FailureCurve> failure_curves(const Results& results) {
  std::vector<CaseGroup> groups = method_groups(results);
  take_common_axes(groups);
  // By scene, method, the other axes and the name of the axis; in the order in which they come.
  using Key = std::tuple<std::string, std::string, std::string>;
  std::vector<Key> order;
  std::map<Key, std::map<double, const CaseGroup*>> found;
  for (const CaseGroup& group : groups) {
    const auto words = split_at(group.axes, ' ');
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t equals = std::min(words[i].find('='), words[i].size());
      const std::string_view name = words[i].substr(0, equals);
      const auto at = parse_double(words[i].substr(std::min(equals + 1, words[i].size())));
      if (!at || !std::isfinite(*at) || name == "frame" || name.ends_with(".frame")) continue;
      std::string label = group.method;
      for (std::size_t other = 0; other < words.size(); ++other)
        if (other != i) label += " " + std::string(words[other]);
      const Key key{group.scene, label, std::string(name)};
      if (!found.contains(key)) order.push_back(key);
      found[key].emplace(*at, &group);
    }
  }
  std::vector<FailureCurve> curves;
  for (const Key& key : order) {
    if (found.at(key).size() < kFewestPoints) continue;
    curves.push_back(curve_of(found.at(key)));
    std::tie(curves.back().scene, curves.back().label, curves.back().axis) = key;
  }
  return curves;
}

Section curves_section(const Results& results) {
  Section section{
      "limits", "Where completeness halves",
      "From the first to the last value of an axis, one block a value; a case without a value "
      "counts as 0. Half at: where it falls below half of its largest value, linear between two "
      "values. Interval: of 95 % over six seeds and more, else the two values around it. Bias: the "
      "mean signed error at each value."};
  const std::vector<FailureCurve> curves = failure_curves(results);
  if (std::ranges::none_of(curves, [](const FailureCurve& curve) { return curve.halves_at.has_value(); }))
    return section;
  section.blocks.emplace_back(table_of(curves));
  return section;
}

}  // namespace aqbench
