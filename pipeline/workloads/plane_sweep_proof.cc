#include "pipeline/workloads/plane_sweep_proof.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"

namespace aqbench {
namespace {

// Pixels x depths x sources that the reference kernel sweeps in one or two seconds.
constexpr double kMaxWholeSamples = 5e6;
constexpr int kSquare_px = 12, kSquareDistance_px = 64;

// A part of the reference image, ends excluded.
struct PixelRange {
  int x0, y0, x1, y1;
};

// The part with a margin on all sides, as far as the image reaches.
PixelRange with_margin(const PixelRange& part, int margin_px, const plane_sweep::GreyImage& image) {
  return {std::max(part.x0 - margin_px, 0), std::max(part.y0 - margin_px, 0),
          std::min(part.x1 + margin_px, image.width_px), std::min(part.y1 + margin_px, image.height_px)};
}

std::vector<float> grey_of(const plane_sweep::GreyImage& image, const PixelRange& part) {
  std::vector<float> greys;
  for (int y = part.y0; y < part.y1; ++y)
    for (int x = part.x0; x < part.x1; ++x)
      greys.push_back(image.grey(static_cast<std::size_t>(y) * image.width_px + x));
  return greys;
}

bool is_unlike(const plane_sweep::Result& result, std::size_t i, const plane_sweep::Result& truth,
               std::size_t j) {
  const float depth_m = result.depth_m[i], true_depth_m = truth.depth_m[j];
  if (std::isnan(true_depth_m)) return !std::isnan(depth_m);
  const float step_m = truth.depths_m[1] - truth.depths_m[0];
  return !(std::abs(depth_m - true_depth_m) <= kUnlikeDepth_steps * step_m) ||
         !(std::abs(result.confidence[i] - truth.confidence[j]) <= kUnlikeConfidence);
}

// Sweeps only the part and the window's margin, so that windows hold the same pixels as in the whole image.
void compare_part(const plane_sweep::Input& input, const plane_sweep::Options& options,
                  const plane_sweep::Result& result, const PixelRange& part, PixelProof& proof) {
  const PixelRange swept = with_margin(part, options.window_px / 2, input.reference.image);
  const std::vector<float> greys = grey_of(input.reference.image, swept);
  plane_sweep::Input alone = input;
  RefractiveCamera& camera = alone.reference.camera;
  camera.width_px = swept.x1 - swept.x0;
  camera.height_px = swept.y1 - swept.y0;
  camera.cx_px -= swept.x0;
  camera.cy_px -= swept.y0;
  alone.reference.image = {camera.width_px, camera.height_px, greys.data(), nullptr};
  const plane_sweep::Result truth = plane_sweep::run(alone, options);
  for (int y = part.y0; y < part.y1; ++y)
    for (int x = part.x0; x < part.x1; ++x) {
      const auto i = static_cast<std::size_t>(y) * input.reference.image.width_px + x;
      const auto j = static_cast<std::size_t>(y - swept.y0) * camera.width_px + (x - swept.x0);
      ++proof.compared;
      if (is_unlike(result, i, truth, j)) ++proof.unlike;
    }
}

}  // namespace

double PixelProof::unlike_share() const {
  return compared == 0 ? std::nan("") : static_cast<double>(unlike) / static_cast<double>(compared);
}

PixelProof compare_with_reference(const plane_sweep::Input& input, const plane_sweep::Options& options,
                                  const plane_sweep::Result& result) {
  PixelProof proof;
  const plane_sweep::GreyImage& image = input.reference.image;
  if (result.depth_m.size() != image.pixel_count() || result.confidence.size() != image.pixel_count())
    return proof;
  plane_sweep::Options reference = options;
  reference.kernel = plane_sweep::Kernel::reference;
  reference.device = "cpu";
  reference.keep_volume = false;
  const double samples =
      static_cast<double>(image.pixel_count()) * options.depths * static_cast<double>(input.sources.size());
  if (samples <= kMaxWholeSamples) {
    compare_part(input, reference, result, {0, 0, image.width_px, image.height_px}, proof);
    return proof;
  }
  for (int y = 0; y < image.height_px; y += kSquareDistance_px)
    for (int x = 0; x < image.width_px; x += kSquareDistance_px)
      compare_part(
          input, reference, result,
          {x, y, std::min(x + kSquare_px, image.width_px), std::min(y + kSquare_px, image.height_px)}, proof);
  return proof;
}

}  // namespace aqbench
