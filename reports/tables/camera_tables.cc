#include "reports/tables/camera_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/quantiles.h"
#include "core/text.h"
#include "metrics/metric_range.h"
#include "reports/tables/case_table.h"

namespace aqbench {
namespace {

constexpr double kSlackPct = 1e-6;  // of sums of shares
constexpr double kRounding = 1e-9;  // of what was computed twice, relative

// Returns whether these are shares that aqbench prints: of a part without area no completeness is known.
bool is_seen_share(const SeenShare& share) {
  const auto surface = printed_number(share.surface_pct, Digits::six),
             complete = printed_number(share.completeness_pct, Digits::six);
  const auto is_share = [](double pct) { return pct >= 0 && pct <= 100; };
  return surface && is_share(*surface) &&
         (*surface == 0 ? share.completeness_pct.empty() : complete && is_share(*complete));
}

// From where to where lie the surface that `from` cameras and more see and what of it is found, percent.
struct SeenSums {
  ErrorRange surface, found;
};

SeenSums sums_of(const std::vector<SeenShare>& shares, std::size_t from, std::size_t to) {
  SeenSums sums;
  for (std::size_t i = from; i < std::min(to, shares.size()); ++i) {
    const ErrorRange surface = range_of_six_digits(parse_double(shares[i].surface_pct).value_or(0)),
                     complete = range_of_six_digits(parse_double(shares[i].completeness_pct).value_or(0));
    sums.surface.low += surface.low;
    sums.surface.high += surface.high;
    sums.found.low += surface.low * complete.low / 100;
    sums.found.high += surface.high * complete.high / 100;
  }
  return sums;
}

// Completeness is made of that of what two cameras see, and of the rest, of which nothing is known at some
// tolerances.
void check_seen_parts(const ErrorRange& seen_pct, RecordValues& values) {
  constexpr std::string_view kSeen = "completeness_seen2_";
  for (const auto& [name, metric] : values.record().metrics) {
    const std::string_view text = name;
    if (!text.starts_with(kSeen)) continue;
    if (metric.value.has_value() != (seen_pct.high > 0))
      values.report(fmt::format("has {} of what two cameras see, the record {}",
                                seen_pct.high > 0 ? "some" : "nothing", name.text()));
    const auto whole = values.value(fmt::format("completeness_{}", text.substr(kSeen.size())));
    if (!metric.value || !whole) continue;
    const double low = seen_pct.low * *metric.value / 100,
                 high = seen_pct.high * *metric.value / 100 + std::max(0.0, 100 - seen_pct.low);
    values.compare(fmt::format("completeness_{}", text.substr(kSeen.size())), {low, high}, kSlackPct);
  }
}

// What a camera's depths can be: values of one set of errors.
class CameraDepths {
 public:
  CameraDepths(std::span<const std::string_view> names, std::span<const std::string_view> fields) {
    for (std::size_t i = 1; i < names.size(); ++i)
      if (const auto value = printed_number(fields[i], Digits::shortest))
        values_.emplace_back(names[i], *value);
  }

  // Says which value cannot be; empty where all can.
  std::string problem() const {
    for (const auto& [name, value] : values_) {
      const MetricRange* const range = metric_range(name);
      if (range == nullptr) continue;
      if (value < range->min || value > range->max * (1 + kRounding)) return "has no " + std::string(name);
      for (const std::string_view other : range->at_least)
        if (const auto least = of(other); least && value < *least - slack(*least))
          return fmt::format("has {} below {}", name, other);
    }
    return errors_problem();
  }

 private:
  static double slack(double value) { return kRounding * (1 + std::abs(value)); }

