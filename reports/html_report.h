#pragma once
// report.html: the results as pictures. One file without scripts that needs no network; light and dark.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/bundle_content.h"

namespace aqbench {

inline constexpr const char* kReportName = "report.html";

struct ReportPictures {
  std::map<std::string, std::string> tiles;                   // case -> its tiles CSV
  std::vector<std::pair<std::string, std::string>> pictures;  // path in the bundle, PNG bytes (depth maps)
};

// The tiles of the cases and the pictures/*.png of a bundle, at most 8 MiB of those. Throws Error(input, io).
ReportPictures read_report_pictures(const std::filesystem::path& bundle, const Results& results);

// A pure function of what the bundle holds. Accuracy, precision and completeness as bars, error and
// completeness by place, stages, times (box plots), changes against the baseline in units of the tolerance,
// pictures.
std::string render_html_report(const BundleContent& content, const ReportPictures& pictures);

// ---- Parts, for tests ----

struct ReportTile {
  int column = 0, row = 0;
  double signed_mean_mm = 0, completeness_pct = 0;  // NaN: none
};
// Lines that are no tiles are left out: a picture is no place to refuse evidence.
std::vector<ReportTile> parse_tiles_csv(std::string_view csv);

// Of sorted samples, linear between order statistics (type 7 of Hyndman and Fan).
double sorted_quantile(const std::vector<double>& sorted, double q);

}  // namespace aqbench
