#pragma once
// Renders exact images of a surface: rays through every sample, then the lens and the sensor, by options with
// named variants.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/rendering/texture.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {

// The image formation. The radiance of a sample is the texture times exp(-absorption * depth along the ray),
// 0 for a ray without a hit. A pixel is the mean of its own samples and its neighbours', weighted by the
// Gaussian point spread (if its sigma is 0: the mean over the pixel). The sensor is monochrome:
//   value = gain (1 - vignetting (r / r_corner)^2) pixel + noise,
// clipped to [0, 1] and rounded to the levels, with r the distance from the image's centre, and a gain for
// each camera, uniform in 1 +- gain_spread.
struct ImagingOptions {
  double texture_contrast = 0.15;
  double psf_sigma_px = 0.5;
  int samples_per_side = 2;  // of a pixel: 4 samples a pixel
  double gain_spread = 0.05;
  double vignetting = 0.20;
  double noise_sigma = 2.0 / 255;
  int bits = 8;  // 8 or 16
  double absorption_per_m = 0;
};

// Throws Error(usage) "imaging.FIELD: ..." for bits other than 8 and 16, and for fewer than 1 sample.
void check(const ImagingOptions& options);

// A named set of options and rig overrides.
struct ImagingVariant {
  std::string name;
  std::string summary;                  // one line
  std::vector<Override> overrides;      // of owner "imaging"
  std::vector<Override> rig_overrides;  // their owner is the rig in use
};

// Returns the parameters of owner "imaging".
const std::vector<ParameterSpec>& imaging_parameters();

// Returns all variants; the first one is the default.
const std::vector<ImagingVariant>& imaging_variants();

// Finds a variant by name. Throws Error(usage) with similar names.
const ImagingVariant& find_imaging_variant(std::string_view name);

// Returns the options set by the parameters of owner "imaging".
ImagingOptions imaging_options(const Parameters& parameters);

// The version of the renderer, recorded in every dataset. Raise it with any change of a pixel value.
inline constexpr int kRendererVersion = 1;

// An image as the sensor records it.
struct RenderedImage {
  int width = 0, height = 0;
  int bits = 8;
  std::vector<std::uint16_t> values;  // row-major, 0 to 2^bits - 1
};

// Called with the number of rows just finished, by any thread. An exception stops the rendering.
using RowProgress = std::function<void(std::size_t rows)>;

// Returns the grey value of a mesh where a ray, of this direction, meets it, in place of the texture.
// `step_m` leads to where the next sample's ray meets it; 0: unknown.
using Paint = std::function<double(const Vec3& position_m, const Vec3& direction, const Vec3& step_m)>;

// Renders one surface, a formula or a mesh, which must outlive this. Every result is the same for any thread
// count. The texture has the contrast of the imaging options.
class Renderer {
 public:
  Renderer(const Surface& surface, const ImagingOptions& options, std::uint64_t seed,
           const TextureOptions& texture = {}, Paint paint = {});

  // Renders the camera's raw image, lens distortion included. camera_index makes gain and noise differ
  // between cameras, `still` the
  // noise between images of one camera. Uses parallel_for.
  RenderedImage image(const Camera& camera, std::uint64_t camera_index, const RowProgress& progress = {},
                      std::uint64_t still = 0) const;

  // Computes the true depths of the undistorted camera. Uses parallel_for.
  DepthMap depth_map(const Camera& camera, const RowProgress& progress = {}) const;

  // Returns the gain of a camera.
  double gain(std::uint64_t camera_index) const;

 private:
  struct SampleGrid;
  void sample_rows(const RefractiveCamera& camera, std::span<const SampleGrid> grids,
                   std::span<std::vector<float>> out) const;
  void sample_row_of_mesh(const RefractiveCamera& camera, const SampleGrid& grid,
                          std::vector<float>& out) const;
  void expose_row(std::uint64_t camera_index, std::uint64_t still, int row,
                  const std::vector<float>& radiance, RenderedImage& out) const;

  ImagingOptions options_;
  std::uint64_t seed_;
  RayHitter exact_, fast_;
  Paint paint_;
  Texture texture_;
};

// Estimates the distance of a mesh's faces from a smooth surface through their corners: per face the square
// of its circumscribed circle's radius times half the curvature implied by the angles with its neighbours;
// the 95th percentile by area, metres. Angles above 30 degrees count as true edges. 0 for a plane.
double facet_error_m(const TriangleMesh& mesh);

}  // namespace aqbench
