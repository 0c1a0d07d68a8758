#pragma once
// Fits of predicted depths to true ones: what papers on depth do before they count errors.

#include <cstddef>
#include <span>

namespace aqbench {

// How predictions are moved onto the truth.
enum class DepthAlignment {
  none,
  median,             // scale: ratio of the medians, of an even count the mean of the two in the middle
  lower_median,       // the same with the lower of the two in the middle, as torch.median() gives it
  scale_weiszfeld10,  // scale: ten Weiszfeld steps from the ratio of the means (MonST3R, CUT3R, Pi3)
  scale_l1,           // scale: the minimum of sum |s p - g|, towards which those steps go
  adam1000,           // scale and shift: at most 1 000 steps of Adam from the lower medians (MonST3R, CUT3R)
  lad,                // scale and shift: the minimum of sum |s p + t - g|, towards which those steps go
  lstsq,              // scale and shift: least squares
  disparity           // scale and shift of 1/depth: least squares (robustmvd, MoGe)
};

// A fit: depth = scale p + shift, or of inverse depths 1/depth = scale/p + shift.
struct DepthFit {
  double scale = 1, shift = 0;
  bool of_inverse = false;

  // Returns the prediction after the fit, NaN after one that is not determined. Of inverse depths an inverse
  // that is not finite is 0, before and after, as numpy.nan_to_num() leaves it.
  double operator()(double predicted) const;
};

// Fits predictions to true depths of the same pixels; `weights` of scale_l1 and lad, or none. The result
// depends neither on threads nor on the order of pixels but for adam1000, which is followed as published.
// Scale and shift are NaN where the pixels do not determine them.
DepthFit fit_depths(DepthAlignment alignment, std::span<const double> predicted,
                    std::span<const double> truth, std::span<const double> weights = {});

}  // namespace aqbench
