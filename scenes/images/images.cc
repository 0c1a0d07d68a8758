#include "scenes/images/images.h"

#include "core/module.h"

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

}  // namespace aqbench
