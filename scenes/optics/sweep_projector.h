#pragma once
// Fast projection of whole images over a range of depths, for plane sweeps.
//
// As the depth grows, the point on a reference pixel's refracted ray moves along a straight line, and its
// image in a source camera along a smooth curve. That curve is u(s), v(s), two polynomials of low degree in
//   s = a / (depth + offset) + b,  in [-1, 1],
// fitted through exact projections at Chebyshev nodes. The offset puts the curve's pole (the depth at which a
// pinhole's denominator would vanish) where the variable is infinite, so that ranges of metres need few
// coefficients. Evaluating costs 2 * degree FMA per projection: no division, no root, no table.
//
// What bounds it (benchmarks/projection_benchmark.cc): evaluation loads 2 (degree + 1) values for 2 degree
// FMA, so the first-level cache's loads; the fit, paid once per pixel, is double precision division and
// square root, and outweighs the evaluation below some 200 depths.
//
// The constructor takes the lowest degree whose error, measured against exact projections over the whole
// reference image and depth range, is at most half the tolerance.
//
// Use: one projector per (reference, source); for each run of pixels of a row fit() once, then for each depth
// project_row(block, projector.parameter(depth), ...), sample the source there, and go on; nothing is stored
// for all depths. A block of 512 pixels of degree 4 is 20 kB: fit runs that short, and the coefficients stay
// in the first-level cache. All calls but construction are on the calling thread alone and safe from several
// threads.

#include <cstddef>
#include <span>
#include <vector>

#include "scenes/optics/refraction.h"

namespace aqbench {

// Depths along the reference camera's refracted rays, from the water surface, metres.
struct SweepRange {
  double min_depth_m = 0.05;
  double max_depth_m = 0.5;
};

// Curves of consecutive pixels of one reference row in one source image.
struct SweepBlock {
  static constexpr std::size_t kGroup = 16;  // pixels
  struct alignas(64) Line {
    float value[kGroup];
  };

  int degree = 0;
  std::size_t count = 0;  // pixels
  // Coefficients of s^k: lines[(group * (degree + 1) + k) * 2] holds u of pixels group * 16 .. + 15, the next
  // line v. NaN for a pixel without a refracted ray or whose curve leaves the half space before the source.
  std::vector<Line> lines;
};

class SweepProjector {
 public:
  // tolerance_px bounds the error of u and v (as a distance) wherever the exact projection lies in the source
  // image. Throws Error(usage) for an empty or negative range, cameras that look through different water, a
  // tolerance below 1e-3 px (float noise alone is up to 3e-4 px in a 2000 px image) or one that no degree up
  // to 8 reaches over the range.
  SweepProjector(const RefractiveCamera& reference, const RefractiveCamera& source, const SweepRange& range,
                 double tolerance_px = 2e-3);

  int degree() const { return degree_; }
  // Of the samples that lie in the source image; 0 of them if the views do not overlap.
  double measured_error_px() const { return measured_error_px_; }
  std::size_t measured_samples() const { return measured_samples_; }

  // s of a depth; NaN outside the range (by more than rounding).
  float parameter(double depth_m) const;

  // Curves of the reference pixels (first_column .. first_column + count - 1, row). `block` is reused without
  // allocation once it is large enough. Pixels may lie outside the image.
  void fit(int row, int first_column, std::size_t count, SweepBlock& block) const;

 private:
  double depth_m(double s) const { return scale_ / (s - shift_) - offset_m_; }
  void set_degree(int degree);  // and nodes and transform
  void choose_degree(double tolerance_px);

  RefractiveCamera reference_, source_;
  SweepRange range_;
  double offset_m_ = 0, scale_ = 0, shift_ = 0;  // s = scale / (depth + offset) + shift
  int degree_ = 0;
  std::vector<double> node_depths_m_;  // degree + 1
  std::vector<double> transform_;      // coefficient k = sum over nodes j of transform_[k * (degree + 1) + j]
  double measured_error_px_ = 0;
  std::size_t measured_samples_ = 0;
};

// Source pixels at parameter s for every pixel of the block. u_px and v_px hold block.count values;
// Error(usage) if not.
void project_row(const SweepBlock& block, float s, std::span<float> u_px, std::span<float> v_px);

}  // namespace aqbench
