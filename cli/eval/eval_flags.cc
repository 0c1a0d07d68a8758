#include "cli/eval/eval_flags.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace aqbench::cli {
namespace {

std::optional<double> metres_of(std::string_view unit) {
  for (const auto& [name, metres] :
       {std::pair<std::string_view, double>{"m", 1}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}})
    if (unit == name) return metres;
  return std::nullopt;
}

// Reads "2mm" or "0.05 m": a length with its unit, since a bare number could be of any.
double read_length(const FlagValue& value, std::string_view text) {
  const std::size_t end = text.find_last_not_of("mcu ");
  const std::string_view number = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  std::string_view unit = text.substr(number.size());
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const auto size = parse_double(number);
  const auto metres = metres_of(unit);
  if (!size || !metres || !std::isfinite(*size) || !(*size > 0))
    value.refuse_text("expected a positive length with its unit, as 2mm or 0.05m");
  // Millimetres are read as their number / 1000, so that 0.5mm is the double that 0.0005 is.
  return *metres == 1 ? *size : *size / std::round(1 / *metres);
}

double read_length(const FlagValue& value) { return read_length(value, value.text); }

void read_thresholds(EvalCloudRequest& request, const FlagValue& value) {
  request.given_thresholds = true;
  request.score.tolerances_m.clear();
  for (const std::string_view part : split_at(value.text, ','))
    request.score.tolerances_m.push_back(read_length(value, part));
}

void read_scanner(EvalCloudRequest& request, const FlagValue& value) {
  const auto parts = split_at(value.text, ',');
  Vec3 place;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto number = parts.size() == 3 ? parse_double(parts[axis]) : std::nullopt;
    if (!number || !std::isfinite(*number)) value.refuse_text("expected X,Y,Z");
    place[static_cast<Eigen::Index>(axis)] = *number;
  }
  request.scanners.push_back(place);
}

TextColumns read_columns(const FlagValue& value) {
  constexpr const char* kExpected = "expected the columns of x, y and z, from 1: 2,3,4";
  const auto parts = split_at(value.text, ',');
  std::array<std::size_t, 3> columns{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto number = parts.size() == 3 ? parse_double(parts[axis]) : std::nullopt;
    if (!number || !(*number >= 1 && *number <= 1000) || *number != std::floor(*number))
      value.refuse_text(kExpected);
    columns[axis] = static_cast<std::size_t>(*number) - 1;
  }
  if (columns[0] == columns[1] || columns[0] == columns[2] || columns[1] == columns[2])
    value.refuse_text(kExpected);
  return columns;
}

void read_align(EvalCloudRequest& request, const FlagValue& value) {
  if (value.text == "none") return;
  for (const std::string_view part : split_at(value.text, ',')) {
    if (part == "icp") {
      request.align.push_back({AlignStep::How::icp, ""});
    } else if (part == "sim3") {
      request.align.push_back({AlignStep::How::sim3, ""});
    } else if (part == "cameras") {
      request.align.push_back({AlignStep::How::cameras, ""});
    } else if (part == "tanks-and-temples") {
      request.align.push_back({AlignStep::How::tanks_and_temples, ""});
    } else if (part.starts_with("file:")) {
      request.align.push_back({AlignStep::How::file, std::string(part.substr(5))});
    } else {
      value.refuse_text("expected none, or a list of icp, sim3, cameras, tanks-and-temples and file:T");
    }
  }
}

void read_distance(EvalCloudRequest& request, const FlagValue& value) {
  if (value.text != "plane" && value.text != "point") value.refuse_text("expected plane or point");
  request.truth_cloud.distance = value.text == "plane" ? CloudDistance::plane : CloudDistance::point;
}

void read_border(EvalCloudRequest& request, const FlagValue& value) {
  if (value.text != "score" && value.text != "leave-out") value.refuse_text("expected score or leave-out");
  request.leave_out_beyond_border = value.text == "leave-out";
}

