#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/error.h"
#include "harness/eval/eval_protocol.h"
#include "harness/eval/file_family.h"
#include "scenes/images/images.h"

namespace aqbench {
namespace {

// Reads a depth map or what lies beside one, or a stack of them: maps x rows x columns. Rows x columns x 1
// are one map.
FileArray read_npy_maps(const std::string& file) {
  FileArray maps = read_file_array(file);
  if (maps.shape.size() == 3 && maps.shape.back() == 1) maps.shape.pop_back();
  if (maps.shape.size() == 3 && maps.shape.back() == 3)
    throw input_error.of_file(file, "{} values are colours or points, not a stack of maps",
                              fmt::join(maps.shape, " x "));
  if (maps.shape.size() != 2 && maps.shape.size() != 3)
    throw input_error.of_file(file, "{} values: expected rows x columns, or maps x rows x columns",
                              fmt::join(maps.shape, " x "));
  return maps;
}

}  // namespace

// Counts become metres by what the request says of one; other values by the file's unit.
FileArray read_depth_maps(const std::string& file, double metres_per_unit, const EvalProtocolRequest& request,
                          std::vector<std::string>& notes) {
  FileArray maps;
  DepthImage image;
  if (file.ends_with(".npy")) {
    maps = read_npy_maps(file);
    image.far_values = drop_far_values(maps.values, maps.is_whole);
  } else {
    image = read_depth_image(file);
    maps = {file,
            {static_cast<std::size_t>(image.height), static_cast<std::size_t>(image.width)},
            std::move(image.values),
            image.counts};
  }
  std::ranges::move(notes_of_depths(file, image.channel, image.far_values), std::back_inserter(notes));
  if (maps.is_whole && !request.metres_per_count)
    throw usage_error("{}: holds counts: give --depth-scale METRES", file);
  if (maps.is_whole) metres_per_unit = *request.metres_per_count;
  for (float& value : maps.values) value *= static_cast<float>(metres_per_unit);
  return maps;
}

namespace {

// The same number of values in another shape is another image.
void require_shape(const FileArray& maps, const FileArray& truth) {
  require_sizes(maps, truth, std::max(maps.shape.size(), truth.shape.size()));
}

// Predicted maps, true ones and confidences, file by file.
struct ReadMaps {
  std::vector<FileArray> predicted, truth, confidence;
};

ReadMaps read_all_maps(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                       std::vector<std::string>& notes) {
  const PairedFiles files = pair_files(request, cloud, notes);
  FilesByName confidence, masks;
  if (!request.mask_file.empty()) masks = files_at(request.mask_file);
  if (!request.confidence_file.empty()) confidence = files_at(request.confidence_file);
  ReadMaps read;
  for (const auto& [name, file] : files.predicted) {
    read.predicted.push_back(read_depth_maps(file, cloud.metres_per_unit, request, notes));
    read.truth.push_back(read_depth_maps(files.truth.at(name), cloud.truth_metres_per_unit, request, notes));
    require_shape(read.predicted.back(), read.truth.back());
    if (!masks.empty()) {
      const FileArray mask = read_npy_maps(file_named(masks, name, request.mask_file));
      require_shape(mask, read.truth.back());
      for (std::size_t i = 0; i < mask.values.size(); ++i)
        if (mask.values[i] == 0) read.truth.back().values[i] = std::numeric_limits<float>::quiet_NaN();
    }
    if (confidence.empty()) continue;
    read.confidence.push_back(read_npy_maps(file_named(confidence, name, request.confidence_file)));
    require_shape(read.confidence.back(), read.truth.back());
  }
  return read;
}

std::vector<DepthMapPair> pairs_of(const ReadMaps& read) {
  std::vector<DepthMapPair> pairs;
  for (std::size_t i = 0; i < read.truth.size(); ++i) {
    const auto& shape = read.truth[i].shape;
    const std::size_t height = shape[shape.size() - 2], width = shape.back(), size = height * width;
    for (std::size_t first = 0; first < read.truth[i].values.size(); first += size) {
      const auto part = [&](const FileArray& maps) { return std::span(maps.values).subspan(first, size); };
      pairs.push_back({height, width, part(read.predicted[i]), part(read.truth[i]),
                       read.confidence.empty() ? std::span<const float>() : part(read.confidence[i])});
    }
  }
  return pairs;
}

}  // namespace

SearchedFamily open_depths(const EvalProtocolRequest& request, const EvalCloudRequest& cloud, Notes& notes) {
  return searched_family<DepthKnobs>(depth_knobs(), [&notes, read = read_all_maps(request, cloud, notes)](
                                                        const DepthKnobs& knobs) {
    const std::vector<DepthMapPair> pairs = pairs_of(read);
    ProtocolResult result = depth_errors(pairs, knobs);
    const ProtocolValue* const optimum = find_value(result, "abs_rel_lad");
    if (optimum != nullptr && optimum->value && *result[0].value > 1.01 * *optimum->value)
      notes.push_back(fmt::format(
          "align=adam1000 (scale&shift) did not converge: abs_rel {:.3f}, the optimum (align=lad) is {:.3f}",
          *result[0].value, *optimum->value));
    if (!read.confidence.empty())
      std::ranges::move(sparsification_errors(pairs, knobs), std::back_inserter(result));
    return result;
  });
}

}  // namespace aqbench