  std::optional<double> of(std::string_view name) const {
    const auto found = std::ranges::find(values_, name, [](const auto& value) { return value.first; });
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  // Errors lie between the limits that so many of them are beyond.
  std::string errors_problem() const {
    const auto mean = of("depth_mae_mm"), rmse = of("depth_rmse_mm"), median = of("depth_median_ae_mm"),
               bad1 = of("depth_bad_1mm_pct"), bad2 = of("depth_bad_2mm_pct"), bad4 = of("depth_bad_4mm_pct");
    if (mean && rmse && median) {
      const double deviation = std::sqrt(std::max(0.0, *rmse * *rmse - *mean * *mean));
      if (std::abs(*median - *mean) > deviation + 1e-6 * (1 + *rmse))
        return "has a depth_median_ae_mm further from depth_mae_mm than depth_rmse_mm allows";
    }
    const std::pair<double, std::optional<double>> beyond[] = {{1, bad1}, {2, bad2}, {4, bad4}};
    for (const auto& [limit_mm, share] : beyond)
      if (median && share &&
          ((*share < 50 && *median > limit_mm + slack(limit_mm)) ||
           (*share > 50 && *median < limit_mm - slack(limit_mm))))
        return fmt::format("has a depth_median_ae_mm that depth_bad_{}mm_pct does not allow", limit_mm);
    if (!bad1 || !bad2 || !bad4) return {};
    const double first = (*bad1 - *bad2) / 100, second = (*bad2 - *bad4) / 100, last = *bad4 / 100,
                 none = 1 - *bad1 / 100;
    const auto cannot_be = [&](const std::optional<double>& value, double low, double high) {
      return value && (*value < low - slack(low) || (last == 0 && *value > high + slack(high)));
    };
    if (cannot_be(mean, first + 2 * second + 4 * last, none + 2 * first + 4 * second))
      return "has a depth_mae_mm that the shares of bad depths do not allow";
    if (cannot_be(rmse, std::sqrt(first + 4 * second + 16 * last), std::sqrt(none + 4 * first + 16 * second)))
      return "has a depth_rmse_mm that the shares of bad depths do not allow";
    return {};
  }

  std::vector<std::pair<std::string_view, double>> values_;
};

// What is written with a table is not left out beside it, if only without a value.
void require_metric(const char* name, RecordValues& values) {
  if (find_metric(values.record().metrics, name) == nullptr)
    values.report(fmt::format("is there, and the record has no {}", name));
}

// The name of a camera, which stands in one line and once.
bool is_new_camera(std::string_view name, std::set<std::string_view>& seen) {
  return !name.empty() && printable(name) == name && seen.insert(name).second;
}

// Rows of a diagnosis, one after the other.
class DiagnosisReader {
 public:
  DiagnosisReader(const CaseTable& table, RecordValues& values) : table_(table), values_(values) {}

  std::vector<SeenShare> run() {
    const bool whole = read_holes() && read_views() && read_cameras() && row_ == table_.rows();
    if (!whole) {
      values_.report(
          fmt::format("line {}: is no row of a diagnosis there", std::min(row_, table_.rows()) + 2));
      return {};
    }
    check_hidden();
    check_worst_camera();
    return std::move(views_);
  }

 private:
  // Returns the value of the next row, if it is this one; "" for an undefined value.
  std::optional<std::string> take(std::string_view quantity, std::string_view of, std::string_view unit) {
    if (row_ == table_.rows()) return std::nullopt;
    const auto fields = table_.fields_of(row_);
    if (fields[0] != quantity || fields[1] != of || fields[3] != unit) return std::nullopt;
    if (!fields[2].empty() && !printed_number(fields[2], Digits::six)) return std::nullopt;
    ++row_;
    return std::string(fields[2]);
  }

  std::string_view field(std::size_t column) const {
    return row_ < table_.rows() ? table_.fields_of(row_)[column] : std::string_view();
  }

  bool read_holes() {
    for (const char* const cause : {"not_visible", "no_depth", "wrong_depth", "filtered", "fused"}) {
      const auto share = take("holes", cause, "%");
      if (!share || share->empty()) return false;
      const ErrorRange range = range_of_six_digits(parse_double(*share).value_or(0));
      if (range.low < 0) return false;
      values_.compare(fmt::format("holes_{}_pct", cause), range, kRounding);
      if (hidden_.empty()) hidden_ = *share;
    }
    return true;
  }