const Flag<EvalCloudRequest> kTruthFlags[] = {
    {{.name = "truth",
      .value_name = "FILE",
      .help = "a mesh or a cloud taken as truth: a mesh if the file has faces. Several clouds may be given",
      .repeatable = true},
     into<&EvalCloudRequest::truth_files>},
    {{.name = "truth-cloud",
      .value_name = "FILE",
      .help = "a scan taken as truth; of a mesh its vertices. May be repeated",
      .repeatable = true},
     into<&EvalCloudRequest::truth_cloud_files>},
    {{.name = "truth-depth",
      .value_name = "CAMERA=FILE",
      .help = "a depth map taken as truth, of a camera of --dataset or --rig; see --depth-along. May be "
              "repeated",
      .repeatable = true},
     into<&EvalCloudRequest::truth_depths>},
    {{.name = "truth-unit",
      .value_name = "UNIT",
      .help = "unit of the truth's files, of --crop and of --scanner: m, cm, mm or um",
      .default_value = "m"},
     [](EvalCloudRequest& r, const FlagValue& v) { r.truth_metres_per_unit = metres_per_unit(v); }},
    {{.name = "columns",
      .value_name = "X,Y,Z",
      .help = "which columns of a text are x, y and z, from 1 (2,3,4), where it does not name them"},
     [](EvalCloudRequest& r, const FlagValue& v) { r.columns = read_columns(v); }},
    {{.name = "truth-columns", .value_name = "X,Y,Z", .help = "the same of the truth's texts"},
     [](EvalCloudRequest& r, const FlagValue& v) { r.truth_columns = read_columns(v); }},
    {{.name = "scanner",
      .value_name = "X,Y,Z",
      .help = "where the scanner of a scan stood; one for each scan, in their order",
      .repeatable = true},
     read_scanner},
    {{.name = "distance",
      .value_name = "TO",
      .help = "of a cloud as truth: plane (the local one through the nearest point) or point (that point)",
      .default_value = "plane"},
     read_distance},
    {{.name = "crop",
      .value_name = "REGION",
      .help =
          "score only this region: box:X0,Y0,Z0,X1,Y1,Z1, z:LOW,HIGH (also x, y), "
          "mask:M.npy,X0,Y0,Z0,SPACING (voxels that were observed, as DTU's ObsMask), or a JSON file with a "
          "polygon as Tanks and Temples has them. May be repeated: what lies in all of them",
      .repeatable = true},
     into<&EvalCloudRequest::crops>},
    {{.name = "max-distance",
      .value_name = "LENGTH",
      .help = "leave out points that are farther from the truth (20mm): where the truth is partial"},
     [](EvalCloudRequest& r, const FlagValue& v) { r.score.part.max_distance_m = read_length(v); }},
    {{.name = "border",
      .value_name = "HOW",
      .help = "points beyond an open border of the truth: score, or leave-out (default: leave-out of scans, "
              "and of a mesh with --max-distance)"},
     read_border},
    {{.name = "all", .help = "print every metric (without it: the headline; --json has all of them)"},
     into<&EvalCloudRequest::all>},
    {{.name = "thresholds",
      .value_name = "LIST",
      .help = "tolerances of precision, completeness and F-score (default 0.5mm,1mm,2mm,5mm,10mm)"},
     read_thresholds},
    {{.name = "outlier", .value_name = "LENGTH", .help = "a gross outlier is farther (default 20mm)"},
     [](EvalCloudRequest& r, const FlagValue& v) { r.score.outlier_m = read_length(v); }},
    {{.name = "spacing",
      .value_name = "LENGTH",
      .help = "between samples of the truth for completeness, or auto: by the size of truth and cloud",
      .default_value = "auto"},
     [](EvalCloudRequest& r, const FlagValue& v) {
       r.given_spacing = v.text != "auto";
       if (r.given_spacing) r.score.sample_spacing_m = read_length(v);
     }},
    {{.name = "tile",
      .value_name = "LENGTH",
      .help = "side of an error tile, or auto: 10 mm, more where that gives over a million tiles",
      .default_value = "auto"},
     [](EvalCloudRequest& r, const FlagValue& v) {
       r.given_tile = v.text != "auto";
       if (r.given_tile) r.score.tile_m = read_length(v);
     }},
    {{.name = "transform",
      .value_name = "T",
      .help = "file with a 4x4 matrix world_from_cloud (metres), as JSON or as text, applied after --unit"},
     into<&EvalCloudRequest::transform_file>},
    {{.name = "align",
      .value_name = "LIST",
      .help =
          "none, or steps before scoring, in order: icp (rigid, to the truth's surface), sim3 (with a "
          "scale), cameras (by camera centres), tanks-and-temples (that benchmark's registration), file:T (a "
          "matrix). It can hide bias",
      .default_value = "none"},
     read_align},
    {{.name = "cameras", .value_name = "FILE", .help = "camera centres in the cloud's frame and unit"},
     into<&EvalCloudRequest::cameras_file>},
    {{.name = "truth-cameras", .value_name = "FILE", .help = "camera centres in the truth's frame and unit"},
     into<&EvalCloudRequest::truth_cameras_file>},
};

}  // namespace

std::vector<Flag<EvalCloudRequest>> eval_cloud_flags() {
  return {std::begin(kTruthFlags), std::end(kTruthFlags)};
}

double metres_per_unit(const FlagValue& value) {
  const auto metres = metres_of(value.text);
  if (!metres) value.refuse_text("expected m, cm, mm or um");
  return *metres;
}

}  // namespace aqbench::cli
