#include "reports/tables/table_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/text.h"
#include "harness/records/case_result.h"
#include "harness/viewing/cloud_view.h"
#include "reports/tables/camera_tables.h"
#include "reports/tables/case_table.h"
#include "reports/tables/record_values.h"
#include "reports/tables/tile_table.h"
#include "reports/tables/view_errors.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxTableBytes = std::uintmax_t{256} << 20;
constexpr std::size_t kMaxPlyHeaderBytes = 4096;
constexpr double kOutlier_mm = 20;  // what outlier_ratio_pct counts beyond

// Returns the first bytes of a file, which hold a cloud's header.
std::string head_of(const std::filesystem::path& file) {
  std::string head(std::min<std::uintmax_t>(regular_file_size(file), kMaxPlyHeaderBytes), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return head;
}

class TableChecker {
 public:
  TableChecker(const std::filesystem::path& bundle, const Record& record, std::vector<Finding>& findings)
      : bundle_(bundle), record_(record), findings_(findings) {}

  void check(const std::string& file) {
    std::string text;
    try {
      text = is_in_folder(file, kCloudsFolder) ? head_of(bundle_ / file)
                                               : read_file(bundle_ / file, kMaxTableBytes);
    } catch (const Error&) {
      return;  // whoever compares its hash says so
    }
    RecordValues values(record_, file, findings_);
    if (is_in_folder(file, kTilesFolder)) check_tiles(text, values);
    if (is_in_folder(file, kViewsFolder)) views_ = check_views(text, values);
    if (is_in_folder(file, kDepthFolder)) cameras_ = check_depths(depths_ = text, values);
    if (is_in_folder(file, kDiagnosisFolder)) diagnosed_ = check_diagnosis(diagnosis_ = text, values);
    if (is_in_folder(file, kCloudsFolder)) check_cloud(text, values);
    if (is_in_folder(file, kViewerFolder)) check_view(text, values);
  }

  // Cameras of rendered images are called by their places in the rig, but for the one in the centre, of
  // which no depths are scored. The diagnosis has those of which a method gave depths.
  void check_cameras() {
    if (cameras_ == 0 || record_.scene.starts_with(kDatasetPrefix)) return;
    const CaseTable depths = read_table(depths_), diagnosis = read_table(diagnosis_);
    std::set<std::string_view> scored, diagnosed;
    for (std::size_t row = 0; row < diagnosis.rows(); ++row)
      if (diagnosis.fields_of(row)[0] == "bias") diagnosed.insert(diagnosis.fields_of(row)[1]);
    const auto fill = std::ranges::find(depths.names, "depth_fill_rate_pct");
    const auto column = static_cast<std::size_t>(fill - depths.names.begin());
    for (std::size_t row = 0; row < depths.rows(); ++row) {
      const auto fields = depths.fields_of(row);
      if (fields[0] != fmt::format("cam{:02}", row))
        report(fmt::format("has depths of a camera {}, which no rig has there", printable(fields[0])));
      scored.insert(fields[0]);
      if (!diagnosed_.empty() && fill != depths.names.end() && !diagnosed.contains(fields[0]) &&
          parse_double(fields[column]).value_or(0) > 0)
        report(fmt::format("its diagnosis lacks camera {}, which has depths", printable(fields[0])));
    }
    for (const std::string_view camera : diagnosed)
      if (!diagnosed_.empty() && !scored.contains(camera) && camera != "centre")
        report(fmt::format("its diagnosis has a camera {}, which has no depths", printable(camera)));
  }

  // Both tell completeness by views, of the same samples where no recording says how it is scored; and no
  // part of the surface is seen by more cameras than there are.
  void check_together() {
    if (views_.empty() || !RecordValues(record_, "", findings_).is_of_default_scoring()) return;
    if (!diagnosed_.empty() && diagnosed_ != views_)
      report("its diagnosis tells another completeness by views than its views");
    if (cameras_ > 0 && views_.size() > cameras_ + 1)
      report(
          fmt::format("{} cameras see a part of the surface, {} have depths", views_.size() - 1, cameras_));
  }

  // A metric that a table goes with is not there without the table.
  void check_all_there() {
    constexpr std::pair<const char*, const char*> kTables[] = {{"tile_empty_pct", kTilesFolder},
                                                               {"completeness_seen2_2mm_pct", kViewsFolder},
                                                               {"depth_fill_rate_pct", kDepthFolder},
                                                               {"holes_no_depth_pct", kDiagnosisFolder}};
    const auto has = [&](const char* folder) {
      return std::ranges::any_of(*record_.files,
                                 [&](const CaseFile& file) { return is_in_folder(file.path, folder); });
    };
    for (const auto& [name, folder] : kTables) {
      const Metric* const metric = find_metric(record_.metrics, name);
      if (metric != nullptr && metric->value && !has(folder))
        report(fmt::format("has {}, and no file in {}/", name, folder));
    }
    if (has(kPicturesFolder) && !has(kDepthFolder)) report("has pictures of depths, and no table of them");
  }

 private:
  void report(std::string what) {
    findings_.push_back({"results.json", fmt::format("case {}: {}", printable(record_.case_name), what)});
  }

  static void check_cloud(std::string_view ply, RecordValues& values) {
    constexpr std::string_view kElement = "\nelement vertex ";
    const std::size_t at = ply.find(kElement);
    if (at == std::string_view::npos) return values.report("is no cloud");
    ply.remove_prefix(at + kElement.size());
    if (const auto points = parse_double(ply.substr(0, ply.find('\n')))) values.compare("points", *points);
  }

  // The points that are shown are of those that are scored; where all are shown, so are their errors.
  static void check_view(std::string_view bytes, RecordValues& values) {
    CloudView view;
    try {
      view = decode_view(bytes, "");
    } catch (const Error&) {
      return values.report("is no view of a cloud");
    }
    const auto scored = static_cast<double>(view.scored);
    if (const auto expected = values.scored_points(); expected && scored != *expected)
      values.report(fmt::format("says that {} points are scored, the record {}", scored, *expected));
    if (view.points.size() + view.far > view.scored)
      values.report(fmt::format("shows {} of {} points", view.points.size(), view.scored));
    if (view.points.size() == view.scored && !view.points.empty()) check_view_errors(view.errors, values);
  }

  static void check_view_errors(const std::vector<std::int8_t>& codes, RecordValues& values) {
    const ErrorRanges errors(codes);
    constexpr double slack_mm = 1e-6, slack_pct = 1e-6;  // far above rounding errors, far below a code's step
    values.compare("accuracy_mean_mm", errors.mean_of_sizes(), slack_mm);
    values.compare("accuracy_rmse_mm", errors.root_mean_square(), slack_mm);
    values.compare("bias_mean_mm", errors.mean(), slack_mm);
    values.compare("bias_median_mm", errors.median(), slack_mm);
    constexpr std::pair<const char*, double> kPercentiles[] = {{"accuracy_median_mm", 0.5},
                                                               {"accuracy_p90_mm", 0.9},
                                                               {"accuracy_p95_mm", 0.95},
                                                               {"accuracy_max_mm", 1}};
    for (const auto& [name, q] : kPercentiles) values.compare(name, errors.percentile_of_sizes(q), slack_mm);
    constexpr std::string_view kStart = "precision_", kEnd = "mm_pct";
    for (const auto& [name, metric] : values.record().metrics) {
      if (!name.starts_with(kStart) || !name.ends_with(kEnd)) continue;
      std::string_view number = name;
      number.remove_prefix(kStart.size());
      number.remove_suffix(std::min(kEnd.size(), number.size()));
      const auto tolerance_mm = parse_double(number);
      if (tolerance_mm) values.compare(name.text(), errors.share_within_pct(*tolerance_mm), slack_pct);
    }
    const ErrorRange within = errors.share_within_pct(kOutlier_mm);
    values.compare("outlier_ratio_pct", {100 - within.high, 100 - within.low}, slack_pct);
  }

  const std::filesystem::path& bundle_;
  const Record& record_;
  std::vector<Finding>& findings_;
  std::vector<SeenShare> views_, diagnosed_;
  std::size_t cameras_ = 0;
  std::string depths_, diagnosis_;  // as they stand there
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
      checker.check_together();
      checker.check_cameras();
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
