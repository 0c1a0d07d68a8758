#include "metrics/value_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "metrics/registry.h"

namespace aqbench {

std::optional<double> worse_by(std::string_view metric, Better better, double before, double after) {
  if (std::isnan(before) || std::isnan(after)) return std::nullopt;
  if (before == after) return 0;
  if (better != Better::equal) return better == Better::lower ? after - before : before - after;
  const auto ideal = metric_ideal(metric);
  if (!ideal) return std::nullopt;
  return std::abs(after - *ideal) - std::abs(before - *ideal);
}

int worsening(std::string_view metric, Better better, double before, double after) {
  const double worse = worse_by(metric, better, before, after).value_or(0);
  return worse > 0 ? 1 : worse < 0 ? -1 : 0;
}

const char* change_word(int worsening) {
  return worsening > 0 ? "worse" : worsening < 0 ? "better" : "other";
}

std::string points_text(std::string number) {
  const bool one = number == "1" || number == "+1" || number == "-1";
  return std::move(number) + (one ? " point" : " points");
}

std::string change_text(std::string_view unit, Better better, double before, double after) {
  if (unit == "%") return points_text(fmt::format("{:+.3g}", after - before));
  if (better == Better::equal || before == 0) return fmt::format("{:+.3g}", after - before);
  const double share = (after - before) / std::abs(before), factor = after / before;
  if (share < 1 || before < 0) return fmt::format("{:+.3g} %", 100 * share);
  return factor < 99.5 ? fmt::format("{:.2g} x", factor) : fmt::format("{:.0f} x", factor);
}

bool is_ranked(std::string_view metric) {
  const auto known = std::ranges::find(metric_registry(), metric, &MetricSpec::name);
  if (known == metric_registry().end()) return true;
  const bool is_agreement =
      known->family == ScoreFamily::photometric || known->family == ScoreFamily::reprojection;
  return !is_agreement && !(known->family == ScoreFamily::board && known->ideal);  // a scale
}

std::string metric_words(const std::string& metric) {
  std::string at_2mm = metric, tolerance = "2";
  if (const std::size_t unit = metric.find("mm_pct"), number = metric.rfind('_', unit);
      unit != std::string::npos && number != std::string::npos) {
    tolerance = metric.substr(number + 1, unit - number - 1);
    at_2mm.replace(number + 1, tolerance.size(), "2");
  }
  const auto found = std::ranges::find(headline_metrics(), at_2mm, &HeadlineMetric::name);
  if (found == headline_metrics().end()) return metric;
  const std::string title = found->title;
  std::string words = title.substr(0, title.find(" ["));
  if (const std::size_t at = words.find("2 mm"); at != std::string::npos) words.replace(at, 1, tolerance);
  return words;
}

}  // namespace aqbench
