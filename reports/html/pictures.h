#pragma once
// What report.html shows besides the results: tiles, pictures of depth maps, clouds and profiles, read from a
// bundle; and with how many of their points a page holds clouds (harness/viewing/cloud_view.h).

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/records/results.h"
#include "scenes/images/images.h"

namespace aqbench {

// A line of pictures.csv (harness/scoring/depth_pictures.h) and the file that it names.
struct ReportPicture {
  std::string file, kind, camera, unit;
  double low = 0, high = 0;               // values at the two ends of the colour scale, in `unit`
  int every_px = 1;                       // one pixel of every_px x every_px is shown
  double filled_pct = 0, beyond_pct = 0;  // NaN: not known
  std::string bytes;                      // of the file: PNG
};

// A photograph of a bundle on a page.
struct ReportPhotograph {
  std::string camera;
  int every_px = 1;                              // a pixel of the bundle's is the mean of every_px x every_px
  std::shared_ptr<const SmallPhotograph> image;  // the bundle's one made smaller
};

// The scores of one tile of a cloud seen from above.
struct ReportTile {
  int column = 0, row = 0;
  double x_min_mm = 0, y_min_mm = 0, x_max_mm = 0, y_max_mm = 0;  // its corners
  double signed_mean_mm = 0, completeness_pct = 0;                // NaN: none
};

// The corners of a tile. Tiles of two clouds are one place where these are equal.
using TilePlace = std::array<double, 4>;
TilePlace place_of(const ReportTile& tile);
std::map<TilePlace, ReportTile> tiles_by_place(std::span<const ReportTile> tiles);

// The tiles, pictures, views, stacks and biases of cameras of a bundle.
struct ReportPictures {
  std::map<std::string, std::vector<ReportTile>> tiles;              // case -> its tiles
  std::map<std::string, std::vector<ReportPicture>> pictures;        // case -> the pictures of its depth maps
  std::map<std::string, std::vector<ReportPhotograph>> photographs;  // case -> one of each camera
  // Case -> the bytes of its cloud view (harness/viewing/cloud_view.h).
  std::map<std::string, std::string> views;
  std::map<std::string, std::string> stacks;  // case -> the stacks of its profile, as text
  std::size_t left_out = 0;                   // pictures of depths beyond the limit
  std::size_t photographs_left_out = 0;
  std::map<std::string, std::set<std::string>> kinds;    // case -> kinds of its pictures, left out or not
  std::map<std::string, std::vector<double>> biases_mm;  // case -> mean signed depth error of each camera
};

// Returns what a case has of these; none where it has none.
template <class Value>
const Value& of_case(const std::map<std::string, Value>& all, const std::string& case_name) {
  static const Value kNone;
  const auto found = all.find(case_name);
  return found == all.end() ? kNone : found->second;
}

// Reads the tiles, at most 768 KiB of pictures of depths and 512 KiB of photographs (of the first camera of
// each case before any of a second one; equal photographs count once, and the last ones become smaller where
// not all have room), the clouds and the stacks. Throws Error(input, io) naming the file.
ReportPictures read_report_pictures(const std::filesystem::path& bundle, const Results& results);

// Reads a tiles CSV. Throws Error(input) "SOURCE: line 3: ..." for a line that is no tile.
std::vector<ReportTile> parse_tiles_csv(std::string_view csv, const std::string& source = "tiles");

// Reads the biases of cameras from a diagnosis CSV (metrics/diagnosis.h), without those that have none.
std::vector<double> parse_camera_biases(std::string_view csv);

// Reads the lines of a pictures.csv without the files. Throws Error(input) for a line that is none, or that
// names anything but a PNG beside it, for a photograph a JPEG.
std::vector<ReportPicture> parse_picture_list(std::string_view csv, const std::string& source = "pictures");

// Fits the views of a bundle (case -> bytes of viewer/CASE.bin) into `budget` bytes: small ones whole, large
// ones with every n-th point, those of very many cameras without their rays. Returns the blocks of a page,
// "cloud-3" for the fourth of the results, without those for which there is no room.
std::vector<std::pair<std::string, std::string>> fit_views(const std::map<std::string, std::string>& views,
                                                           const Results& results, std::size_t budget);

}  // namespace aqbench
