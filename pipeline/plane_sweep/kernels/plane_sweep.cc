#include "pipeline/plane_sweep/kernels/plane_sweep.h"

#include <cmath>
#include <string>

#include "core/error.h"
#include "pipeline/plane_sweep/kernels/kernels.h"

namespace aqbench::plane_sweep {
namespace {

void check_view(const View& view, const std::string& where) {
  check(view.camera, where + ".camera");
  const GreyImage& image = view.image;
  if (image.width_px != view.camera.width_px || image.height_px != view.camera.height_px)
    throw Error(ErrorKind::input, where + ".image: " + std::to_string(image.width_px) + " x " +
                                      std::to_string(image.height_px) + " px, but its camera has " +
                                      std::to_string(view.camera.width_px) + " x " +
                                      std::to_string(view.camera.height_px));
  if ((image.floats != nullptr) == (image.bytes != nullptr))
    throw Error(ErrorKind::input, where + ".image: needs either floats or bytes");
  if (image.floats == nullptr) return;
  float zero = 0;  // x - x is 0 or NaN
  for (std::size_t i = 0; i < image.pixel_count(); ++i) zero += image.floats[i] - image.floats[i];
  if (!(zero == 0)) throw Error(ErrorKind::input, where + ".image: grey values must be finite");
}

}  // namespace

std::vector<float> depth_hypotheses(double depth_min_m, double depth_max_m, int count, bool even_in_inverse) {
  std::vector<float> depths_m(static_cast<std::size_t>(count));
  if (even_in_inverse) {
    for (int i = 0; i < count; ++i) {
      const double share = static_cast<double>(i) / std::max(count - 1, 1);
      depths_m[i] = static_cast<float>(1 / ((1 - share) / depth_min_m + share / depth_max_m));
    }
    return depths_m;
  }
  for (int i = 0; i < count; ++i)
    depths_m[i] = static_cast<float>(depth_min_m + (depth_max_m - depth_min_m) * i / std::max(count - 1, 1));
  return depths_m;
}

void check(const Input& input) {
  check_view(input.reference, "reference");
  if (input.sources.empty()) throw Error(ErrorKind::input, "sources: at least one is needed");
  for (std::size_t i = 0; i < input.sources.size(); ++i)
    check_view(input.sources[i], "sources[" + std::to_string(i) + "]");
  if (!(input.depth_min_m >= 0) || !(input.depth_max_m > input.depth_min_m) ||
      !std::isfinite(input.depth_max_m))
    throw Error(ErrorKind::input, "depth range: must be 0 <= min < max, got " +
                                      std::to_string(input.depth_min_m) + " to " +
                                      std::to_string(input.depth_max_m) + " m");
  if (input.even_in_inverse && !(input.depth_min_m > 0))
    throw Error(ErrorKind::input, "depth range: must begin above 0 where rays start at the camera");
}

Result run(const Input& input, const Options& options) {
  check(options);
  if (options.kernel != Kernel::torch && options.device != "cpu")
    throw Error(ErrorKind::usage, "device: kernel " + std::string(to_string(options.kernel)) +
                                      " runs on cpu only, got '" + options.device + "'");
  check(input);
  Result result;
  result.width_px = input.reference.image.width_px;
  result.height_px = input.reference.image.height_px;
  result.depths_m =
      depth_hypotheses(input.depth_min_m, input.depth_max_m, options.depths, input.even_in_inverse);
  result.depth_m.resize(input.reference.image.pixel_count());
  result.confidence.resize(input.reference.image.pixel_count());
  switch (options.kernel) {
    case Kernel::reference:
      run_reference_kernel(input, options, result);
      break;
    case Kernel::torch:
      run_torch_kernel(input, options, result);
      break;
    case Kernel::fused:
      run_fused_kernel(input, options, result);
      break;
  }
  return result;
}

}  // namespace aqbench::plane_sweep
