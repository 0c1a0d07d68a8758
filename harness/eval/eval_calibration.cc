#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "core/text.h"
#include "harness/eval/file_family.h"
#include "harness/scoring/calibration_score.h"
#include "scenes/dataset/own_rig.h"

namespace aqbench {
namespace {

constexpr double kMillimetres = 1000;

Eigen::AlignedBox3d box_of(const std::string& text) {
  constexpr const char* kExpected = "X0,Y0,Z0,X1,Y1,Z1 in metres, each of X1, Y1 and Z1 above X0, Y0 and Z0";
  std::vector<double> metres;
  for (const std::string_view word : split_at(text, ',')) {
    const auto number = parse_double(word);
    if (!number || !std::isfinite(*number)) refuse_knob("volume", text, kExpected);
    metres.push_back(*number);
  }
  if (metres.size() != 6) refuse_knob("volume", text, kExpected);
  const Eigen::AlignedBox3d box(Vec3(metres[0], metres[1], metres[2]), Vec3(metres[3], metres[4], metres[5]));
  if (!(box.sizes().minCoeff() > 0)) refuse_knob("volume", text, kExpected);
  return box;
}

std::string text_of(const Eigen::AlignedBox3d& box) {
  if (box.isEmpty()) return "";
  const Vec3 low = box.min(), high = box.max();
  return fmt::format("{},{},{},{},{},{}", low.x(), low.y(), low.z(), high.x(), high.y(), high.z());
}

void add_errors(ProtocolResult& result, const std::string& name, const PointErrors& errors) {
  for (const auto& [statistic, metres] : {std::pair("rms", errors.rms_m),
                                          {"mean", errors.mean_m},
                                          {"median", errors.median_m},
                                          {"p95", errors.p95_m},
                                          {"max", errors.max_m}})
    add_value(result, fmt::format("{}{}_mm", name, statistic), "mm", kMillimetres * metres);
}

ProtocolResult result_of(const CalibrationScore& score) {
  const Similarity& moved = score.true_from_estimated;
  ProtocolResult result;
  add_errors(result, "", score.as_it_is);
  for (int axis = 0; axis < 3; ++axis)
    add_value(result, fmt::format("bias_{}_mm", "xyz"[axis]), "mm",
              kMillimetres * score.as_it_is.mean_error_m[axis]);
  add_errors(result, "aligned_", score.aligned);
  add_value(result, "scale", "1", moved.scale);
  add_value(result, "rotation_deg", "deg",
            Eigen::AngleAxisd(moved.rotation()).angle() * 180 / std::numbers::pi);
  add_value(result, "translation_mm", "mm", kMillimetres * moved.translation_m.norm());
  add_value(result, "reprojection_rms_px", "px", score.reprojection_rms_px,
            "the estimated cameras image no true point");
  add_value(result, "points", "points", static_cast<double>(score.grid));
  add_value(result, "scored_points", "points", static_cast<double>(score.scored));
  return result;
}

// A pair of Calibmar has no names but those of its files: takes those of the other rig, in its order.
void take_names(const Rig& other, Rig& rig, Notes& notes) {
  if (rig.cameras.size() != 2 || rig.cameras[1].name != rig.cameras[0].name + "_stereo" ||
      other.cameras.size() != 2)
    return;
  for (std::size_t i = 0; i < 2; ++i) {
    std::string& name = rig.cameras[i].name;
    if (name == other.cameras[i].name) continue;
    notes.push_back(fmt::format("camera {} is taken as {}, by their order", name, other.cameras[i].name));
    name = other.cameras[i].name;
  }
}

}  // namespace

std::span<const Knob<CalibrationKnobs>> calibration_knobs() {
  static const Knob<CalibrationKnobs> table[] = {
      {"volume", [](const CalibrationKnobs& knobs) { return text_of(knobs.volume_m); },
       [](CalibrationKnobs& knobs, const std::string& text) {
         knobs.volume_m = text.empty() ? Eigen::AlignedBox3d() : box_of(text);
       }}};
  return table;
}

std::span<const KnobProtocol<CalibrationKnobs>> calibration_protocols() {
  static const KnobProtocol<CalibrationKnobs> protocols[] = {
      {"calibration", "the error in space that a calibration causes in a volume", "docs/rig.md", {}}};
  return protocols;
}

SearchedFamily open_calibrations(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                                 Notes& notes) {
  if (!request.mask_file.empty() || !request.confidence_file.empty())
    throw usage_error("--mask, --confidence: not with calibrations");
  Rig estimated = read_rig_file(cloud.cloud_file).rig, truth = read_rig_file(cloud.truth_files[0]).rig;
  take_names(truth, estimated, notes);
  take_names(estimated, truth, notes);
  return searched_family<CalibrationKnobs>(
      calibration_knobs(), [&notes, estimated, truth](const CalibrationKnobs& knobs) {
        if (knobs.volume_m.isEmpty())
          throw usage_error("--volume is missing: a true box, X0,Y0,Z0,X1,Y1,Z1 in metres");
        const CalibrationScore score = score_calibration(estimated, truth, knobs.volume_m);
        for (const std::string& camera : score.left_out)
          notes.push_back(fmt::format("camera {}: only in one of the files, left out", camera));
        if (!(std::abs(std::log10(score.true_from_estimated.scale)) < 0.3))
          notes.push_back(fmt::format("a scale of {:.3g}: is one of the files not in metres?",
                                      score.true_from_estimated.scale));
        return result_of(score);
      });
}

}  // namespace aqbench