  bool read_views() {
    while (field(0) == "area") {
      const std::string of = fmt::format("{} views", views_.size());
      const auto surface = take("area", of, "%"), complete = take("completeness", of, "%");
      if (!surface || !complete) return false;
      views_.push_back({*surface, *complete});
      if (!is_seen_share(views_.back())) return false;
    }
    return !views_.empty();
  }

  bool read_cameras() {
    std::set<std::string_view> cameras;
    while (field(0) == "bias") {
      const std::string_view camera = field(1);
      if (!is_new_camera(camera, cameras)) return false;
      const auto bias = take("bias", camera, "mm"), rmse = take("rmse", camera, "mm");
      if (!bias || !rmse || bias->empty() != rmse->empty()) return false;
      if (!bias->empty())
        add_camera(camera, parse_double(*bias).value_or(0), parse_double(*rmse).value_or(0));
      if (field(0) != "confirmed") continue;
      const auto confirmed = take("confirmed", camera, "%");
      const double confirmed_pct = parse_double(confirmed.value_or("")).value_or(0);
      if (!confirmed || confirmed_pct < 0 || confirmed_pct > 100) return false;
    }
    const auto bound = take("crb_1px", "patch", "mm");
    if (!bound) return false;
    check_bound(*bound);
    return true;
  }

  void add_camera(std::string_view camera, double bias_mm, double rmse_mm) {
    const ErrorRange bias = range_of_six_digits(std::abs(bias_mm)), rmse = range_of_six_digits(rmse_mm);
    worst_mm_ = std::max(worst_mm_.value_or(0), std::abs(bias_mm));
    if (rmse.high < bias.low)
      values_.report(fmt::format("has an rmse of {} below its bias", printable(camera)));
  }

  void check_bound(const std::string& printed) {
    const auto bound_mm = printed_number(printed, Digits::six), rmse_mm = values_.value("accuracy_rmse_mm");
    if (values_.value("crb_ratio").has_value() && (!bound_mm || *bound_mm <= 0))
      return values_.report("holds no bound, of which the record has crb_ratio");
    if (!bound_mm || *bound_mm <= 0 || !rmse_mm || values_.is_partial()) return;
    const ErrorRange range = range_of_six_digits(*bound_mm);
    values_.compare("crb_ratio", {*rmse_mm / range.high, *rmse_mm / range.low},
                    kRounding * *rmse_mm / range.low);
  }

  // Holes that fewer than two cameras see are what is not found of that part of the surface.
  void check_hidden() {
    const SeenSums sums = sums_of(views_, 0, 2);
    const ErrorRange told = range_of_six_digits(parse_double(hidden_).value_or(0));
    if (told.high < sums.surface.low - sums.found.high - kSlackPct ||
        told.low > sums.surface.high - sums.found.low + kSlackPct)
      values_.report("says that other holes are not visible than its completeness by views");
    const SeenSums all = sums_of(views_, 0, views_.size());
    if (all.surface.low > 100 + kSlackPct || all.surface.high < 100 - kSlackPct)
      values_.report(fmt::format("shares {:.6g} % of the surface out", all.surface.low));
    if (values_.is_of_default_scoring()) values_.compare("completeness_2mm_pct", all.found, kSlackPct);
  }

  void check_worst_camera() {
    if (worst_mm_)
      values_.compare("camera_worst_bias_mm", range_of_six_digits(*worst_mm_), kRounding);
    else if (values_.value("camera_worst_bias_mm"))
      values_.report("has no camera's bias, the record camera_worst_bias_mm");
  }

