#include "reports/bundle/table_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/text.h"
#include "harness/viewing/cloud_view.h"
#include "reports/bundle/view_errors.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxTableBytes = std::uintmax_t{256} << 20;
constexpr std::size_t kMaxPlyHeaderBytes = 4096;
constexpr std::string_view kTilesHeader =
    "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct";
constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kOutlier_mm = 20;  // what outlier_ratio_pct counts beyond

// Returns the first bytes of a file, which hold a cloud's header.
std::string head_of(const std::filesystem::path& file) {
  std::string head(std::min<std::uintmax_t>(regular_file_size(file), kMaxPlyHeaderBytes), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return head;
}

// A table with a header line; it refers to its text. A number that is missing is nullopt.
struct CaseTable {
  std::vector<std::string_view> names;
  std::vector<std::string_view> fields;  // of all rows
  std::vector<std::size_t> ends;         // of each row, in fields

  std::size_t rows() const { return ends.size(); }
  std::span<const std::string_view> fields_of(std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends[row - 1];
    return std::span(fields).subspan(begin, ends[row] - begin);
  }
  std::optional<double> number(std::size_t row, std::string_view name) const {
    const auto column = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    const auto here = fields_of(row);
    return column < here.size() ? parse_double(here[column]) : std::nullopt;
  }
};

void append_fields(std::string_view line, std::vector<std::string_view>& fields) {
  for (std::size_t end = 0; (end = line.find(',')) != line.npos; line.remove_prefix(end + 1))
    fields.push_back(line.substr(0, end));
  fields.push_back(line);
}

CaseTable read_table(std::string_view text) {
  CaseTable table;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (table.names.empty()) {
      append_fields(text.substr(0, end), table.names);
    } else {
      append_fields(text.substr(0, end), table.fields);
      table.ends.push_back(table.fields.size());
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return table;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

class TableChecker {
 public:
  TableChecker(const std::filesystem::path& bundle, const Record& record, std::vector<Finding>& findings)
      : bundle_(bundle), record_(record), findings_(findings) {}

  void check(const std::string& file) {
    file_ = file;
    std::string text;
    try {
      text =
          file.starts_with("clouds/") ? head_of(bundle_ / file) : read_file(bundle_ / file, kMaxTableBytes);
    } catch (const Error&) {
      return;  // whoever compares its hash says so
    }
    if (file.starts_with("tiles/")) check_tiles(text);
    if (file.starts_with("views/")) check_views(read_table(text));
    if (file.starts_with("depth/")) check_depths(read_table(text));
    if (file.starts_with("diagnosis/")) check_holes(read_table(text));
    if (file.starts_with("clouds/")) check_cloud(text);
    if (file.starts_with("viewer/")) check_view(text);
  }

  // A metric that a table goes with is not there without the table.
  void check_all_there() {
    constexpr std::pair<const char*, const char*> kTables[] = {{"tile_empty_pct", "tiles/"},
                                                               {"completeness_seen2_2mm_pct", "views/"},
                                                               {"depth_fill_rate_pct", "depth/"},
                                                               {"holes_no_depth_pct", "diagnosis/"}};
    for (const auto& [name, folder] : kTables) {
      const Metric* const metric = find_metric(record_.metrics, name);
      const std::string_view start = folder;
      const bool there = std::ranges::any_of(
          *record_.files, [&](const CaseFile& file) { return file.path.starts_with(start); });
      if (metric != nullptr && metric->value && !there)
        findings_.push_back({"results.json", fmt::format("case {}: has {}, and no file in {}",
                                                         printable(record_.case_name), name, folder)});
    }
  }

 private:
  std::optional<double> value(const char* name) const {
    const Metric* const metric = find_metric(record_.metrics, name);
    return metric == nullptr ? std::nullopt : metric->value;
  }

  // How many points the record scores; nullopt where it does not say.
  std::optional<double> scored_points() const {
    const auto all = value("points"), outside = value("points_outside_patch"),
               lost = value("points_non_finite");
    if (!all || !outside || !lost) return std::nullopt;
    double scored = *all - *outside - *lost;
    for (const char* const left_out :
         {"points_outside_crop", "points_beyond_border", "points_beyond_max_distance"})
      scored -= value(left_out).value_or(0);
    return scored;
  }

  // Compares with a metric that the record has; `digits` are those of the table.
  void compare(const std::string& metric, const std::optional<double>& computed, int digits = 12) {
    const Metric* const recorded = find_metric(record_.metrics, metric);
    if (recorded == nullptr || !recorded->value || !computed) return;
    const double slack = std::pow(10, -digits + 1) * (1e-9 + std::abs(*computed)) + 1e-12;
    if (!(std::abs(*recorded->value - *computed) <= slack))
      findings_.push_back({file_, fmt::format("gives {} {:.9g}, the record says {:.9g}", metric, *computed,
                                              *recorded->value)});
  }

  // Says what a file of tiles that aqbench wrote cannot hold; empty where there is nothing.
  static std::string form_of_tiles(std::string_view text, const CaseTable& table) {
    if (text.substr(0, text.find('\n')) != kTilesHeader) return "has another first line than tiles have";
    if (table.rows() == 0) return "holds no tile";
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto points = table.number(row, "points"), mean_mm = table.number(row, "signed_mean_mm");
      const bool whole = points && *points >= 0 && *points < 1e15 && std::floor(*points) == *points;
      if (table.fields_of(row).size() != table.names.size() || !whole ||
          (*points > 0 ? !mean_mm || !std::isfinite(*mean_mm) : mean_mm.has_value()))
        return fmt::format("line {}: is no tile", row + 2);
    }
    return {};
  }

  void check_tiles(std::string_view text) {
    const CaseTable table = read_table(text);
    if (const std::string problem = form_of_tiles(text, table); !problem.empty()) {
      findings_.push_back({file_, problem});
      return;
    }
    double worst = 0, points = 0, empty = 0, sum_mm = 0, sum_of_sizes_mm = 0, sum_of_squares_mm2 = 0;
    std::vector<double> complete_pct;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const double here = table.number(row, "points").value_or(0),
                   mean_mm = table.number(row, "signed_mean_mm").value_or(0);
      points += here;
      sum_mm += here * mean_mm;
      sum_of_sizes_mm += here * std::abs(mean_mm);
      sum_of_squares_mm2 += here * mean_mm * mean_mm;
      empty += here == 0 ? 1 : 0;
      worst = std::max(worst, std::abs(mean_mm));
      if (const auto share = table.number(row, "completeness_2mm_pct")) complete_pct.push_back(*share);
    }
    compare("tile_worst_abs_bias_mm", worst);
    compare("tile_empty_pct", 100 * empty / static_cast<double>(std::max<std::size_t>(table.rows(), 1)));
    constexpr double rounding = 1e-7;  // of sums over many tiles
    if (points > 0) {
      // Errors in a tile lie around its mean: their sizes and squares are at least those of the mean.
      check_between("accuracy_mean_mm", {sum_of_sizes_mm / points, kNoLimit},
                    rounding * sum_of_sizes_mm / points);
      const double least_rmse_mm = std::sqrt(sum_of_squares_mm2 / points);
      check_between("accuracy_rmse_mm", {least_rmse_mm, kNoLimit}, rounding * least_rmse_mm);
      check_between("accuracy_max_mm", {worst, kNoLimit}, rounding * worst);
      check_between("bias_mean_mm", {sum_mm / points, sum_mm / points}, rounding * sum_of_sizes_mm / points);
    }
    // The whole lies between its parts, however large they are.
    if (!complete_pct.empty())
      check_between("completeness_2mm_pct", {std::ranges::min(complete_pct), std::ranges::max(complete_pct)},
                    rounding * 100);
    if (const auto scored = scored_points(); scored && points != *scored)
      findings_.push_back({file_, fmt::format("holds {} points, the record scores {}", points, *scored)});
  }

  void check_views(const CaseTable& table) {
    double surface = 0, complete = 0, surface_seen2 = 0, complete_seen2 = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const double share = table.number(row, "surface_pct").value_or(0);
      const double found = share * table.number(row, "completeness_2mm_pct").value_or(0);
      surface += share;
      complete += found;
      if (table.number(row, "views").value_or(0) < 2) continue;
      surface_seen2 += share;
      complete_seen2 += found;
    }
    if (std::abs(surface - 100) > 0.01)
      findings_.push_back({file_, fmt::format("shares {:.6g} % of the surface out", surface)});
    if (surface > 0) compare("completeness_2mm_pct", complete / surface, 5);
    if (surface_seen2 > 0) compare("completeness_seen2_2mm_pct", complete_seen2 / surface_seen2, 5);
  }

  void check_depths(const CaseTable& table) {
    for (const std::string_view name : table.names) {
      std::vector<double> values;
      for (std::size_t row = 0; row < table.rows(); ++row)
        if (const auto value = table.number(row, name)) values.push_back(*value);
      if (name != "camera" && !values.empty()) compare(std::string(name), median_of(std::move(values)));
    }
  }

  void check_holes(const CaseTable& table) {
    for (std::size_t row = 0; row < table.rows(); ++row)
      if (const auto fields = table.fields_of(row); fields.size() > 1 && fields[0] == "holes")
        compare(fmt::format("holes_{}_pct", fields[1]), table.number(row, "value"), 6);
  }

  void check_cloud(std::string_view ply) {
    constexpr std::string_view kElement = "\nelement vertex ";
    const std::size_t at = ply.find(kElement);
    if (at == std::string_view::npos) return findings_.push_back({file_, "is no cloud"});
    ply.remove_prefix(at + kElement.size());
    compare("points", parse_double(ply.substr(0, ply.find('\n'))));
  }

  // The points that are shown are of those that are scored; where all are shown, so are their errors.
  void check_view(std::string_view bytes) {
    CloudView view;
    try {
      view = decode_view(bytes, file_);
    } catch (const Error&) {
      return findings_.push_back({file_, "is no view of a cloud"});
    }
    const auto scored = static_cast<double>(view.scored);
    if (const auto expected = scored_points(); expected && scored != *expected)
      findings_.push_back(
          {file_, fmt::format("says that {} points are scored, the record {}", scored, *expected)});
    if (view.points.size() + view.far > view.scored)
      findings_.push_back({file_, fmt::format("shows {} of {} points", view.points.size(), view.scored)});
    if (view.points.size() == view.scored && !view.points.empty()) check_view_errors(view.errors);
  }

  void check_between(const std::string& metric, const ErrorRange& range, double slack) {
    const Metric* const recorded = find_metric(record_.metrics, metric);
    if (recorded == nullptr || !recorded->value) return;
    if (*recorded->value < range.low - slack || *recorded->value > range.high + slack)
      findings_.push_back({file_, fmt::format("gives {} {:.6g} to {:.6g}, the record says {:.9g}", metric,
                                              range.low, range.high, *recorded->value)});
  }

  void check_view_errors(const std::vector<std::int8_t>& codes) {
    const ErrorRanges errors(codes);
    constexpr double slack_mm = 1e-6, slack_pct = 1e-6;  // far above rounding errors, far below a code's step
    check_between("accuracy_mean_mm", errors.mean_of_sizes(), slack_mm);
    check_between("accuracy_rmse_mm", errors.root_mean_square(), slack_mm);
    check_between("bias_mean_mm", errors.mean(), slack_mm);
    check_between("bias_median_mm", errors.median(), slack_mm);
    constexpr std::pair<const char*, double> kPercentiles[] = {{"accuracy_median_mm", 0.5},
                                                               {"accuracy_p90_mm", 0.9},
                                                               {"accuracy_p95_mm", 0.95},
                                                               {"accuracy_max_mm", 1}};
    for (const auto& [name, q] : kPercentiles) check_between(name, errors.percentile_of_sizes(q), slack_mm);
    constexpr std::string_view kStart = "precision_", kEnd = "mm_pct";
    for (const auto& [name, metric] : record_.metrics) {
      if (!name.starts_with(kStart) || !name.ends_with(kEnd)) continue;
      std::string_view number = name;
      number.remove_prefix(kStart.size());
      number.remove_suffix(std::min(kEnd.size(), number.size()));
      const auto tolerance_mm = parse_double(number);
      if (tolerance_mm) check_between(name, errors.share_within_pct(*tolerance_mm), slack_pct);
    }
    const ErrorRange within = errors.share_within_pct(kOutlier_mm);
    check_between("outlier_ratio_pct", {100 - within.high, 100 - within.low}, slack_pct);
  }

  const std::filesystem::path& bundle_;
  const Record& record_;
  std::string file_;
  std::vector<Finding>& findings_;
};

}  // namespace

std::vector<Finding> check_tables(const std::filesystem::path& bundle, const Results& results) {
  constexpr std::size_t kGrain = 16;
  const std::size_t count = results.records.size();
  std::vector<std::vector<Finding>> found((count + kGrain - 1) / kGrain);
  parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Finding>& findings = found[begin / kGrain];
    for (std::size_t i = begin; i < end; ++i) {
      const Record& record = results.records[i];
      if (!record.files || record.status != Status::ok) continue;
      TableChecker checker(bundle, record, findings);
      for (const CaseFile& file : *record.files)
        if (is_bundle_path(file.path)) checker.check(file.path);
      checker.check_all_there();
    }
  });
  std::vector<Finding> all;
  for (std::vector<Finding>& findings : found) std::ranges::move(findings, std::back_inserter(all));
  return all;
}

std::vector<Finding> check_table(const std::filesystem::path& bundle, const std::string& file,
                                 const Record& record) {
  std::vector<Finding> findings;
  TableChecker(bundle, record, findings).check(file);
  return findings;
}

}  // namespace aqbench
