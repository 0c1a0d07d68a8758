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
  return {number_knob("min_m", &DepthKnobs::min_m),
          limit_knob("max_m", &DepthKnobs::max_m),
          switch_knob("garg_crop", &DepthKnobs::garg_crop),
          choice_knob("bad", &DepthKnobs::bad, {"drop", "as_is", "zero_error"}),
          switch_knob("sparse", &DepthKnobs::sparse),
          choice_knob("align", &DepthKnobs::align,
                      {"none", "median", "lower_median", "scale_weiszfeld10", "scale_l1", "adam1000", "lad",
                       "lstsq", "disparity"}),
          choice_knob("per", &DepthKnobs::fit_whole, {"map", "sequence"}),
          number_knob("clip_min_m", &DepthKnobs::clip_min_m),
          limit_knob("clip_max_m", &DepthKnobs::clip_max_m),
          choice_knob("averaging", &DepthKnobs::pool_pixels, {"maps", "pixels"}),
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
  const DepthKnobs robust{.min_m = 0,
                          .max_m = kNoLimit,
                          .clip_min_m = 0.1,
                          .clip_max_m = 100,
                          .align = DepthAlignment::median,
                          .pool_pixels = false,
                          .bad = BadDepths::zero_error};
  const DepthKnobs eigen{
      .align = DepthAlignment::median, .pool_pixels = false, .bad = BadDepths::as_is, .garg_crop = true};
  return {{"depth", "as Monodepth2, without its scaling and crop", "Eigen et al., NIPS 2014", {}},
          {"video-depth", "of a sequence: one scale by ten Weiszfeld steps",
           "github.com/CUT3R/CUT3R eval/video_depth/tools.py; MonST3R, TTT3R and Pi3 have the same", video},
          {"robustmvd", "a map by its median, errors of bad predictions as 0",
           "Schröppel et al., 3DV 2022; github.com/lmb-freiburg/robustmvd rmvd/eval", robust},
          {"eigen", "Eigen's split of KITTI: Garg's crop, a map by its median",
           "Godard et al., ICCV 2019; github.com/nianticlabs/monodepth2 evaluate_depth.py", eigen}};
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
}

}  // namespace aqbench
