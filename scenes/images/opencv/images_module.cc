// The module `images`: OpenCV's PNG encoder and Fourier transform, depths of OpenEXR and TIFF files, damage
// of JPEG files.
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "core/error.h"
#include "scenes/images/images.h"
#include "scenes/images/opencv/exr_depths.h"
#include "scenes/images/opencv/jpeg_damage.h"
#include "scenes/images/opencv/tiff_depths.h"

namespace aqbench {
namespace {

std::string png_of(const cv::Mat& pixels) {
  std::vector<unsigned char> bytes;
  if (!cv::imencode(".png", pixels, bytes, {cv::IMWRITE_PNG_COMPRESSION, 1}))
    throw Error(ErrorKind::io, "PNG: OpenCV cannot encode the image");
  return {bytes.begin(), bytes.end()};
}

std::string encode_png_with_opencv(int width, int height, int bits, std::span<const std::uint16_t> values) {
  const bool deep = bits == 16;
  cv::Mat pixels(height, width, deep ? CV_16UC3 : CV_8UC3);
  for (int row = 0; row < height; ++row) {
    const std::uint16_t* from = values.data() + static_cast<std::ptrdiff_t>(row) * width;
    for (int column = 0; column < width; ++column) {
      const std::uint16_t value = from[column];
      if (deep)
        pixels.at<cv::Vec3w>(row, column) = {value, value, value};
      else
        pixels.at<cv::Vec3b>(row, column) = cv::Vec3b::all(static_cast<unsigned char>(value));
    }
  }
  return png_of(pixels);
}

std::vector<float> inverse_real_dft_with_opencv(int n, std::span<const float> re_im) {
  // OpenCV reads the amplitudes; its type has no const view of them.
  const cv::Mat waves(n, n, CV_32FC2, const_cast<float*>(re_im.data()));
  cv::Mat real;
  cv::dft(waves, real, cv::DFT_INVERSE | cv::DFT_REAL_OUTPUT);
  return {real.begin<float>(), real.end<float>()};
}

template <class Pixel>
void take_grey(const cv::Mat& colours, float white, std::vector<float>& values) {
  for (int row = 0; row < colours.rows; ++row)
    for (int column = 0; column < colours.cols; ++column) {
      const Pixel& pixel = colours.at<Pixel>(row, column);
      values.push_back((0.114F * static_cast<float>(pixel[0]) + 0.587F * static_cast<float>(pixel[1]) +
                        0.299F * static_cast<float>(pixel[2])) /
                       white);
    }
}

cv::Mat decode_colours(std::string_view bytes, const std::string& name) {
  cv::Mat pixels;
  try {
    const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8U, const_cast<char*>(bytes.data()));
    if (!bytes.empty()) pixels = cv::imdecode(encoded, cv::IMREAD_COLOR | cv::IMREAD_ANYDEPTH);
  } catch (const cv::Exception&) {
    pixels.release();  // too large, or damaged (OpenCV reports both so)
  }
  if (pixels.empty() || pixels.channels() != 3 || (pixels.depth() != CV_8U && pixels.depth() != CV_16U))
    throw Error(ErrorKind::input, name + ": not an 8-bit or 16-bit image");
  return pixels;
}

GreyImage decode_grey_with_opencv(std::string_view bytes, const std::string& name) {
  const cv::Mat pixels = decode_colours(bytes, name);
  GreyImage image{pixels.cols, pixels.rows, {}};
  image.values.reserve(pixels.total());
  if (pixels.depth() == CV_8U)
    take_grey<cv::Vec3b>(pixels, 255, image.values);
  else
    take_grey<cv::Vec3w>(pixels, 65535, image.values);
  return image;
}

// Rounds means to the nearest level, halves up.
template <class Pixel>
cv::Mat mean_of_blocks(const cv::Mat& pixels, int factor) {
  cv::Mat means(pixels.rows / factor, pixels.cols / factor, pixels.type());
  const auto area = static_cast<std::uint64_t>(factor) * static_cast<std::uint64_t>(factor);
  for (int row = 0; row < means.rows; ++row)
    for (int column = 0; column < means.cols; ++column) {
      std::uint64_t sums[3] = {area / 2, area / 2, area / 2};
      for (int y = 0; y < factor; ++y)
        for (int x = 0; x < factor; ++x)
          for (int c = 0; c < 3; ++c) sums[c] += pixels.at<Pixel>(factor * row + y, factor * column + x)[c];
      for (int c = 0; c < 3; ++c)
        means.at<Pixel>(row, column)[c] = static_cast<typename Pixel::value_type>(sums[c] / area);
    }
  return means;
}

std::string shrink_with_opencv(std::string_view bytes, int factor, const std::string& name) {
  const cv::Mat pixels = decode_colours(bytes, name);
  return png_of(pixels.depth() == CV_8U ? mean_of_blocks<cv::Vec3b>(pixels, factor)
                                        : mean_of_blocks<cv::Vec3w>(pixels, factor));
}

}  // namespace
}  // namespace aqbench

extern "C" const aqbench::ImagesTable aqbench_images_table;
const aqbench::ImagesTable aqbench_images_table = {.encode_png = &aqbench::encode_png_with_opencv,
                                                   .inverse_real_dft = &aqbench::inverse_real_dft_with_opencv,
                                                   .decode_exr_depths = &aqbench::decode_exr_depths,
                                                   .decode_tiff_depths = &aqbench::decode_tiff_depths,
                                                   .decode_grey = &aqbench::decode_grey_with_opencv,
                                                   .shrink_image = &aqbench::shrink_with_opencv,
                                                   .jpeg_damage = &aqbench::find_jpeg_damage};
