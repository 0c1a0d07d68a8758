#include "metrics/protocols/depth_protocols.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

using DepthKnob = Knob<DepthKnobs>;

std::vector<DepthKnob> make_depth_knobs() {
  return {
      number_knob("min_m", &DepthKnobs::min_m),
      limit_knob("max_m", &DepthKnobs::max_m, {"10", "70", "80", "inf"}),
      switch_knob("garg_crop", &DepthKnobs::garg_crop),
      choice_knob("bad", &DepthKnobs::bad, {"drop", "as_is", "zero_error"}, {"drop", "as_is", "zero_error"}),
      switch_knob("sparse", &DepthKnobs::sparse),
      choice_knob(
          "align", &DepthKnobs::align,
          {"none", "median", "lower_median", "scale_weiszfeld10", "scale_l1", "adam1000", "lad", "lstsq",
           "disparity"},  // adam1000 is tried by video-depth-shift alone: it is slow
          {"none", "median", "lower_median", "scale_weiszfeld10", "scale_l1", "lad", "lstsq", "disparity"}),
      choice_knob("fit_on", &DepthKnobs::fit_grid, {"pixels", "grid"}, {"pixels", "grid"}),
      choice_knob("fit_weight", &DepthKnobs::weigh_by_inverse, {"one", "inverse"}, {"one", "inverse"}),
      choice_knob("predicted", &DepthKnobs::of_disparity, {"depth", "disparity"}),
      choice_knob("beyond", &DepthKnobs::bound_by_truth, {"as_is", "farthest"}),
      choice_knob("undetermined", &DepthKnobs::constant_if_alike, {"undefined", "constant"}),
      number_knob("floor_m", &DepthKnobs::floor_m),
      number_knob("add_to_truth_m", &DepthKnobs::add_to_truth_m),
      switch_knob("boundaries", &DepthKnobs::boundaries),
      choice_knob("no_edge", &DepthKnobs::no_edge_is_zero, {"undefined", "zero"}),
      choice_knob("nothing", &DepthKnobs::nothing_is_zero, {"undefined", "zero"}),
      choice_knob("per", &DepthKnobs::fit_whole, {"map", "sequence"}, {"map", "sequence"}),
      number_knob("clip_min_m", &DepthKnobs::clip_min_m, {"0", "0.001", "0.1"}),
      limit_knob("clip_max_m", &DepthKnobs::clip_max_m, {"70", "80", "100", "inf"}),
      choice_knob("averaging", &DepthKnobs::pool_pixels, {"maps", "pixels"}, {"maps", "pixels"}),
      whole_knob("intervals", &DepthKnobs::intervals, 1, 1e6)};
}

// Knobs are named objects: GCC 12 destroys a member that is initialised in nested braces twice where one
// after it throws.
std::vector<DepthProtocol> make_depth_protocols() {
  const DepthKnobs video{.min_m = 0,
                         .clip_min_m = 0,
                         .clip_max_m = kNoLimit,
                         .align = DepthAlignment::scale_weiszfeld10,
                         .fit_whole = true,
                         .bad = BadDepths::as_is};
  DepthKnobs video_shift = video;
  video_shift.align = DepthAlignment::adam1000;
  const DepthKnobs robust{.min_m = 0,
                          .max_m = kNoLimit,
                          .clip_min_m = 0.1,
                          .clip_max_m = 100,
                          .align = DepthAlignment::median,
                          .pool_pixels = false,
                          .bad = BadDepths::zero_error};
  const DepthKnobs eigen{
      .align = DepthAlignment::median, .pool_pixels = false, .bad = BadDepths::as_is, .garg_crop = true};
  const DepthKnobs moge{.min_m = 0,
                        .max_m = kNoLimit,
                        .clip_min_m = 0,
                        .clip_max_m = kNoLimit,
                        .pool_pixels = false,
                        .bad = BadDepths::as_is,
                        .fit_grid = true,
                        .floor_m = 0,
                        .add_to_truth_m = 1e-6,
                        .boundaries = true};
  DepthKnobs moge_scale = moge, moge_disparity = moge;
  moge_scale.align = DepthAlignment::scale_l1;
  moge_scale.weigh_by_inverse = true;
  DepthKnobs moge_affine = moge_scale;
  moge_affine.align = DepthAlignment::lad;
  moge_disparity.align = DepthAlignment::disparity;
  moge_disparity.fit_grid = false;
  moge_disparity.bound_by_truth = true;
  constexpr const char* kMoge = "Wang et al., CVPR 2025; github.com/microsoft/MoGe moge/test/metrics.py";
  return {
      {"depth", "as Monodepth2, without its scaling and crop", "Eigen et al., NIPS 2014", {}},
      {"video-depth", "of a sequence: one scale by ten Weiszfeld steps",
       "github.com/CUT3R/CUT3R eval/video_depth/tools.py; MonST3R, TTT3R and Pi3 have the same", video},
      {"video-depth-shift", "of a sequence: scale and shift by a thousand steps of Adam, converged or not",
       "github.com/CUT3R/CUT3R eval/video_depth/tools.py; MonST3R, TTT3R and Pi3 have the same", video_shift},
      {"robustmvd", "a map by its median, errors of bad predictions as 0",
       "Schröppel et al., 3DV 2022; github.com/lmb-freiburg/robustmvd rmvd/eval", robust},
      {"eigen", "Eigen's split of KITTI: Garg's crop, a map by its median",
       "Godard et al., ICCV 2019; github.com/nianticlabs/monodepth2 evaluate_depth.py", eigen},
      {"moge-metric", "as it is, with edges", kMoge, moge},
      {"moge-scale", "a map by the least relative error, with edges", kMoge, moge_scale},
      {"moge-affine", "a map by scale and shift of the least relative error, with edges", kMoge, moge_affine},
      {"moge-disparity", "a map by least squares of inverse depths, with edges", kMoge, moge_disparity}};
}

}  // namespace

std::span<const DepthKnob> depth_knobs() {
  static const std::vector<DepthKnob> knobs = make_depth_knobs();
  return knobs;
}

std::span<const DepthProtocol> depth_protocols() {
  static const std::vector<DepthProtocol> protocols = make_depth_protocols();
  return protocols;
}

void check(const DepthKnobs& knobs) {
  if (!(knobs.max_m > knobs.min_m)) throw Error(ErrorKind::usage, "knob max_m: must be above min_m");
  if (!(knobs.clip_max_m > knobs.clip_min_m))
    throw Error(ErrorKind::usage, "knob clip_max_m: must be above clip_min_m");
  if (knobs.weigh_by_inverse && knobs.align != DepthAlignment::scale_l1 && knobs.align != DepthAlignment::lad)
    throw Error(ErrorKind::usage, "knob fit_weight: inverse needs align=scale_l1 or lad");
}

}  // namespace aqbench
