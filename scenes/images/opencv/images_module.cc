// The module `images`: OpenCV's Fourier transform, depths of OpenEXR files.
#include <opencv2/core.hpp>

#include "scenes/images/images.h"
#include "scenes/images/opencv/exr_depths.h"

namespace aqbench {
namespace {

std::vector<float> inverse_real_dft_with_opencv(int n, std::span<const float> re_im) {
  // OpenCV reads the amplitudes; its type has no const view of them.
  const cv::Mat waves(n, n, CV_32FC2, const_cast<float*>(re_im.data()));
  cv::Mat real;
  cv::dft(waves, real, cv::DFT_INVERSE | cv::DFT_REAL_OUTPUT);
  return {real.begin<float>(), real.end<float>()};
}

}  // namespace
}  // namespace aqbench

extern "C" const aqbench::ImagesTable aqbench_images_table;
const aqbench::ImagesTable aqbench_images_table = {.inverse_real_dft = &aqbench::inverse_real_dft_with_opencv,
                                                   .decode_exr_depths = &aqbench::decode_exr_depths};
