#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "harness/eval/eval_protocol.h"
#include "harness/eval/file_family.h"
#include "scenes/images/image_file.h"

namespace aqbench {
namespace {

// Reads rows x columns x channels, or of one channel also rows x columns: whole numbers as 0 to 255.
FileArray picture_of_npy(const std::string& file, std::size_t channels) {
  FileArray array = read_file_array(file);
  auto& shape = array.shape;
  if (shape.size() == 2) shape.push_back(1);
  if (shape.size() != 3 || shape[2] != channels)
    throw input_error.of_file(file, "{} values: expected rows x columns x {}", fmt::join(shape, " x "),
                              channels);
  for (float& value : array.values) {
    if (array.is_whole) value /= 255;
    if (value < 0 || value > 1)
      throw input_error.of_file(file, "a value is {:.4g}: expected 0 to 1, or whole numbers from 0 to 255",
                                value);
  }
  return array;
}

FileArray read_picture(const std::string& file) {
  if (file.ends_with(".npy")) return picture_of_npy(file, 3);
  const std::string bytes = read_file(file);
  const ImageInfo info = inspect_image(bytes, file);
  const RgbImage image = info.format == ImageFormat::png    ? decode_rgb_png(bytes, file)
                         : info.format == ImageFormat::jpeg ? decode_rgb_jpeg(bytes, file)
                                                            : decode_rgb_tiff(bytes, file);
  FileArray picture{
      file, {static_cast<std::size_t>(image.height), static_cast<std::size_t>(image.width), 3}, {}};
  picture.values.resize(3 * picture.shape[0] * picture.shape[1]);
  for (std::size_t i = 0; i < picture.values.size(); ++i) {
    std::uint16_t deep = 0;
    if (image.deep) std::copy_n(image.bytes.data() + 2 * i, 2, reinterpret_cast<unsigned char*>(&deep));
    picture.values[i] =
        image.deep ? static_cast<float>(deep) / 65535 : static_cast<float>(image.bytes[i]) / 255;
  }
  return picture;
}

// Reads how much each pixel counts: an NPY array, or an image, of which the first channel counts. Of bools
// and of whole numbers up to 1 these are 0 and 1.
FileArray read_mask(const std::string& file) {
  FileArray mask = file.ends_with(".npy") ? picture_of_npy(file, 1) : read_picture(file);
  if (mask.shape[2] == 3) {
    for (std::size_t i = 0; 3 * i < mask.values.size(); ++i) mask.values[i] = mask.values[3 * i];
    mask.values.resize(mask.values.size() / 3);
    mask.is_whole = true;
  }
  const bool is_zero_or_one =
      mask.is_whole && std::ranges::all_of(mask.values, [](float value) { return value <= 1.0F / 255; });
  for (float& value : mask.values) value = is_zero_or_one && value > 0 ? 1 : value;
  return mask;
}

// Pairs of files that have been read: prediction, truth and mask of each image, or none.
struct ReadImages {
  std::vector<FileArray> predicted, truth, masks;
};

ReadImages read_images(const EvalProtocolRequest& request, const EvalCloudRequest& cloud, Notes& notes) {
  const PairedFiles files = pair_files(request, cloud, notes);
  FilesByName masks;
  if (!request.mask_file.empty()) masks = files_at(request.mask_file);
  ReadImages read;
  for (const auto& [name, file] : files.predicted) {
    read.predicted.push_back(read_picture(file));
    read.truth.push_back(read_picture(files.truth.at(name)));
    require_sizes(read.predicted.back(), read.truth.back(), 2);
    if (masks.empty()) continue;
    read.masks.push_back(read_mask(file_named(masks, name, request.mask_file)));
    require_sizes(read.masks.back(), read.truth.back(), 2);
  }
  return read;
}

}  // namespace

SearchedFamily open_images(const EvalProtocolRequest& request, const EvalCloudRequest& cloud, Notes& notes) {
  if (!request.confidence_file.empty()) throw usage_error("--confidence: not with images");
  return searched_family<ImageKnobs>(
      image_knobs(), [&notes, read = read_images(request, cloud, notes)](const ImageKnobs& knobs) {
        std::vector<ImagePair> pairs;
        for (std::size_t i = 0; i < read.truth.size(); ++i)
          pairs.push_back({read.truth[i].shape[0], read.truth[i].shape[1], read.predicted[i].values,
                           read.truth[i].values,
                           read.masks.empty() ? std::span<const float>() : read.masks[i].values});
        if (!read.masks.empty() && knobs.multiply_mask)
          notes.emplace_back("mask=multiply: masked-out pixels count as equal, as in the published program");
        return image_errors(pairs, knobs);
      });
}

}  // namespace aqbench
