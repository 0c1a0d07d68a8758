#include <fmt/ranges.h>

#include <cmath>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/files.h"
#include "harness/eval/eval_protocol.h"
#include "scenes/cloud/npy.h"
#include "scenes/images/image_file.h"

namespace aqbench {
namespace {

// An image of 0 to 1, or a mask of one channel.
struct Picture {
  std::size_t height = 0, width = 0;
  std::vector<float> values;
};

// Reads rows x columns x channels, or of one channel also rows x columns: whole numbers as 0 to 255.
Picture picture_of_npy(const std::string& file, std::size_t channels) {
  NpyArray array = read_npy(file);
  auto& shape = array.shape;
  if (shape.size() == 2) shape.push_back(1);
  if (shape.size() != 3 || shape[2] != channels)
    throw input_error.of_file(file, "{} values: expected rows x columns x {}", fmt::join(shape, " x "),
                              channels);
  Picture picture{shape[0], shape[1], {}};
  std::visit([&](const auto& values) { picture.values.assign(values.begin(), values.end()); }, array.values);
  for (float& value : picture.values) {
    if (array.is_whole) value /= 255;
    if (value < 0 || value > 1)
      throw input_error.of_file(file, "a value is {:.4g}: expected 0 to 1, or whole numbers from 0 to 255",
                                value);
  }
  return picture;
}

Picture read_picture(const std::string& file) {
  if (file.ends_with(".npy")) return picture_of_npy(file, 3);
  const std::string bytes = read_file(file);
  const ImageInfo info = inspect_image(bytes, file);
  const RgbImage image = info.format == ImageFormat::png    ? decode_rgb_png(bytes, file)
                         : info.format == ImageFormat::jpeg ? decode_rgb_jpeg(bytes, file)
                                                            : decode_rgb_tiff(bytes, file);
  Picture picture{static_cast<std::size_t>(image.height), static_cast<std::size_t>(image.width), {}};
  picture.values.resize(3 * picture.height * picture.width);
  for (std::size_t i = 0; i < picture.values.size(); ++i) {
    std::uint16_t deep = 0;
    if (image.deep) std::copy_n(image.bytes.data() + 2 * i, 2, reinterpret_cast<unsigned char*>(&deep));
    picture.values[i] =
        image.deep ? static_cast<float>(deep) / 65535 : static_cast<float>(image.bytes[i]) / 255;
  }
  return picture;
}

// Reads how much each pixel counts: an NPY array, or an image, of which the first channel counts.
Picture read_mask(const std::string& file) {
  if (file.ends_with(".npy")) return picture_of_npy(file, 1);
  Picture picture = read_picture(file);
  for (std::size_t i = 0; i < picture.height * picture.width; ++i) picture.values[i] = picture.values[3 * i];
  picture.values.resize(picture.height * picture.width);
  return picture;
}

void require_size(const std::string& file, const Picture& picture, const std::string& truth_file,
                  const Picture& truth) {
  if (picture.height != truth.height || picture.width != truth.width)
    throw input_error.of_file(file, "{} rows x {} columns where {} has {} x {}", picture.height,
                              picture.width, truth_file, truth.height, truth.width);
}

}  // namespace

ShownProtocol score_images(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                           const ImageProtocol& protocol, std::vector<std::string>& notes) {
  ImageKnobs knobs = protocol.knobs;
  take_knobs(request, image_knobs(), knobs);
  if (!request.confidence_file.empty())
    throw usage_error("--confidence: not with --protocol {}", protocol.name);
  const PairedFiles files = pair_files(request, cloud, notes);
  FilesByName masks;
  if (!request.mask_file.empty()) masks = files_at(request.mask_file);
  std::vector<Picture> pictures;  // prediction, truth and mask of each image
  pictures.reserve(3 * files.predicted.size());
  std::vector<ImagePair> pairs;
  for (const auto& [name, file] : files.predicted) {
    const std::string& truth_file = files.truth.at(name);
    const Picture& predicted = pictures.emplace_back(read_picture(file));
    const Picture& truth = pictures.emplace_back(read_picture(truth_file));
    require_size(file, predicted, truth_file, truth);
    pairs.push_back({truth.height, truth.width, predicted.values, truth.values});
    if (masks.empty()) continue;
    const std::string& mask_file = file_named(masks, name, request.mask_file);
    const Picture& mask = pictures.emplace_back(read_mask(mask_file));
    require_size(mask_file, mask, truth_file, truth);
    pairs.back().mask = mask.values;
  }
  if (!masks.empty() && knobs.multiply_mask)
    notes.push_back("mask=multiply: masked-out pixels count as equal, as in the published program");
  ShownProtocol shown{protocol.name, protocol.source, knobs_json(image_knobs(), knobs), {}, {}, {}};
  shown.result = image_errors(pairs, knobs);
  return shown;
}

}  // namespace aqbench
