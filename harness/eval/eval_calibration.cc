#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/error.h"
#include "core/shown_json.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/eval/eval_request.h"
#include "harness/scoring/calibration_score.h"
#include "scenes/dataset/own_rig.h"

namespace aqbench {
namespace {

constexpr double kMillimetres = 1000;

Eigen::AlignedBox3d box_of(const std::string& text) {
  const auto refuse = [&](const char* why) { throw usage_error("--volume '{}': {}", text, why); };
  const std::string_view numbers = text.starts_with("box:") ? std::string_view(text).substr(4) : text;
  std::vector<double> metres;
  for (const std::string_view word : split_at(numbers, ',')) {
    const auto number = parse_double(word);
    if (!number || !std::isfinite(*number)) refuse("expected X0,Y0,Z0,X1,Y1,Z1 in metres");
    metres.push_back(*number);
  }
  if (metres.size() != 6) refuse("expected X0,Y0,Z0,X1,Y1,Z1 in metres");
  const Eigen::AlignedBox3d box(Vec3(metres[0], metres[1], metres[2]), Vec3(metres[3], metres[4], metres[5]));
  if (!(box.sizes().minCoeff() > 0)) refuse("each of X1, Y1 and Z1 must be above X0, Y0 and Z0");
  return box;
}

Json errors_json(const PointErrors& errors) {
  const Vec3 mean_mm = kMillimetres * errors.mean_error_m;
  return {{"rms_mm", kMillimetres * errors.rms_m},
          {"mean_mm", kMillimetres * errors.mean_m},
          {"median_mm", kMillimetres * errors.median_m},
          {"p95_mm", kMillimetres * errors.p95_m},
          {"max_mm", kMillimetres * errors.max_m},
          {"mean_error_mm", {mean_mm.x(), mean_mm.y(), mean_mm.z()}}};
}

std::vector<TableCell> errors_row(const char* name, const PointErrors& errors) {
  std::vector<std::string> cells = {name};
  for (const double metres : {errors.rms_m, errors.mean_m, errors.median_m, errors.p95_m, errors.max_m,
                              errors.mean_error_m.x(), errors.mean_error_m.y(), errors.mean_error_m.z()})
    cells.push_back(fmt::format("{:.4g}", kMillimetres * metres));
  return plain_row(std::move(cells));
}

double degrees_of(const Similarity& moved) {
  return Eigen::AngleAxisd(moved.rotation()).angle() * 180 / std::numbers::pi;
}

}  // namespace

EvalAnswer eval_calibration(const EvalRequest& asked) {
  const Eigen::AlignedBox3d box = box_of(asked.volume);
  if (asked.cloud.truth_files.size() != 1) throw usage_error("--truth: --calibration needs one");
  const std::string& truth = asked.cloud.truth_files.front();
  const CalibrationScore score =
      score_calibration(read_rig_file(asked.calibration_file).rig, read_rig_file(truth).rig, box);
  const Similarity& moved = score.true_from_estimated;
  EvalAnswer answer;
  if (asked.cloud.json) {
    const Json result = {{"points", score.grid},
                         {"scored_points", score.scored},
                         {"cameras_left_out", score.left_out},
                         {"reprojection_rms_px", score.reprojection_rms_px},
                         {"as_it_is", errors_json(score.as_it_is)},
                         {"after_similarity", errors_json(score.aligned)},
                         {"similarity",
                          {{"scale", moved.scale},
                           {"rotation_deg", degrees_of(moved)},
                           {"translation_mm", kMillimetres * moved.translation_m.norm()}}}};
    answer.json = shown_json(result.dump(1) + "\n");
    return answer;
  }
  answer.say("{} against {}: {} of {} points of the volume are seen by two cameras\n\n",
             printable(asked.calibration_file), printable(truth), score.scored, score.grid);
  Table table = table_with({"points are placed [mm]", ">rms", ">mean", ">median", ">95 %", ">max", ">bias x",
                            ">bias y", ">bias z"});
  table.rows.push_back(errors_row("as it is", score.as_it_is));
  table.rows.push_back(errors_row("after the best similarity", score.aligned));
  answer.shown.emplace_back(std::move(table));
  answer.say("\nsimilarity: scale {:.8g}, rotation {:.4g} deg, translation {:.4g} mm; reprojection {}\n",
             moved.scale, degrees_of(moved), kMillimetres * moved.translation_m.norm(),
             std::isfinite(score.reprojection_rms_px)
                 ? fmt::format("{:.4g} px rms", score.reprojection_rms_px)
                 : "n/a: the estimated cameras image no true point");
  for (const std::string& camera : score.left_out)
    answer.say("camera {}: only in one of the files, left out\n", printable(camera));
  if (!(std::abs(std::log10(moved.scale)) < 0.3))
    answer.say("a scale of {:.3g}: is one of the files not in metres?\n", moved.scale);
  return answer;
}

}  // namespace aqbench
