#pragma once
// Renders exact images of a surface: rays through every sample, then the lens and the sensor.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "scenes/optics/refractive_camera.h"
#include "scenes/rendering/imaging_options.h"
#include "scenes/rendering/ray_hit.h"
#include "scenes/rendering/texture.h"

namespace aqbench {

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

// Renders one surface, a formula or a mesh, which must outlive this. Every result is the same for any thread
// count. The texture has the contrast of the imaging options.
class Renderer {
 public:
  Renderer(const Surface& surface, const ImagingOptions& options, std::uint64_t seed,
           const TextureOptions& texture = {});

  // Renders the camera's raw image, lens distortion included. camera_index makes gain and noise differ
  // between cameras. Uses parallel_for.
  RenderedImage image(const Camera& camera, std::uint64_t camera_index,
                      const RowProgress& progress = {}) const;

  // Computes the true depths of the undistorted camera. Uses parallel_for.
  DepthMap depth_map(const Camera& camera, const RowProgress& progress = {}) const;

  // Returns the gain of a camera.
  double gain(std::uint64_t camera_index) const;

 private:
  struct SampleGrid;
  void sample_row(const RefractiveCamera& camera, const SampleGrid& grid, std::vector<float>& out) const;
  void sample_row_of_mesh(const RefractiveCamera& camera, const SampleGrid& grid,
                          std::vector<float>& out) const;
  void expose_row(std::uint64_t camera_index, int row, const std::vector<float>& radiance,
                  RenderedImage& out) const;

  ImagingOptions options_;
  std::uint64_t seed_;
  RayHitter exact_, fast_;
  Texture texture_;
};

}  // namespace aqbench
