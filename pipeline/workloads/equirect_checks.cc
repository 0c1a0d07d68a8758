#include "pipeline/workloads/equirect_checks.h"

#include <algorithm>
#include <cmath>

#include "pipeline/workloads/output_bytes.h"

namespace aqbench {
namespace {

// Compares one pixel in this many in frames between the first and the last. Odd, because lanes and tiles of a
// kernel are powers of two: an error in one lane must not slip through.
constexpr int kSparse = 17;
constexpr int kSeamReach_px = 2;  // columns on either side of +-180 degrees

// Errors against the formula, over all pixels and over those beside the seam.
struct ViewErrors {
  double worst = 0, worst_at_seam = 0, seam_pixels = 0;
};

// Compares every `stride`-th pixel from pixel `first` on.
void add_view_errors(const ViewGeometry& geometry, std::uint64_t seed, int frame, int view, int first,
                     int stride, const ColourImage& image, ViewErrors& errors) {
  constexpr double turn = 6.283185307179586;
  const int side = geometry.view_px;
  for (int i = first; i < side * side; i += stride) {
    const auto direction = view_direction(geometry, view, i % side, i / side);
    const auto truth = sphere_colour(seed, frame, direction);
    double error = 0;
    for (std::size_t c = 0; c < 3; ++c)
      error = std::max(error, std::abs(image.bytes[3 * static_cast<std::size_t>(i) + c] - truth[c]));
    errors.worst = std::max(errors.worst, error);
    const double from_seam = turn / 2 - std::abs(std::atan2(direction[0], direction[2]));
    if (from_seam * geometry.frame_width_px > kSeamReach_px * turn) continue;
    errors.worst_at_seam = std::max(errors.worst_at_seam, error);
    ++errors.seam_pixels;
  }
}

}  // namespace

std::vector<Identity> view_identities(const ViewGeometry& geometry, int frames, std::uint64_t seed,
                                      const std::vector<ColourImage>& views, double more_tolerance) {
  const auto expected = static_cast<double>(frames * geometry.views);
  std::vector<Identity> identities = {{"views", static_cast<double>(views.size()), expected, 0}};
  ViewErrors errors;
  const auto per_frame = static_cast<std::size_t>(geometry.views);
  // The formula is slow: between the first and last frame it checks one pixel in 17, another one in each
  // frame.
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::size_t frame = i / per_frame;
    const auto size = 3 * static_cast<std::size_t>(geometry.view_px * geometry.view_px);
    if (views[i].bytes.size() != size) {
      identities.push_back(
          {"bytes_of_a_view", static_cast<double>(views[i].bytes.size()), static_cast<double>(size), 0});
      return identities;
    }
    const bool whole = frame == 0 || frame + 1 == static_cast<std::size_t>(frames);
    add_view_errors(geometry, seed, static_cast<int>(frame), static_cast<int>(i % per_frame),
                    whole ? 0 : static_cast<int>(frame % kSparse), whole ? 1 : kSparse, views[i], errors);
  }
  const double tolerance = sampling_tolerance(geometry) + more_tolerance;
  identities.push_back({"worst_error_levels", errors.worst, 0, tolerance});
  identities.push_back({"seam_worst_error_levels", errors.worst_at_seam, 0, tolerance});
  return identities;
}

std::string hash_of_views(const std::vector<ColourImage>& views) {
  std::string hashes;
  for (const ColourImage& view : views) hashes += sha256_of_values(view.bytes);
  return sha256_hex(hashes);
}

}  // namespace aqbench
