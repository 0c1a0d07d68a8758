#include <algorithm>

#include "metrics/protocols/pose_pairs.h"

namespace aqbench {
namespace {

using PoseKnob = Knob<PoseKnobs>;

// "10" is a number of frames, "10m" the length of a path.
PoseKnob delta_knob() {
  return {"rpe_delta",  // frames between the poses of a pair (10), or the path between them (10m)
          [](const PoseKnobs& knobs) {
            return knobs.rpe_path_m > 0 ? fmt::format("{}m", knobs.rpe_path_m)
                                        : fmt::format("{}", knobs.rpe_delta);
          },
          [](PoseKnobs& knobs, const std::string& text) {
            const bool is_path = text.ends_with('m');
            const auto number =
                parse_double(std::string_view(text).substr(0, text.size() - (is_path ? 1 : 0)));
            if (!number || !std::isfinite(*number) || !(*number > 0) ||
                (!is_path && (*number != std::floor(*number) || *number > 1e9)))
              refuse_knob("rpe_delta", text, "frames (10) or metres along the path (10m)");
            knobs.rpe_path_m = is_path ? *number : 0;
            if (!is_path) knobs.rpe_delta = static_cast<int>(*number);
          }};
}

PoseKnob relative_knob() {
  PoseKnob knob = choice_knob("relative", &PoseKnobs::relative, {"colmap", "vggt", "pi3", "da3"},
                              {"colmap", "vggt", "pi3", "da3"});
  knob.set = [set = knob.set](PoseKnobs& knobs, const std::string& text) {
    set(knobs, text);
    compare_as(knobs.relative, knobs);
  };
  return knob;
}

std::vector<PoseKnob> make_pose_knobs() {
  return {
      choice_knob("alignment", &PoseKnobs::alignment, {"none", "rigid", "similarity", "scale"},
                  {"none", "rigid", "similarity", "scale"}),
      number_knob("max_time_difference_s", &PoseKnobs::max_time_difference_s),
      delta_knob(),
      switch_knob("rpe_all_pairs", &PoseKnobs::rpe_all_pairs),
      relative_knob(),
      choice_knob("direction", &PoseKnobs::free_direction, {"signed", "free"}, {"signed", "free"}),
      choice_knob("curve", &PoseKnobs::whole_degrees, {"trapezoid", "whole_degrees"},
                  {"trapezoid", "whole_degrees"}),
      choice_knob("pairs", &PoseKnobs::ordered_pairs, {"unordered", "ordered"}, {"unordered", "ordered"}),
      numbers_knob("auc_thresholds_deg", &PoseKnobs::auc_thresholds_deg,
                   {"1", "2", "3", "5", "10", "15", "20", "30"}),
      number_knob("min_error_deg", &PoseKnobs::min_error_deg, {"0.001", "0.01", "0.02", "0.1"}),
      number_knob("min_baseline_m", &PoseKnobs::min_baseline_m),
      switch_knob("count_missing", &PoseKnobs::count_missing),
      choice_knob("nothing", &PoseKnobs::nothing_fails, {"undefined", "as_published"}),
      whole_knob("max_paired_poses", &PoseKnobs::max_paired_poses, 1, kMaxPairedPoses),
      numbers_knob("segments_m", &PoseKnobs::segments_m),
      whole_knob("segment_step", &PoseKnobs::segment_step, 1, 1e9),
      choice_knob("precision", &PoseKnobs::single_precision, {"float64", "float32"}, {"float64", "float32"}),
  };
}

}  // namespace

std::span<const PoseKnob> pose_knobs() {
  static const std::vector<PoseKnob> knobs = make_pose_knobs();
  return knobs;
}

std::span<const PoseProtocol> pose_protocols() {
  static const std::vector<PoseProtocol> protocols = [] {
    std::vector<PoseProtocol> all = {
        {"poses",
         "errors of a trajectory as evo has them, of all pairs as COLMAP",
         "github.com/MichaelGrupp/evo; colmap benchmark/reconstruction",
         {}},
        {"vggt",
         "all pairs: the centre of j seen from i, free directions, whole degrees",
         "github.com/facebookresearch/vggt evaluation/test_co3d.py; map-anything has the same",
         {}},
        {"pi3", "as vggt, the centre of i seen from j", "github.com/yyfz/Pi3 relpose/metric.py", {}},
        {"da3",
         "as vggt, every pair seen through the first camera",
         "github.com/ByteDance-Seed/Depth-Anything-3 bench/utils.py",
         {}},
        {"kitti-odometry",
         "errors of segments of 100 to 800 m",
         "KITTI devkit evaluate_odometry.cpp; github.com/Huangying-Zhan/kitti-odom-eval",
         {}}};
    compare_as(RelativePose::vggt, all[1].knobs);
    compare_as(RelativePose::pi3, all[2].knobs);
    compare_as(RelativePose::da3, all[3].knobs);
    all[4].knobs.segments_m = {100, 200, 300, 400, 500, 600, 700, 800};
    return all;
  }();
  return protocols;
}

}  // namespace aqbench
