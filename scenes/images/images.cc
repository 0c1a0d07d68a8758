#include "scenes/images/images.h"

#include <fmt/format.h>

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
    throw Error(ErrorKind::input, fmt::format("{}: is {} x {} px, expected {} x {}", name, info.width_px,
                                              info.height_px, width_px, height_px));
  const RgbImage image = info.format == ImageFormat::png    ? decode_rgb_png(bytes, name)
                         : info.format == ImageFormat::jpeg ? decode_rgb_jpeg(bytes, name)
                                                            : decode_rgb_tiff(bytes, name);
  return image.deep ? grey_of<std::uint16_t>(image) : grey_of<std::uint8_t>(image);
}

}  // namespace aqbench
