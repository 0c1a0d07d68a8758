#include "scenes/images/images.h"

#include <cstdint>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "core/module.h"
#include "scenes/images/image_file.h"
#include "scenes/images/jpeg_file.h"
#include "scenes/images/png_file.h"
#include "scenes/images/tiff_file.h"

AQBENCH_MODULE_TABLE aqbench::ImagesTable aqbench_images_table;

namespace aqbench {
namespace {

const ImagesTable& images_table() {
  return module_table<ImagesTable>(Module::images, "aqbench_images_table", &aqbench_images_table);
}

template <class Sample>
GreyImage grey_of(const RgbImage& image) {
  constexpr auto kWhite = static_cast<float>(std::numeric_limits<Sample>::max());
  GreyImage grey{image.width, image.height, {}};
  grey.values.reserve(image.bytes.size() / (3 * sizeof(Sample)));
  for (std::size_t at = 0; at < image.bytes.size(); at += 3 * sizeof(Sample)) {
    Sample pixel[3];
    std::memcpy(pixel, image.bytes.data() + at, sizeof pixel);
    grey.values.push_back((0.114F * static_cast<float>(pixel[2]) + 0.587F * static_cast<float>(pixel[1]) +
                           0.299F * static_cast<float>(pixel[0])) /
                          kWhite);
  }
  return grey;
}

template <class Sample>
RgbImage mean_of_blocks(const RgbImage& image, int factor) {
  RgbImage means{image.width / factor, image.height / factor, image.deep, {}};
  means.bytes.resize(3 * sizeof(Sample) * static_cast<std::size_t>(means.width) *
                     static_cast<std::size_t>(means.height));
  const auto area = static_cast<std::uint64_t>(factor) * static_cast<std::uint64_t>(factor);
  const auto place = [](const RgbImage& of, int row, int column) {
    return 3 * sizeof(Sample) *
           (static_cast<std::size_t>(row) * static_cast<std::size_t>(of.width) +
            static_cast<std::size_t>(column));
  };
  for (int row = 0; row < means.height; ++row)
    for (int column = 0; column < means.width; ++column) {
      std::uint64_t sums[3] = {area / 2, area / 2, area / 2};
      Sample pixel[3];
      for (int y = 0; y < factor; ++y)
        for (int x = 0; x < factor; ++x) {
          std::memcpy(pixel, image.bytes.data() + place(image, factor * row + y, factor * column + x),
                      sizeof pixel);
          for (int c = 0; c < 3; ++c) sums[c] += pixel[c];
        }
      for (int c = 0; c < 3; ++c) pixel[c] = static_cast<Sample>(sums[c] / area);
      std::memcpy(means.bytes.data() + place(means, row, column), pixel, sizeof pixel);
    }
  return means;
}

RgbImage decode_rgb(ImageFormat format, std::string_view bytes, const std::string& name) {
  return format == ImageFormat::png    ? decode_rgb_png(bytes, name)
         : format == ImageFormat::jpeg ? decode_rgb_jpeg(bytes, name)
                                       : decode_rgb_tiff(bytes, name);
}

}  // namespace

std::vector<float> inverse_real_dft(int n, std::span<const float> re_im) {
  return images_table().inverse_real_dft(n, re_im);
}

DepthImage read_exr_depths(std::string_view bytes, const std::string& name) {
  return images_table().decode_exr_depths(bytes, name);
}

GreyImage decode_grey(std::string_view bytes, int width_px, int height_px, const std::string& name) {
  const ImageInfo info = inspect_image(bytes, name);
  if (info.width_px != width_px || info.height_px != height_px)
    throw input_error("{}: is {} x {} px, expected {} x {}", name, info.width_px, info.height_px, width_px,
                      height_px);
  const RgbImage image = decode_rgb(info.format, bytes, name);
  return image.deep ? grey_of<std::uint16_t>(image) : grey_of<std::uint8_t>(image);
}

std::string shrink_image(std::string_view bytes, int factor, const std::string& name) {
  const ImageInfo info = inspect_image(bytes, name);
  if (info.width_px < factor || info.height_px < factor)
    throw input_error("{}: is {} x {} px, too small to be made smaller {} times", name, info.width_px,
                      info.height_px, factor);
  const RgbImage image = decode_rgb(info.format, bytes, name);
  return encode_png(image.deep ? mean_of_blocks<std::uint16_t>(image, factor)
                               : mean_of_blocks<std::uint8_t>(image, factor));
}

}  // namespace aqbench