  const CaseTable& table_;
  RecordValues& values_;
  std::size_t row_ = 0;
  std::string hidden_;
  std::vector<SeenShare> views_;
  std::optional<double> worst_mm_;
};

}  // namespace

std::vector<SeenShare> check_views(std::string_view text, RecordValues& values) {
  const CaseTable table = read_table(text);
  if (std::string problem = form_problem(text, table, "views,surface_pct,completeness_2mm_pct");
      !problem.empty()) {
    values.report(std::move(problem));
    return {};
  }
  std::vector<SeenShare> shares;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto fields = table.fields_of(row);
    shares.push_back({std::string(fields[1]), std::string(fields[2])});
    if (fields[0] == fmt::format("{}", row) && is_seen_share(shares.back())) continue;
    values.report(fmt::format("line {}: is not the share that {} cameras see", row + 2, row));
    return {};
  }
  const SeenSums all = sums_of(shares, 0, shares.size()), seen2 = sums_of(shares, 2, shares.size());
  if (all.surface.low > 100 + kSlackPct || all.surface.high < 100 - kSlackPct)
    values.report(fmt::format("shares {:.6g} % of the surface out", all.surface.low));
  values.compare("completeness_2mm_pct", all.found, kSlackPct);
  if (seen2.surface.low > 0)
    values.compare("completeness_seen2_2mm_pct",
                   {100 * seen2.found.low / seen2.surface.high, 100 * seen2.found.high / seen2.surface.low},
                   kSlackPct);
  const SeenSums rest = sums_of(shares, 0, 2);
  // Where all is seen by two cameras, six digits say so exactly.
  check_seen_parts({rest.surface.high == 0 ? 100 : seen2.surface.low,
                    rest.surface.high == 0 ? 100 : std::min(seen2.surface.high, 100.0)},
                   values);
  return shares;
}

std::size_t check_depths(std::string_view text, RecordValues& values) {
  constexpr std::string_view kDepth = "depth_";
  std::string header = "camera";
  for (const auto& [name, metric] : values.record().metrics)
    if (name.starts_with(kDepth)) header += fmt::format(",{}", name.text());
  const CaseTable table = read_table(text);
  if (header == "camera") values.report("is there, and the record has no metrics of depths");
  if (std::string problem = form_problem(text, table, header); !problem.empty()) {
    values.report(std::move(problem));
    return 0;
  }
  std::set<std::string_view> cameras;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto fields = table.fields_of(row);
    const bool numbers = std::ranges::all_of(fields.subspan(1), [](std::string_view field) {
      return field.empty() || printed_number(field, Digits::shortest);
    });
    if (!numbers || !is_new_camera(fields[0], cameras)) {
      values.report(fmt::format("line {}: is no camera's depths", row + 2));
      return 0;
    }
    if (const std::string problem = CameraDepths(table.names, fields).problem(); !problem.empty())
      values.report(fmt::format("line {}: {}", row + 2, problem));
  }
  for (std::size_t column = 1; column < table.names.size(); ++column) {
    const std::string name(table.names[column]);
    std::vector<double> found;
    for (std::size_t row = 0; row < table.rows(); ++row)
      if (const auto value = parse_double(table.fields_of(row)[column])) found.push_back(*value);
    const bool most = 2 * found.size() > table.rows();
    if (most != values.value(name).has_value())
      values.report(
          fmt::format("has {} of {} cameras, the record {}", name, found.size(), most ? "none" : "a median"));
    else if (most)
      values.compare(name, median_of(std::move(found)));
  }
  return table.rows();
}

std::vector<SeenShare> check_diagnosis(std::string_view text, RecordValues& values) {
  const CaseTable table = read_table(text);
  if (std::string problem = form_problem(text, table, "quantity,of,value,unit"); !problem.empty()) {
    values.report(std::move(problem));
    return {};
  }
  for (const char* const name :
       {"holes_not_visible_pct", "holes_no_depth_pct", "holes_wrong_depth_pct", "holes_filtered_pct",
        "holes_fused_pct", "camera_worst_bias_mm", "crb_ratio"})
    require_metric(name, values);
  return DiagnosisReader(table, values).run();
}

}  // namespace aqbench
