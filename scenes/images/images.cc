#include "scenes/images/images.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/module.h"
#include "scenes/images/image_file.h"

AQBENCH_MODULE_TABLE aqbench::ImagesTable aqbench_images_table;

namespace aqbench {
namespace {

const ImagesTable& images_table() {
  return module_table<ImagesTable>(Module::images, "aqbench_images_table", &aqbench_images_table);
}

}  // namespace

std::string encode_png(int width, int height, int bits, std::span<const std::uint16_t> values) {
  return images_table().encode_png(width, height, bits, values);
}

std::vector<float> inverse_real_dft(int n, std::span<const float> re_im) {
  return images_table().inverse_real_dft(n, re_im);
}

DepthImage depth_image_of_size(const std::string& name, std::uint64_t width, std::uint64_t height) {
  constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28U;
  if (width == 0 || height == 0 || width > kMaxPixels || height > kMaxPixels / width)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} x {} pixels; must be from 1 to 2^28", name, width, height));
  DepthImage image;
  image.width = static_cast<int>(width);
  image.height = static_cast<int>(height);
  return image;
}

DepthImage decode_depths(bool exr, std::string_view bytes, const std::string& name) {
  return (exr ? images_table().decode_exr_depths : images_table().decode_tiff_depths)(bytes, name);
}

GreyImage decode_grey(std::string_view bytes, int width_px, int height_px, const std::string& name) {
  const ImageInfo info = inspect_image(bytes, name);
  if (info.width_px != width_px || info.height_px != height_px)
    throw Error(ErrorKind::input, fmt::format("{}: is {} x {} px, expected {} x {}", name, info.width_px,
                                              info.height_px, width_px, height_px));
  return images_table().decode_grey(bytes, name);
}

std::string shrink_image(std::string_view bytes, int factor, const std::string& name) {
  const ImageInfo info = inspect_image(bytes, name);
  if (info.width_px < factor || info.height_px < factor)
    throw Error(ErrorKind::input, fmt::format("{}: is {} x {} px, too small to be made smaller {} times",
                                              name, info.width_px, info.height_px, factor));
  return images_table().shrink_image(bytes, factor, name);
}

std::string jpeg_damage(std::string_view bytes) { return images_table().jpeg_damage(bytes); }

}  // namespace aqbench
