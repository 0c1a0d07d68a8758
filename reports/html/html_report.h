#pragma once
// report.html: the results as pictures. One file without scripts that needs no network; light and dark.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/content/bundle_content.h"

namespace aqbench {

inline constexpr const char* kReportName = "report.html";

// A line of pictures.csv (harness/running/depth_pictures.h) and the file that it names.
struct ReportPicture {
  std::string file, kind, camera, unit;
  double low = 0, high = 0;  // the values, in `unit`, of the ends of the colours
  int every_px = 1;
  double filled_pct = 0, beyond_pct = 0;  // NaN: none
  std::string png;
};

struct ReportPictures {
  std::map<std::string, std::string> tiles;                    // case -> its tiles CSV
  std::map<std::string, std::vector<ReportPicture>> pictures;  // case -> of its depth maps
  std::size_t left_out = 0;                                    // pictures beyond the limit
};

// The tiles of the cases and the pictures of a bundle, at most 8 MiB of these. Throws Error(input, io).
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

// The lines of a pictures.csv, without the files. Lines that are none, or name anything but a PNG beside it,
// are left out.
std::vector<ReportPicture> parse_picture_list(std::string_view csv);

}  // namespace aqbench
