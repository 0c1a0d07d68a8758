#pragma once
// Depth maps and sequences of them as papers score them, and how well confidences rank their errors: one set
// of rules with knobs, of which every protocol is a setting.

#include <cstddef>
#include <span>

#include "metrics/protocols/depth_fit.h"
#include "metrics/protocols/knobs.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {

// What becomes of a predicted depth that is not finite or not above 0.
enum class BadDepths {
  drop,   // its pixel does not count; the coverage says how many
  as_is,  // it counts like any other: one NaN makes all numbers undefined; ratios and logarithms see 1e-5 m
  zero_error  // an error that is not finite counts as 0, a ratio that is not finite as an outlier
};

// The knobs of depth_errors(), by default as Monodepth2 has them without its median scaling. Lengths are
// metres.
struct DepthKnobs {
  double min_m = 1e-3, max_m = 80;            // only true depths between, both excluded, count
  double clip_min_m = 1e-3, clip_max_m = 80;  // predictions are moved into this range after the fit
  DepthAlignment align = DepthAlignment::none;
  bool fit_whole = false;  // one fit for all maps; else one a map
  bool pool_pixels =
      true;  // means over all pixels; else over the maps' values, maps without a pixel left out
  BadDepths bad = BadDepths::drop;
  bool fit_grid = false;  // the fit looks at a coarse grid of each map, grid_of(); else at all its pixels
  bool weigh_by_inverse = false;   // scale_l1 and lad weigh a pixel by its inverse true depth; else all alike
  bool of_disparity = false;       // predictions are inverse depths
  bool bound_by_truth = false;     // align=disparity: what lies beyond the farthest true depth moves there
  bool constant_if_alike = false;  // predictions all alike get the best constant; else their fit is undefined
  double floor_m = 1e-5;         // what logarithms and ratios see of a smaller prediction; 0: the prediction
  double add_to_truth_m = 0;     // in the denominator of abs_rel
  bool boundaries = false;       // edges of depth are compared, too: boundary_f1()
  bool no_edge_is_zero = false;  // the score of maps without any edge; else it is undefined
  bool nothing_is_zero = false;  // without any pixel all errors are 0, as CUT3R has it; else undefined
  bool sparse = false;           // predictions of 0 do not count, whatever `bad` says
  bool garg_crop = false;        // only pixels within the rows and columns of Garg et al., ECCV 2016, count
  int intervals = 50;            // of sparsification_errors()
};

// Returns all knobs by name.
std::span<const Knob<DepthKnobs>> depth_knobs();

// Throws Error(usage) naming the knob whose value makes no sense.
void check(const DepthKnobs& knobs);

using DepthProtocol = KnobProtocol<DepthKnobs>;

// Returns all protocols for depth maps.
std::span<const DepthProtocol> depth_protocols();

// A predicted depth map, the true one, and the confidences of the prediction or none; row by row.
struct DepthMapPair {
  std::size_t height = 0, width = 0;
  std::span<const float> predicted_m, truth_m, confidence = {};
};

// Compares predicted depth maps with the true ones, pixel by pixel (Eigen et al., "Depth map prediction from
// a single image", NIPS 2014; mono-uncertainty evaluate.py, Atlas atlas/evaluation.py): abs_rel, sq_rel, mae,
// rmse, rmse_log, delta_1.03 and delta_1.25 to its third power (shares of pixels whose ratio is below), scale
// and shift of the fit, coverage (of the true depths that count, those with a prediction), pixels. Of
// adam1000 also abs_rel_lad, what its optimum gives; with `boundaries` boundary_f1_1px to boundary_f1_3px.
// Throws Error(method) for sizes that do not agree.
ProtocolResult depth_errors(std::span<const DepthMapPair> maps, const DepthKnobs& knobs = {});

// Measures how well confidences rank the errors of depth maps (Ilg et al., ECCV 2018; Poggi et al., CVPR
// 2020, mono-uncertainty evaluate.py): pixels are taken away in steps, the least confident first; ause_* is
// the area between the curve of the error that is left and that of the best possible order, aurg_* the area
// below the whole map's error; * is abs_rel, rmse, and a1 (share of ratios of 1.25 and above). Pixels are
// those that depth_errors() counts and that have a finite confidence; those of all maps are pooled. Throws as
// depth_errors() does.
ProtocolResult sparsification_errors(std::span<const DepthMapPair> maps, const DepthKnobs& knobs = {});

}  // namespace aqbench
